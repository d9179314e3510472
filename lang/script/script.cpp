// SPDX-License-Identifier: Apache-2.0
#include "lang/script/script.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>

#include "gyre/base/assert.hpp"
#include "gyre/base/detail/atomic.hpp"
#include "lang/script/internal/charsets.hpp"
#include "lang/script/internal/engine_tasks.hpp"
#include "lang/script/internal/job_trace.hpp"
#include "lang/script/internal/library.hpp"
#include "lang/script/internal/native_states.hpp"
#include "lang/script/internal/natives.hpp"
#include "lang/script/internal/signal_watch.hpp"

namespace gyre::script {
namespace {

// A value was thrown that the engine keeps; it leaves a callback of the pump as this.
struct ScriptThrew {};

// For --steps, by hook.
constexpr std::array<std::string_view, hook_names.size()> step_names = {"the main script",
                                                                        "ticks",
                                                                        "timer",
                                                                        "immediate",
                                                                        "a promise",
                                                                        "unhandled rejection",
                                                                        "a rejection is handled",
                                                                        "uncaught error",
                                                                        "beforeExit",
                                                                        "exit",
                                                                        "signal",
                                                                        "input",
                                                                        "a call of the host ends",
                                                                        "a call of the system ends",
                                                                        "import",
                                                                        "import.meta",
                                                                        "resolve"};

// The Date of a script in virtual time begins here: 14 November 2023.
constexpr double virtual_date_ms = 1'700'000'000'000;

EngineOptions engine_options(const ScriptOptions& options) {
    EngineOptions made{.memory_limit_bytes = options.memory_limit_bytes,
                       .stack_limit_bytes = options.stack_limit_bytes,
                       .young_limit_bytes = options.young_limit_bytes,
                       .seed = options.seed,
                       .date = {}};
    if (options.read_wall_clock) {
        made.date = [read = options.read_wall_clock] {
            return static_cast<double>(read() / 1'000'000);
        };
    } else if (options.read_time) {
        made.date = [read = options.read_time, began_at = options.read_time()] {
            return virtual_date_ms + static_cast<double>((read() - began_at).count() / 1'000'000);
        };
    }
    return made;
}

}  // namespace

struct Script::StopState {
    Atomic<Stop> why{Stop::none};
    // That `run` turns: what the host does for a script that was stopped does not hold it up.
    Atomic<Loop*> loop{nullptr};
};

Script::Script(Clock& clock, System& system, ScriptOptions options)
    : clock_(clock),
      system_(system),
      options_(std::move(options)),
      began_at_(clock.now()),
      engine_(options_.engine(engine_options(options_))),
      jobs_(clock, *this,
            {.profile = options_.order,
             .microtasks =
                 tells_jobs() ? static_cast<job::JobSource*>(&told_) : &engine_->microtasks(),
             .ticks = &ticks_,
             .immediates = &immediates_,
             .slice = options_.slice}),
      pump_(jobs_, "script"),
      tasks_(std::make_unique<EngineTasks>(*engine_, jobs_)),
      signals_(std::make_unique<SignalWatch>([this](int number) { post_signal(number); })),
      stop_(std::make_unique<StopState>()) {
    add_natives(Natives::table());
    add_natives(Natives::crypto_table());
    pump_.add_child(*tasks_);
    pump_.add_child(*signals_);
    if (!options_.traces_jobs) return;
    trace_ = std::make_unique<JobTrace>(pump_);
    are_reactions_told_ = engine_->tell_reactions([this](std::string_view line) { tell(line); });
}

Script::~Script() {
    functions_.clear();
}

void Script::add_function(std::string name, HostFunction function) {
    functions_.insert_or_assign(std::move(name), std::move(function));
}

void Script::add_direct_function(std::string name, DirectFunction function) {
    direct_functions_.insert_or_assign(std::move(name), std::move(function));
}

void Script::add_natives(std::span<const Native> natives) {
    natives_.insert(natives_.end(), natives.begin(), natives.end());
}

void Script::post_done(double id, double number, std::string text) {
    if (pump_.is_stopped()) return;
    jobs_.release();
    post_event(id, number, std::move(text));
}

void Script::post_event(double id, double number, std::string text) {
    if (pump_.is_stopped()) return;
    jobs_.queue_callback([this, id, number, text = std::move(text)] {
        const Argument arguments[] = {id, number, std::string_view(text)};
        run_hook(Hook::on_done, arguments);
    });
}

void Script::post_close(double id) {
    if (pump_.is_stopped()) return;
    jobs_.queue_close([this, id] {
        const Argument arguments[] = {id, 0.0, std::string_view()};
        run_hook(Hook::on_done, arguments);
    });
}

void Script::start_file(std::string_view path) {
    start(path, {}, "file");
}

void Script::start_text(std::string_view text, bool is_module) {
    start({}, text, is_module ? "module" : "script");
}

void Script::start_print(std::string_view text) {
    start({}, text, "print");
}

void Script::start_repl() {
    start({}, {}, "repl");
}

void Script::post_remote(double id, double number, std::string text) {
    if (std::this_thread::get_id() == thread_) return post_event(id, number, std::move(text));
    static_cast<void>(jobs_.post([this, id, number, text = std::move(text)] {
        const Argument arguments[] = {id, number, std::string_view(text)};
        run_hook(Hook::on_done, arguments);
    }));
}

// The library runs before the main script, in the same job.
void Script::start(std::string_view file, std::string_view text, std::string_view kind) {
    tasks_->open();
    pump_.start(
        [this, file = std::string(file), text = std::string(text), kind = std::string(kind)] {
            const Outcome outcome =
                engine_->start(library_files(), natives_, this, Natives::config(*this));
            if (outcome != Outcome::done) return report_start_failure(outcome);
            const Argument arguments[] = {std::string_view(file), std::string_view(text),
                                          std::string_view(kind)};
            run_hook(Hook::run_main, arguments);
        });
}

void Script::report_start_failure(Outcome outcome) {
    if (outcome == Outcome::threw)
        system_.write(2, "the host library: " + engine_->thrown_text() + "\n");
    exit_status_ = 1;
    pump_.stop();
}

// What the script throws leaves as a C++ exception, to the pump.
void Script::run_hook(Hook hook, std::span<const Argument> arguments) {
    // The library tells of callbacks, with their places.
    if (trace_ != nullptr) trace_cause(hook, arguments);
    if (tells_jobs() && hook != Hook::run_timer) {
        const bool has_number = !arguments.empty() && !arguments.front().is_text;
        tell_step(step_names[static_cast<std::size_t>(hook)],
                  has_number ? arguments.front().number : -1);
    }
    const Outcome outcome = engine_->call(hook, arguments);
    if (trace_ != nullptr) trace_->end();
    if (outcome == Outcome::threw) throw ScriptThrew();
    if (outcome == Outcome::stopped)
        stop(engine_->is_out_of_memory() ? Stop::memory_limit : Stop::cancelled);
}

job::JobsRun Script::run_kept_jobs(Hook hook, std::size_t max, std::size_t word) noexcept {
    const std::span<std::int32_t> words = engine_->shared_words();
    words[word] = 0;
    const Argument arguments[] = {static_cast<double>(max)};
    const Outcome outcome = engine_->call(hook, arguments);
    if (trace_ != nullptr) trace_->end();
    job::JobsRun ran{.count = static_cast<std::size_t>(words[word]), .error = nullptr};
    if (outcome == Outcome::threw) ran.error = std::make_exception_ptr(ScriptThrew());
    if (outcome == Outcome::stopped) {
        std::ranges::fill(words, 0);  // No job runs any more.
        stop(engine_->is_out_of_memory() ? Stop::memory_limit : Stop::cancelled);
    }
    return ran;
}

int Script::run(Loop& loop) {
    stop_->loop.store(&loop);
    // Threads of the engine may still have something for a script that waits for nothing else.
    while (loop.run() == Loop::End::idle && engine_->drain_tasks() &&
           engine_->microtasks().pending() > 0) {
        jobs_.request_checkpoint();
    }
    if (why_stopped() == Stop::none) static_cast<void>(job::run_to_exit(loop, pump_));
    stop_->loop.store(nullptr);
    switch (why_stopped()) {
        case Stop::none:
        case Stop::exit:
            return exit_status_;
        default:
            return 4;
    }
}

void Script::stop(Stop why) noexcept {
    Stop none = Stop::none;
    stop_->why.compare_exchange_strong(none, why);
    engine_->terminate();
    pump_.stop();
    if (Loop* const loop = stop_->loop.load()) loop->stop();
}

Stop Script::why_stopped() const noexcept {
    return stop_->why.load();
}

void Script::post_signal(int number) {
    // The post is dropped when the queue of posts is full: signals may be merged.
    static_cast<void>(jobs_.post([this, number] {
        const Argument arguments[] = {static_cast<double>(number)};
        run_hook(Hook::on_signal, arguments);
    }));
}

// ---- The host of the jobs ----

job::AfterError Script::on_error(std::exception_ptr error) {
    try {
        std::rethrow_exception(std::move(error));
    } catch (const ScriptThrew&) {
        Outcome outcome = engine_->call_with_thrown(Hook::on_uncaught);
        // A handler of the script threw: the library ends the program.
        if (outcome == Outcome::threw) outcome = engine_->call_with_thrown(Hook::on_uncaught);
        const bool is_handled = outcome == Outcome::done && engine_->result() == 1;
        // A listener of 'exit' may have set the status to 0.
        const bool has_exited = why_stopped() == Stop::exit;
        if (!is_handled && !has_exited && exit_status_ == 0) exit_status_ = 1;
        return is_handled ? job::AfterError::go_on : job::AfterError::stop;
    } catch (const std::exception& failure) {
        system_.write(2, std::string("gyre: ") + failure.what() + "\n");
    }
    if (exit_status_ == 0) exit_status_ = 1;
    return job::AfterError::stop;
}

void Script::on_rejection(job::PromiseId promise, const std::any& /*reason*/) {
    const Argument arguments[] = {static_cast<double>(promise)};
    run_hook(Hook::on_rejection, arguments);
}

void Script::on_rejection_handled(job::PromiseId promise) {
    const Argument arguments[] = {static_cast<double>(promise)};
    run_hook(Hook::on_rejection_handled, arguments);
}

void Script::on_before_exit() {
    static_cast<void>(engine_->drain_tasks());
    run_hook(Hook::on_before_exit);
}

void Script::on_exit() {
    run_hook(Hook::on_exit);
}

// ---- Steps ----

void Script::tell_step(std::string_view what, double number) {
    std::string line(what);
    if (number >= 0) line += " " + std::to_string(static_cast<std::int64_t>(number));
    tell(line);
}

void Script::tell(std::string_view line) {
    if (trace_ != nullptr) trace_->begin(line);
    if (options_.on_step) options_.on_step(line);
}

void Script::trace_cause(Hook hook, std::span<const Argument> arguments) {
    switch (hook) {
        case Hook::run_timer:
        case Hook::on_signal:
        case Hook::on_input:
            return trace_->set_cause(pump_.cause());
        case Hook::settle:
            return trace_->enter_call(arguments.front().number);
        case Hook::run_main:
        case Hook::on_before_exit:
        case Hook::on_exit:
            return trace_->set_cause({});
        default:  // of the job that runs
            return;
    }
}

// ---- Host functions ----

Call::Call(Script& script, double id, std::string argument)
    : script_(&script), id_(id), arguments_(std::move(argument)) {}

Call::Call(Call&& other) noexcept
    : script_(std::exchange(other.script_, nullptr)),
      id_(other.id_),
      arguments_(std::move(other.arguments_)) {}

Call::~Call() {
    if (script_ != nullptr) reject("the host dropped the call");
}

void Call::resolve(std::string_view json) {
    GYRE_ASSERT(script_ != nullptr, "a call is settled once");
    std::exchange(script_, nullptr)->settle(id_, true, json);
}

void Call::reject(std::string_view message) {
    GYRE_ASSERT(script_ != nullptr, "a call is settled once");
    std::exchange(script_, nullptr)->settle(id_, false, message);
}

// Outside of a job: the promise's reactions follow in a checkpoint.
void Script::settle(double id, bool is_fine, std::string_view text) {
    const Argument arguments[] = {id, is_fine ? 1.0 : 0.0, text};
    if (trace_ != nullptr) trace_cause(Hook::settle, arguments);
    static_cast<void>(engine_->call(Hook::settle, arguments));
    jobs_.release();
    jobs_.request_checkpoint();
}

}  // namespace gyre::script
