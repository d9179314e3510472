// SPDX-License-Identifier: Apache-2.0
// Children: how the end of a child process becomes an event: a descriptor that gets readable then,
// and what is left to ask afterwards. None of the calls blocks. Any thread may use it.
#pragma once

#include "gyre/base/result.hpp"
#include "gyre/kernel/sockets.hpp"

namespace gyre {

// How a process ended: by its own exit, or by a signal (then `code` is 0).
struct ChildEnd {
    int code = 0;
    int signal = 0;
};

class Children {
public:
    virtual ~Children() = default;

    // Readable once the child has ended; belongs to the caller.
    [[nodiscard]] virtual Result<Fd> watch(int pid) = 0;
    // Takes the child's end from the system, once. `resource_unavailable_try_again` while it runs.
    [[nodiscard]] virtual Result<ChildEnd> reap(int pid) = 0;
};

}  // namespace gyre
