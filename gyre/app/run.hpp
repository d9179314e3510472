// SPDX-License-Identifier: Apache-2.0
// run: a whole program in one call. It makes the platform, the threads for blocking work and the
// trace, runs the main function as the first task until it and all tasks that it started have
// ended, and gives the exit status.
//
//     Future<void> app() { co_await sleep(1s); }    // or Future<int>: the exit status
//     int main() { return gyre::run(app); }
//
// Thread: the calling thread, until it returns.
// Lifetime: all that it makes ends with the call.
//
// Options are given by name, and what they leave open the environment may choose:
//
//     gyre::run(app, {.platform = "sim", .seed = 7});        // in virtual time, repeatable
//
// With several loops the main function runs on the first one. It takes the Program, to start work
// on the others:
//
//     Future<void> serve_all(Program& program) { co_await on_each(program, serve); }
//     int main() { return gyre::run(serve_all, {.loops = 4}); }
//
// When the first loop has ended, the others end: tasks that are left there are cancelled.
//
// The exit status is the value of a main function that returns int, else 0; 1: a task failed; 2:
// the program could not start; 3: deadlock; 4: the main function was cancelled. Failures are
// reported on standard error, and signals are handled, as gyre/task/core/run.hpp says.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "gyre/app/program.hpp"
#include "gyre/task/core/run.hpp"
#include "gyre/task/thread/on.hpp"

namespace gyre {

// A main function: async, with the root scope, the program or nothing as its parameter.
template <class F>
concept MainFunction = AsyncFunction<F> || AsyncFunction<F, Scope&> || AsyncFunction<F, Program&>;

// For tests, and to look at the value: runs a program once, and gives the RunResult.
template <MainFunction F>
auto run(Program& program, F main) {
    ProgramRun first(program.platform(), program.run_options());
    const OtherLoops others(program, first);
    const std::string& name = program.run_options().name;
    if constexpr (AsyncFunction<F, Program&>) {
        auto with_program = [body = std::move(main), &program]() mutable { return body(program); };
        return run_main(first, std::move(with_program), name);
    } else {
        return run_main(first, std::move(main), name);
    }
}

// Reports on standard error why a program could not start, and gives the exit status.
[[nodiscard]] int not_started(const StartError& why) noexcept;

template <MainFunction F>
[[nodiscard]] int run(F main, const ProgramOptions& options = {}) {
    try {
        Program program(options);
        return run(program, std::move(main)).exit_code();
    } catch (const StartError& error) {
        return not_started(error);
    }
}

// Calls an async function on every loop of the program, each with a copy, and awaits them all. If
// one fails, the others are cancelled, and the failure is thrown.
template <AsyncFunction F>
Future<void> on_each(Program& program, F function) {
    co_await with_scope([&](Scope& scope) -> Future<void> {
        for (std::uint32_t number = 1; number <= program.loop_count(); ++number) {
            scope.spawn([there = program.loop(number), function]() -> Future<void> {
                co_await on(there, function);
            });
        }
        co_return;
    });
}

}  // namespace gyre
