// SPDX-License-Identifier: Apache-2.0
// run: a whole program on this thread. It makes an executor and a loop, starts the main function as
// the first task of the root scope, and turns until that task and all that it started have ended.
// The result says how it ended; failures are reported on standard error.
//
//     Future<int> app(Scope& root);                 // or without the scope, or of another type
//     int main() {
//         SystemClock clock;
//         auto platform = make_platform(clock).value();
//         return run(*platform, app).exit_code();
//     }
//
// Thread: the calling thread, until it returns.
// Lifetime: the platform outlives the call.
//
// - A task of the root scope that fails, main or another one, ends the program: the others are
//   cancelled and joined. The report is the failure, then the awaits it came through.
// - If nothing can wake the waiting tasks (a deadlock), it reports which task waits for what, then
//   cancels them.
// - SIGINT and SIGTERM cancel the root scope. A second one ends the process at once, and so does
//   the end of `stop_within`. SIGPIPE is ignored: a write to a closed pipe gives an Error.
// - SIGQUIT (Ctrl-\) prints which task waits on what, which of them wait for each other, and what
//   keeps the program alive; it goes on. A second one, while the loop is blocked, ends the process.
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "gyre/task/core/scope.hpp"

namespace gyre {

// The exit status of a program. `usage`: a wrong command line or input, or a program that could
// not start (gyre/app/run.hpp).
enum class ExitCode : int { fine = 0, failed = 1, usage = 2, deadlock = 3, cancelled = 4 };

struct RunOptions {
    std::string name = "main";  // of the main task
    bool handles_signals = true;
    // How long tasks may take to end after a signal cancelled them.
    Duration stop_within = std::chrono::seconds(10);
    // If a task blocks the loop for that long, the log says which task, and where, once for each
    // place. 0: no watchdog. In simulated time there is none.
    Duration blocked_after = std::chrono::seconds(1);
    // Whether the first SIGINT prints what SIGQUIT prints, before it cancels.
    bool reports_on_interrupt = false;
    ExecutorOptions executor = {};
    LoopOptions loop = {};
};

enum class RunEnd : std::uint8_t { value, failed, cancelled, deadlock };

// How a program ended. A plain value.
template <class T>
class RunResult {
    using Value = std::conditional_t<std::is_void_v<T>, Unit, T>;

public:
    explicit RunResult(Value value) : value_(std::move(value)) {}
    RunResult(RunEnd end, std::exception_ptr failure) : end_(end), failure_(std::move(failure)) {}

    [[nodiscard]] RunEnd end() const noexcept { return end_; }
    [[nodiscard]] bool has_value() const noexcept { return end_ == RunEnd::value; }
    // The value that main returned; only if has_value().
    [[nodiscard]] const Value& value() const noexcept {
        GYRE_ASSERT(has_value(), "this run ended without a value: ask end() first");
        return *value_;
    }
    // The failure, or the Cancelled; null if it ended with a value.
    [[nodiscard]] std::exception_ptr failure() const noexcept { return failure_; }

    // For the system: the value of a main function that returns int.
    [[nodiscard]] int exit_code() const noexcept {
        switch (end_) {
            case RunEnd::failed:
                return static_cast<int>(ExitCode::failed);
            case RunEnd::cancelled:
                return static_cast<int>(ExitCode::cancelled);
            case RunEnd::deadlock:
                return static_cast<int>(ExitCode::deadlock);
            case RunEnd::value:
                break;
        }
        if constexpr (std::same_as<T, int>) return *value_;
        return static_cast<int>(ExitCode::fine);
    }

private:
    RunEnd end_ = RunEnd::value;
    std::exception_ptr failure_;
    std::optional<Value> value_;
};

class BlockingWatch;

// The part of run that is the same for all main functions.
class ProgramRun {
public:
    ProgramRun(Platform& platform, const RunOptions& options);
    ~ProgramRun();
    ProgramRun(const ProgramRun&) = delete;
    ProgramRun& operator=(const ProgramRun&) = delete;

    [[nodiscard]] Executor& executor() noexcept { return executor_; }
    // Main has ended without a value: cancels the other tasks.
    void on_main_lost() { executor_.root().cancel("the main task has ended without a value"); }
    // Turns until all has ended, the clean-ups of the root scope included.
    void turn();
    // Closes the loop; the destructor does it otherwise. For loops that exchange ops with it, and
    // that must end before its memory does.
    void close() noexcept;
    [[nodiscard]] bool is_deadlocked() const noexcept { return is_deadlocked_; }
    // The failure of the first task of the root scope, or of a clean-up.
    [[nodiscard]] std::exception_ptr failure() const noexcept { return failure_; }
    void say_cancelled(const std::exception_ptr& cancelled) const;

private:
    class StopSignals;

    void turn_until_tasks_end();
    void end_deadlock();

    const RunOptions& options_;
    Executor executor_;
    Loop loop_;
    std::unique_ptr<StopSignals> signals_;
    std::unique_ptr<BlockingWatch> watch_;
    std::exception_ptr failure_;
    bool is_deadlocked_ = false;
};

template <class F>
    requires AsyncFunction<F> || AsyncFunction<F, Scope&>
auto spawn_main(Scope& root, F main) {
    if constexpr (AsyncFunction<F, Scope&>) {
        return root.spawn([body = std::move(main)](Scope* scope) mutable { return body(*scope); },
                          &root);
    } else {
        return root.spawn(std::move(main));
    }
}

// Runs the main function to its end, in a run that has just been made.
template <class F>
auto run_main(ProgramRun& program, F main, const std::string& name) {
    auto handle = spawn_main(program.executor().root(), std::move(main));
    handle.set_name(name);
    auto& outcome = handle.outcome();
    handle.on_complete([&] {
        if (!outcome.has_value()) program.on_main_lost();
    });
    program.turn();

    using T = typename decltype(handle)::value_type;
    if (program.is_deadlocked()) return RunResult<T>(RunEnd::deadlock, program.failure());
    if (program.failure() != nullptr) return RunResult<T>(RunEnd::failed, program.failure());
    if (!outcome.has_value()) {
        program.say_cancelled(outcome.failure());
        return RunResult<T>(RunEnd::cancelled, outcome.failure());
    }
    if constexpr (std::is_void_v<T>) {
        return RunResult<T>(Unit{});
    } else {
        return RunResult<T>(outcome.take());
    }
}

template <class F>
auto run(Platform& platform, F main, RunOptions options = {}) {
    ProgramRun program(platform, options);
    return run_main(program, std::move(main), options.name);
}

}  // namespace gyre
