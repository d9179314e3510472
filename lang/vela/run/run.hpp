// SPDX-License-Identifier: Apache-2.0
// run_program: runs a lowered Vela program on the loop of the calling task, until nothing can wake it
// any more. Its tasks, timers and I/O are those of gyre.
//
//     const auto lowered = vela::lower(*program);
//     const int exit_code = co_await vela::run_program(*lowered, host);
//
// With further loops (MachineOptions::loops) the actors of the program are spread over all of them:
// each loop has a heap of its own, and messages are copied.
//
// Thread: that of the calling task's loop; the host is called on all loops.
// Lifetime: the lowered code and the host outlive the future.
// Cancel: cancels the tasks of the program, waits for their clean-ups, and gives 4.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gyre/kernel/clock.hpp"
#include "gyre/kernel/op.hpp"
#include "gyre/task/core/future.hpp"
#include "lang/vela/lower/lower.hpp"

namespace gyre {
struct Permissions;
}

namespace gyre::vela {

namespace vm {
class NativeLibrary;
}

struct MachineOptions {
    // The function to run.
    std::string_view entry = "main";
    // Calls inside each other, and bodies that await each other; beyond it a StackOverflowError.
    std::size_t depth_max = 10'000;
    // What the program holds; beyond it the program is ended with exit code 4.
    std::size_t memory_bytes_max = std::size_t{2} << 30U;
    // Back edges and calls between two looks at the loop: a body that runs longer lets others run.
    std::int64_t back_edges_max = 20'000;
    // Real time; 0: no limit. Beyond it the program is ended with exit code 4.
    Duration time_max = Duration::zero();
    // Of system:random.
    std::uint64_t seed = 1;
    // For tests: collects garbage at every safepoint.
    bool collects_always = false;
    // Prints the calls and awaits that an uncaught error came through.
    bool shows_stack = false;
    // Tells the host of each step of a task: its start, polls, wakes and end.
    bool shows_steps = false;
    // The same as marks in the trace of the loop.
    bool marks_steps = false;
    // Further loops for actors, peers of the calling task's. Empty: the program has one.
    std::vector<MachineRef> loops = {};
};

// The outside of a program. Called on every loop of the program: with several, it locks.
class RunHost {
public:
    virtual ~RunHost() = default;
    // One line of output, without its end.
    virtual void print(std::string_view line) = 0;
    // One line for standard error.
    virtual void report(std::string_view line) = 0;
    // An assertEqual failed: both values as they are printed.
    virtual void differ(std::string_view /*expected*/, std::string_view /*found*/) {}
    // One step of a task in words, if MachineOptions::shows_steps asks for them.
    virtual void step(std::string_view /*line*/) {}
    // The program is about to wait: buffered output should be seen.
    virtual void flush() {}
    // The time of the loop's clock.
    [[nodiscard]] virtual Instant time() noexcept = 0;
    // The same for the program. A virtual clock moves with each such reading.
    [[nodiscard]] virtual Instant read_clock() { return time(); }
    // In real time, for limits.
    [[nodiscard]] virtual Instant real_time() { return time(); }
    // Milliseconds since 1970.
    [[nodiscard]] virtual std::int64_t unix_time_ms() { return 0; }
    [[nodiscard]] virtual std::vector<std::string> arguments() { return {}; }
    // Of run_interactive: whether the input that runs should end. Asked at safepoints, also where
    // the loop cannot turn; answers quickly.
    [[nodiscard]] virtual bool is_interrupted() noexcept { return false; }
    // Null: not set.
    [[nodiscard]] virtual const char* environment(const std::string& /*name*/) { return nullptr; }
    // What the program may reach; null: it is in no sandbox.
    [[nodiscard]] virtual const Permissions* permissions() const noexcept { return nullptr; }
};

// How a program ended, for tests.
struct RunReport {
    int exit_code = 0;
    std::string problem;          // why it could not start
    std::size_t things_left = 0;  // after a last collection
    std::size_t collection_count = 0;
    std::uint64_t dead_letter_count = 0;
};

// Functions of the standard surface beyond the core: files, sockets, HTTP.
using NativeLibraries = std::vector<const vm::NativeLibrary*>;

// system:fs, system:net, system:process and system:effects. system:http is made by lang/vela/run/http/http_support.hpp.
[[nodiscard]] const vm::NativeLibrary* system_library();

[[nodiscard]] gyre::Future<int> run_program(const Lowered& lowered, RunHost& host,
                                            MachineOptions options = {},
                                            NativeLibraries libraries = {},
                                            RunReport* report = nullptr);

// Faults of the assembled instructions, a line each; empty if the machine may run them.
[[nodiscard]] std::vector<std::string> verify_code(const Lowered& lowered);
// The instructions of each function of the program, as text.
[[nodiscard]] std::string print_code(const Lowered& lowered);

}  // namespace gyre::vela
