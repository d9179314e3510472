// SPDX-License-Identifier: Apache-2.0
// Script: a JavaScript program on a loop, in Node's order. It has an engine with one global object,
// the host library (console, timers, process, modules) and the pump that runs its callbacks.
//
//     script::Script program(clock, system, {.engine = script::v8::make_engine});
//     Loop loop(*platform, program.pump());
//     program.start_file("app.js");
//     const int status = program.run(loop);
//
// Functions of the host are given to a script by name; they are async, and never block the loop:
//
//     program.add_function("fetchUser", [&](script::Call call) { start(std::move(call)); });
//     // const user = await gyre.call('fetchUser', 42);
//
// Thread: the loop's; any for `stop`.
// Lifetime: the clock and the system outlive it; it outlives the loop.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "gyre/job/pump.hpp"
#include "lang/script/engine.hpp"
#include "lang/script/system.hpp"

namespace gyre::script {

// Why a script was stopped from outside.
enum class Stop : std::uint8_t { none, exit, time_limit, memory_limit, cancelled };

struct ScriptOptions {
    EngineFactory engine = nullptr;
    job::Profile order = job::Profile::node;
    std::size_t memory_limit_bytes = 0;
    std::size_t stack_limit_bytes = 0;  // of calls; as in EngineOptions
    std::size_t young_limit_bytes = 0;
    std::optional<std::uint64_t> seed = std::nullopt;
    // Virtual time: how a script reads the time, for Date too. Empty: the clock, and the system's
    // Date.
    std::function<Instant()> read_time = {};
    // Nanoseconds since 1970, for Date, in place of what read_time says.
    std::function<std::int64_t()> read_wall_clock = {};
    // What process.argv has after the program and the file.
    std::vector<std::string> arguments = {};
    // process.execArgv, and the mode of rejections without a handler: throw, strict, warn, none,
    // warn-with-error-codes.
    std::string unhandled_rejections = "throw";
    // Called with a line before each job: ticks, timers, immediates and queueMicrotask callbacks
    // with the name and the place of their function.
    std::function<void(std::string_view)> on_step = {};
    // Tells the observer of the loop of each job, as a task of the trace with the function, its place
    // and the op that caused it.
    bool traces_jobs = false;
    // Jobs of a slice: see job::SchedulerOptions.
    std::uint32_t slice = 1024;
};

class Charsets;
class EngineTasks;
class JobTrace;
class NativeStates;
class SignalWatch;
class Script;

// A call of a host function by a script, which awaits its promise. It is settled once: by one of
// the functions, or by the destructor with an error. Moves; the script outlives it.
class Call {
public:
    Call(Script& script, double id, std::string argument);
    Call(Call&& other) noexcept;
    Call& operator=(Call&&) = delete;
    ~Call();

    // The arguments as a JSON array.
    [[nodiscard]] const std::string& arguments() const noexcept { return arguments_; }
    // Settles the promise with a value, as JSON, or with an Error. A checkpoint follows.
    void resolve(std::string_view json);
    void reject(std::string_view message);

private:
    Script* script_;
    double id_;
    std::string arguments_;
};

using HostFunction = std::function<void(Call)>;
// Takes the arguments as a JSON array, and gives a value as JSON. What it throws is an Error of the
// script.
using DirectFunction = std::function<std::string(std::string_view arguments)>;

class Script final : private job::Host {
public:
    Script(Clock& clock, System& system, ScriptOptions options);
    ~Script() override;
    Script(const Script&) = delete;
    Script& operator=(const Script&) = delete;

    [[nodiscard]] job::Pump& pump() noexcept { return pump_; }
    [[nodiscard]] Engine& engine() noexcept { return *engine_; }

    void add_function(std::string name, HostFunction function);
    // For a function that has its value at once: const sum = gyre.callDirect('add', 1, 2);
    void add_direct_function(std::string name, DirectFunction function);
    // When the pump is attached to a loop. The file decides by its ending and its package.json
    // whether it is a module.
    void start_file(std::string_view path);
    void start_text(std::string_view text, bool is_module = false);
    // The same, and writes the value of the text to standard output.
    void start_print(std::string_view text);
    // A prompt: the library asks the natives of the host for inputs (library/lazy/repl.js).
    void start_repl();
    // Runs the script to its end, and gives its exit status.
    int run(Loop& loop);

    // For a module that adds to the host library (lang/script/world): functions of `natives`, before
    // the start. They outlive the script's last call.
    void add_natives(std::span<const Native> natives);
    // For what such a function has begun. hold keeps the loop alive; post_done releases it, and calls
    // onDone(id, number, text) of the library as a job of the poll phase.
    void hold() { jobs_.hold(); }
    void release() { jobs_.release(); }
    void post_done(double id, double number, std::string text);
    // The same without the release, for what comes more than once.
    void post_event(double id, double number, std::string text);
    // onDone(id, 0, "") as a close callback: behind the immediates of the iteration.
    void post_close(double id);
    // The same from any thread; dropped where more than a million posts wait.
    void post_remote(double id, double number, std::string text);
    [[nodiscard]] System& system() noexcept { return system_; }

    // Any thread: ends the script, also in the middle of a job. Other loops go on.
    void stop(Stop why) noexcept;
    [[nodiscard]] Stop why_stopped() const noexcept;
    [[nodiscard]] int exit_status() const noexcept { return exit_status_; }

private:
    friend class Call;
    friend struct Natives;

    // The ticks, which the library keeps.
    class Ticks final : public job::JobSource {
    public:
        explicit Ticks(Script& script) : script_(script) {}
        std::size_t pending() const noexcept override;
        job::JobsRun run_some(std::size_t max) noexcept override;
        void queue(Callback<> job) override;

    private:
        Script& script_;
    };

    // The immediates, which the library keeps as well.
    class Immediates final : public job::ImmediateSource {
    public:
        explicit Immediates(Script& script) : script_(script) {}
        bool has_any() const noexcept override;
        bool has_batch() const noexcept override;
        std::size_t reference_count() const noexcept override;
        void take_batch() noexcept override;
        job::JobsRun run_batch(std::size_t max) noexcept override;
        void queue_nothing() noexcept override {}  // The library does, when it tells of the error.

    private:
        [[nodiscard]] std::int32_t& word(std::size_t index) const noexcept;
        Script& script_;
    };

    job::AfterError on_error(std::exception_ptr error) override;
    void on_rejection(job::PromiseId promise, const std::any& reason) override;
    void on_rejection_handled(job::PromiseId promise) override;
    void on_before_exit() override;
    void on_exit() override;

    // Runs one microtask a call and tells of it, for on_step and the trace.
    class ToldJobs final : public job::JobSource {
    public:
        explicit ToldJobs(Script& script) : script_(script) {}
        std::size_t pending() const noexcept override;
        job::JobsRun run_some(std::size_t max) noexcept override;
        void queue(Callback<> job) override;

    private:
        Script& script_;
    };
    [[nodiscard]] bool tells_jobs() const noexcept {
        return options_.on_step || options_.traces_jobs;
    }
    void tell_step(std::string_view what, double number);
    void tell(std::string_view line);
    void trace_cause(Hook hook, std::span<const Argument> arguments);

    void start(std::string_view file, std::string_view text, std::string_view kind);
    void run_hook(Hook hook, std::span<const Argument> arguments = {});
    // Runs jobs that the library keeps; it counts them in a shared word.
    job::JobsRun run_kept_jobs(Hook hook, std::size_t max, std::size_t word) noexcept;
    void settle(double id, bool is_fine, std::string_view text);
    // Calls the listeners of a signal, in the poll phase.
    void post_signal(int number);
    void report_start_failure(Outcome outcome);

    Clock& clock_;
    System& system_;
    const ScriptOptions options_;
    const std::thread::id thread_ = std::this_thread::get_id();
    const Instant began_at_;
    std::unique_ptr<Engine> engine_;
    Ticks ticks_{*this};
    Immediates immediates_{*this};
    ToldJobs told_{*this};
    job::Scheduler jobs_;
    job::Pump pump_;
    std::unique_ptr<JobTrace> trace_;  // null without traces_jobs
    bool are_reactions_told_ = false;
    std::unique_ptr<EngineTasks> tasks_;
    std::unique_ptr<SignalWatch> signals_;
    std::unique_ptr<Charsets> charsets_;    // from the first use of one
    std::unique_ptr<NativeStates> states_;  // hashes and compressors
    std::vector<job::JobId> timers_;        // by the library's numbers
    std::vector<Native> natives_;
    std::map<std::string, HostFunction, std::less<>> functions_;
    std::map<std::string, DirectFunction, std::less<>> direct_functions_;
    std::uint64_t random_count_ = 0;
    int exit_status_ = 0;
    struct StopState;
    std::unique_ptr<StopState> stop_;
};

}  // namespace gyre::script
