// SPDX-License-Identifier: Apache-2.0
// The tick of a Scheduler, the one place that defines the order of work, and the step of one task:
// checks and applies the answer, runs the guest up to its next request, and dispatches that. All
// checks precede the call of the guest or handler.
#include "gyre/effect/scheduler.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "gyre/base/detail/compiler.hpp"
#include "gyre/base/failure.hpp"
#include "gyre/effect/internal/completion.hpp"
#include "gyre/effect/internal/protocol_errors.hpp"
#include "gyre/effect/internal/task_calls.hpp"
#include "gyre/kernel/detail/turn_share.hpp"

namespace gyre::effect {

// One tick: moves due timers to the completions, moves completions to the ready queue, runs ready
// steps up to the budget of steps, preemptions and time, yields to the loop.
void Scheduler::tick(Instant now) {
    if (share_->is_spent(loop())) {  // Timers and I/O of the loop go first.
        tick_again();
        return;
    }
    ++counts_.ticks;
    is_ticking_ = true;

    move_due_timers(now);
    move_completions();
    if (!run_ready()) share_->spend(loop());

    GYRE_ASSERT(is_ticking_, "a tick must not start another tick");
    is_ticking_ = false;
    if (!ready_.empty() || !completions_.empty()) tick_again();
    wait_for_next_timer();
}

// The earliest first; timers of one instant in the order of their starts.
void Scheduler::move_due_timers(Instant now) noexcept {
    // Only wake_ completes here; it needs no action.
    while (next_completion() != nullptr) continue;
    while (!timers_.empty() && timers_.front().deadline <= now) {
        AnswerTimer& timer = timers_.front();
        timers_.remove(timer);
        completions_.push_back(timer);
    }
}

// All completions so far, in their order. A completion of a run that has ended is dropped.
void Scheduler::move_completions() noexcept {
    while (Completion* completion = completions_.pop_front()) {
        if (completion->is_late()) {
            ++counts_.late_completions;
        } else {
            RunTask& task = completion->task();
            if (std::exception_ptr failure = completion->failure()) {
                accept_failure(task, std::move(failure));
            } else {
                accept(task, completion->take());
            }
        }
        completion->free();
    }
}

// The answer of the handler or the journal.
void Scheduler::accept(RunTask& task, Answer&& answer) {
    if (!task.is_live()) return;
    if (answer.is_delayed()) {
        accept_later(task, std::move(answer));
        return;
    }
    if (is_to_be_recorded(task) && is_kept(task)) {  // By a slow journal: the task has its answer.
        make_ready(task);
        return;
    }
    task.answer_kind = answer.kind();
    task.answer = answer.take_value();
    if (is_to_be_recorded(task) && !record(task)) return;
    make_ready(task);
}

[[gnu::noinline]] void Scheduler::accept_later(RunTask& task, Answer&& answer) {
    GYRE_ASSERT(answer.is_delayed(), "an answer without a delay is accepted at once");
    task.wait_for(nullptr);
    const Instant when = loop().now() + answer.delay();
    timers_.reserve_one();
    auto* timer = new AnswerTimer(task, Answer(answer.kind(), answer.take_value()), when,
                                  ++last_timer_number_);
    timers_.add(*timer);
    task.wait_for(timer);
}

// A failure is an answer too: the run fails in its next step.
[[gnu::cold, gnu::noinline]] void Scheduler::accept_failure(RunTask& task,
                                                            std::exception_ptr failure) {
    if (!task.is_live()) return;
    const bool is_of_journal = is_to_be_recorded(task) && is_kept(task);
    task.failure() = std::move(failure);
    task.has_failed = true;
    task.answer_kind = AnswerKind::resume;
    if (!is_of_journal && is_to_be_recorded(task) && !record(task)) return;
    make_ready(task);
}

void Scheduler::make_ready(RunTask& task) noexcept {
    GYRE_DEBUG_ASSERT(task.is_live(), "only a task that has not ended can become ready");
    Run& run = task.run;
    task.state = RunTask::State::ready;
    run.push_ready(task);
    if (!run.is_terminal()) run.state = RunState::ready;
    if (run.is_linked()) return;
    ready_.push_back(run);
    ask_for_tick();
}

// Round robin: a run that is ready again goes to the end of the queue. False: the budget is used up.
bool Scheduler::run_ready() noexcept {
    const std::uint64_t preemptions_end = counts_.preemptions + options_.preemptions_per_tick_max;
    share_->begin(loop());
    std::uint32_t done = 0;  // since the clock was read
    for (std::uint32_t left = options_.steps_per_tick_max; left > 0; --left) {
        Run* run = ready_.pop_front();
        if (run == nullptr) return true;
        const bool is_engine = run->is_engine;
        if (is_engine) share_->begin_long(loop());
        step(*run);
        ++done;
        if (!is_engine && done < share_->pieces()) continue;
        if (share_->is_used_up(loop(), std::exchange(done, 0))) return false;
        const bool is_counted = is_engine && !share_->is_timed(loop());
        if (is_counted && counts_.preemptions >= preemptions_end) return false;
    }
    return false;
}

void Scheduler::step(Run& run) noexcept {
    RunTask& task = run.pop_ready();
    run.pin();
    run.is_stepping = true;
    ++counts_.steps;
    if (task.has_failed) {
        fail_by_handler(task);
    } else {
        try {
            take_step(task, enter_guest(task));
        } catch (...) {
            fail(task, error_of(std::current_exception(), ErrorKind::guest_failed));
        }
    }
    if (!run.has_ready() && run.recording() != nullptr) resume_replay(run);
    if (run.has_ready()) {
        if (!run.is_linked()) ready_.push_back(run);
    } else if (!run.is_terminal()) {
        run.state = RunState::waiting;
    }
    run.is_stepping = false;
    if (run.is_closed) leave_guest(run);
    run.unpin();
}

GYRE_ALWAYS_INLINE Step Scheduler::enter_guest(RunTask& task) {
    Run& run = task.run;
    if (!run.has_begun && task.is_root()) return start_guest(task);
    if (task.is_asking) {
        check_answer(task);
        if (is_observed()) observe_answer(task);
        task.is_asking = false;
    }
    TaskCalls host(*this, task);
    // The guest owns the continuation now: it is not passed to another call.
    const Continuation at = std::exchange(task.continuation, 0);
    GYRE_DEBUG_ASSERT(at != 0, "a task resumes at a continuation: check_request must refuse 0");
    if (task.answer_kind == AnswerKind::end) return run.guest.end(at, std::move(task.answer), host);
    return run.guest.resume(at, std::move(task.answer), host);
}

[[gnu::noinline]] Step Scheduler::start_guest(RunTask& task) {
    Run& run = task.run;
    TaskCalls host(*this, task);
    const std::unique_ptr<Run::Beginning> beginning = run.take_beginning();
    GYRE_ASSERT(beginning != nullptr, "the first step of a run needs the entry of add_run");
    if (is_observed())
        observe({.kind = RunEventKind::started,
                 .run = run.id,
                 .task = task.id,
                 .arguments = &beginning->arguments,
                 .text = beginning->entry});
    GYRE_ASSERT(!run.is_in_guest, "a run begins once in its guest");
    run.guest.begin_run(run.id);
    run.is_in_guest = true;
    return run.guest.start(beginning->entry, std::move(beginning->arguments), host);
}

GYRE_ALWAYS_INLINE void Scheduler::check_answer(const RunTask& task) const {
    const bool fits = task.op->kind == ResumeKind::tail ? task.answer_kind == AnswerKind::tail
                                                        : task.answer_kind == AnswerKind::resume ||
                                                              task.answer_kind == AnswerKind::end;
    if (!fits) throw_wrong_answer(task);
    check_size(task.answer, "the answer");
}

GYRE_ALWAYS_INLINE void Scheduler::check_request(const RunTask& task, const Step& step) const {
    if (step.continuation == 0) throw_bare_request();
    // A repeated request was checked the first time.
    if (step.op != task.op || step.op == nullptr) check_op(task.run.guest, step.op);
    if (step.kind != step.op->kind) throw_wrong_kind(step);
    const std::uint8_t wanted = step.op->param_count;
    if (wanted != OpInfo::any_count && wanted != step.arguments.size()) throw_wrong_count(step);
    check_size(step.arguments, "the request");
}

template <class Payload>
GYRE_ALWAYS_INLINE void Scheduler::check_size(const Payload& payload, const char* what) const {
    const std::size_t max = options_.payload_size_max_bytes;
    if (payload.size_bytes(max, options_.payload_depth_max) > max) throw_too_large(options_, what);
}

GYRE_ALWAYS_INLINE void Scheduler::take_step(RunTask& task, Step&& step) {
    Run& run = task.run;
    if (step.held != 0) keep_held(task, step);
    if (!task.is_live()) {  // The task was cancelled while it ran.
        if (step.continuation != 0) run.guest.release(step.continuation);
        return;
    }
    task.continuation = step.continuation;
    switch (step.status) {
        case StepStatus::value:
            check_size(step.value, "the value");
            complete(task, std::move(step.value));
            return;
        case StepStatus::effect:
            check_request(task, step);
            if (task.op != step.op) {
                task.op = step.op;
                task.handler = nullptr;
            }
            task.is_asking = true;
            dispatch(task, step.arguments);
            return;
        case StepStatus::wait:
            wait_for(task, step.capability);
            return;
        case StepStatus::yield:
            if (is_observed())
                observe({.kind = RunEventKind::yielded, .run = run.id, .task = task.id});
            accept(task, effect::resume());
            return;
        case StepStatus::preempted:
            take_preempted(task);
            return;
    }
    throw_wrong_status(step.status);
}

// No event and no entry of a journal: where an engine stops its guest is no part of what the run
// does. The run goes to the end of the ready queue, the task to the head of its run's.
[[gnu::noinline]] void Scheduler::take_preempted(RunTask& task) {
    if (task.continuation == 0) throw_bare_request();
    GYRE_ASSERT(!task.is_asking, "an engine stops a guest inside a step, not at a request");
    ++counts_.preemptions;
    task.state = RunTask::State::ready;
    task.answer_kind = AnswerKind::resume;
    task.answer = Value();
    task.run.push_preempted(task);
}

// Only a task inside a run ends with a value that stays in the guest; any other is dropped.
[[gnu::noinline]] void Scheduler::keep_held(RunTask& task, const Step& step) noexcept {
    if (task.is_live() && !task.is_root() && step.status == StepStatus::value) {
        static_cast<ChildTask&>(task).held = step.held;
    } else {
        task.run.guest.drop(step.held);
    }
}

[[gnu::cold, gnu::noinline]] void Scheduler::observe_answer(const RunTask& task) const noexcept {
    observe({.kind = RunEventKind::answered,
             .run = task.run.id,
             .task = task.id,
             .op = task.op,
             .answer = task.answer_kind,
             .value = &task.answer});
}

GYRE_ALWAYS_INLINE void Scheduler::dispatch(RunTask& task, Arguments& arguments) {
    Run& run = task.run;
    if (is_observed())
        observe({.kind = RunEventKind::performed,
                 .run = run.id,
                 .task = task.id,
                 .op = task.op,
                 .arguments = &arguments});
    if (run.recording() == nullptr || !replay(task, arguments)) find_and_ask(task, arguments);
}

// An early or needless wake causes a tick that arms the timer again.
void Scheduler::wait_for_next_timer() noexcept {
    if (timers_.empty()) {
        Machine::cancel(wake_);
    } else if (!wake_.is_in_flight()) {
        wake_.deadline = timers_.front().deadline;
        submit(wake_);
    } else if (timers_.front().deadline != wake_.deadline) {
        Machine::cancel(wake_);
    }
}

void Scheduler::on_completed(Completion& completion) noexcept {
    completions_.push_back(completion);
    ask_for_tick();
}

void Scheduler::withdraw(AnswerTimer& timer) noexcept {
    timers_.remove(timer);
    on_completed(timer);
}

void Scheduler::ask_for_tick() noexcept {
    if (!is_ticking_ && is_attached()) tick_again();
}

Scheduler::Scheduler(Executor& executor, SchedulerOptions options)
    : Machine("effects"),
      executor_(executor),
      options_(std::move(options)),
      share_(std::make_unique<TurnShare>(options_.time_per_tick_max)),
      random_(options_.seed),
      scope_(std::in_place, executor, nullptr,
             ScopeOptions{.name = "effect handlers", .cancels_on_failure = false}) {
    options_.steps_per_tick_max = std::max(options_.steps_per_tick_max, 1u);
    options_.preemptions_per_tick_max = std::max(options_.preemptions_per_tick_max, 1u);
    executor_.add_child(*this);
}

// Completions of handlers that are still suspended are freed with their tasks.
Scheduler::~Scheduler() {
    is_ticking_ = true;  // No further tick.
    cancel_all("the scheduler goes");
    scope_.reset();
    while (Completion* completion = completions_.pop_front()) completion->free();
    GYRE_ASSERT(runs_.size() == 0, "cancel_all must end every run of the scheduler");
}

void Scheduler::on_close() {
    is_closing_ = true;
    cancel_all("the loop closes");
    scope_->cancel("the loop closes");
}

Run& Scheduler::add_run(Guest& guest, const Handlers& handlers, std::string_view entry,
                        Arguments arguments, StartOptions options) {
    GYRE_ASSERT(is_attached(), "start a run while the executor is attached to its loop");
    GYRE_ASSERT(!is_closing_, "start a run before the loop closes");
    if (runs_.size() >= options_.run_count_max) {
        throw LimitError("start a run", "run_count_max", options_.run_count_max);
    }
    auto beginning = std::make_unique<Run::Beginning>();
    beginning->entry = entry;
    beginning->arguments = std::move(arguments);
    runs_.reserve_one();
    Run& run = *new Run(*this, ++last_id_, guest, handlers);
    runs_.add(run);
    run.set_beginning(std::move(beginning));
    if (options.journal != nullptr) {
        run.need_extras().recording = std::make_unique<Run::Recording>();
        run.recording()->journal = options.journal;
    }
    make_ready(run.root);
    GYRE_ASSERT(!run.has_begun, "add_run only queues a run: its first step is in a tick");
    return run;
}

}  // namespace gyre::effect
