// SPDX-License-Identifier: Apache-2.0
// Process: a child process and the duty to see its end. Move-only; it belongs to the loop where it
// was started and outlives the futures of its members. No zombie is left: one that is dropped
// before its end is killed at once, and a task of the root scope, which no cancel reaches, waits
// for that end.
//
//     process::Command sort{.program = "sort", .input = StandardStream::pipe,
//                           .output = StandardStream::pipe};
//     process::Process child = co_await process::spawn(sort);
//     co_await child.input.write(bytes_of("b\na\n"));
//     co_await child.input.aclose();
//     std::string sorted = co_await child.output.read_all(1 << 20);
//     ChildEnd end = co_await child.wait();
//
// A child that writes more than its pipe holds waits until somebody reads: read before `wait`.
//
// Give a command a name, as here: g++ 12 destroys twice what stands in braces inside a co_await.
#pragma once

#include <chrono>
#include <csignal>
#include <optional>
#include <system_error>
#include <utility>

#include "gyre/process/command.hpp"
#include "gyre/process/pipe.hpp"
#include "gyre/task/executor.hpp"

namespace gyre::process {

// "spawn 'nowhere': No such file or directory".
class SpawnError : public std::system_error {
public:
    SpawnError(const std::string& program, Error error);
};

struct StopOptions {
    int signal = SIGTERM;  // the request; then, when `patience` is over, SIGKILL
    Duration patience = std::chrono::seconds(5);
};

class Process {
public:
    Process(Executor& executor, const Spawned& spawned, bool has_own_group) noexcept;
    Process(Process&& other) noexcept;
    Process& operator=(Process&& other) noexcept;
    ~Process() { drop(); }

    [[nodiscard]] int pid() const noexcept { return pid_; }
    // How it ended, once `wait` or `stop` has given it.
    [[nodiscard]] std::optional<ChildEnd> end() const noexcept { return end_; }

    // Waits for its end, and takes it from the system. May be called again, and by several tasks:
    // gives the same. Cancel class: did nothing.
    [[nodiscard]] Future<ChildEnd> wait();
    // Asks it to end, and kills it where it does not. With a group of its own, what is left of that
    // is killed too. Cancel class: the request is sent; the child may still run.
    [[nodiscard]] Future<ChildEnd> stop(StopOptions options = {});
    // To the process, or to its group where it has its own. The Error `no_such_process` once its
    // end was taken.
    [[nodiscard]] Result<void> signal(int number) const;

    // Open where the command says `pipe`.
    PipeWriter input;
    PipeReader output;
    PipeReader error;

private:
    [[nodiscard]] Future<void> ended() const;
    [[nodiscard]] Future<ChildEnd> reap();
    void drop() noexcept;
    static Future<void> see_end(Process left);

    Executor* executor_;
    Children* children_;
    int pid_;  // 0: it was moved from
    bool has_own_group_;
    OpenDescriptor watched_;  // readable once it has ended
    std::optional<ChildEnd> end_;
};

// Throws a SpawnError where the program cannot be run. Cancel class: did nothing, where the call
// had not begun; otherwise it gives the child.
[[nodiscard]] Future<Process> spawn(Command command);

}  // namespace gyre::process
