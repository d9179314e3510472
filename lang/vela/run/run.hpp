// SPDX-License-Identifier: Apache-2.0
// run_program: runs a lowered Vela program on the loop of the calling task, until nothing can wake it
// any more. Its tasks, timers and I/O are those of gyre.
//
//     const auto lowered = vela::lower(*program);
//     const int exit_code = co_await vela::run_program(*lowered, host);
//
// Thread: that of the calling task's loop.
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
#include "gyre/task/core/future.hpp"
#include "lang/vela/lower/lower.hpp"

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
};

// The outside of a program.
class RunHost {
public:
    virtual ~RunHost() = default;
    // One line of output, without its end.
    virtual void print(std::string_view line) = 0;
    // One line for standard error.
    virtual void report(std::string_view line) = 0;
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
    // Null: not set, or not allowed.
    [[nodiscard]] virtual const char* environment(const std::string& /*name*/) { return nullptr; }
};

// How a program ended, for tests.
struct RunReport {
    int exit_code = 0;
    std::string problem;          // why it could not start
    std::size_t things_left = 0;  // after a last collection, without the constants
    std::size_t collection_count = 0;
    std::uint64_t dead_letter_count = 0;
};

// Functions of the standard surface beyond the core: files, sockets, HTTP.
using NativeLibraries = std::vector<const vm::NativeLibrary*>;

// system:fs, system:net and system:process.
[[nodiscard]] const vm::NativeLibrary* system_library();
// system:http; null where this build has no HTTP.
[[nodiscard]] const vm::NativeLibrary* http_library();

[[nodiscard]] gyre::Future<int> run_program(const Lowered& lowered, RunHost& host,
                                            MachineOptions options = {},
                                            NativeLibraries libraries = {},
                                            RunReport* report = nullptr);

// Faults of the assembled instructions, a line each; empty if the machine may run them.
[[nodiscard]] std::vector<std::string> verify_code(const Lowered& lowered);
// The instructions of each function of the program, as text.
[[nodiscard]] std::string print_code(const Lowered& lowered);

}  // namespace gyre::vela
