// SPDX-License-Identifier: Apache-2.0
// ProcessMark: detects that an object is used in a forked child. The child has none of the parent's
// threads, and locks stay as they were at the fork, so a pool must not be used there. Constant
// after construction: any thread may read it.
#pragma once

#include <cstdint>

#include "gyre/pool/thread_pool.hpp"

namespace gyre::pool {

class ProcessMark {
public:
    // Without a function, is_here is always true.
    explicit ProcessMark(ProcessId process_id) noexcept
        : process_id_(process_id), made_in_(process_id != nullptr ? process_id() : 0) {}

    [[nodiscard]] bool is_here() const noexcept {
        return process_id_ == nullptr || process_id_() == made_in_;
    }

private:
    const ProcessId process_id_;
    const std::uint32_t made_in_;
};

}  // namespace gyre::pool
