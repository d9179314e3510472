// SPDX-License-Identifier: Apache-2.0
// Children: starts child processes, and makes their end an event: a descriptor that becomes
// readable when the child ends, and the exit status to ask for then.
//
//     Children* children = loop.platform().environment()->children();
//
// Thread: any. `spawn` waits until the child runs its program: call it on a thread of the Offload.
// The other functions do not block.
// Lifetime: part of a Platform.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gyre/base/result.hpp"
#include "gyre/io/sockets.hpp"

namespace gyre {

// How a process ended: by its own exit, or by a signal (then `code` is 0).
struct ChildEnd {
    int code = 0;
    int signal = 0;
};

// What a child has for standard input, output or error.
enum class StandardStream : std::uint8_t {
    inherited,  // what this process has
    nothing,    // it reads the end, and what it writes is dropped
    pipe,       // the other end is this process's
    to_output,  // for error: where its output goes
};

struct SpawnPlan {
    std::string program;  // looked for in PATH where it has no slash
    std::vector<std::string> arguments;
    std::vector<std::pair<std::string, std::string>> environment;
    bool inherits_environment = true;  // what `environment` names is said anew
    std::string folder;                // where it begins; empty: where this process is
    std::array<StandardStream, 3> streams = {};
    bool has_own_group = false;  // so that signals can be sent to it and all it starts
};

struct Spawned {
    int pid = 0;
    Fd process = -1;                         // readable once the child has ended
    std::array<Fd, 3> pipes = {-1, -1, -1};  // this process's ends; all belong to the caller
};

class Children {
public:
    virtual ~Children() = default;

    // Where the program cannot be run, the error says why, and nothing is left behind. The child
    // gets no other descriptor than its three, no signal is blocked or ignored in it.
    [[nodiscard]] virtual Result<Spawned> spawn(const SpawnPlan& plan) = 0;
    // To a child that has not been reaped; or to its whole group, where it has its own.
    [[nodiscard]] virtual Result<void> signal(int pid, int number, bool to_group) = 0;

    // Readable once the child has ended; belongs to the caller.
    [[nodiscard]] virtual Result<Fd> watch(int pid) = 0;
    // Takes the child's end from the system, once. `resource_unavailable_try_again` while it runs.
    [[nodiscard]] virtual Result<ChildEnd> reap(int pid) = 0;
};

}  // namespace gyre
