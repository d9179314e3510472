// SPDX-License-Identifier: Apache-2.0
// One step of one task: checks and applies the answer, runs the guest up to its next request, and
// calls the handler of that request. All checks precede the call of the guest or handler.
#include <utility>

#include "gyre/base/detail/compiler.hpp"
#include "gyre/effect/internal/task_calls.hpp"
#include "gyre/effect/scheduler.hpp"

namespace gyre::effect {

namespace {

// Out of line, to keep the error paths out of the hot step.

[[noreturn, gnu::cold, gnu::noinline]] void throw_bare_request() {
    throw ProtocolError(ErrorKind::invalid_request, "a request without a continuation");
}
[[gnu::noinline]] void check_op(const Guest& guest, const OpInfo* op) {
    if (op != nullptr && guest.has_op(op)) return;
    throw ProtocolError(ErrorKind::op_mismatch, "a request for an op the guest does not have");
}
[[noreturn, gnu::cold, gnu::noinline]] void throw_wrong_kind(const Step& step) {
    throw ProtocolError(ErrorKind::op_mismatch, step.op->name() + " was requested as a " +
                                                    name_of(step.kind) + " op, and is a " +
                                                    name_of(step.op->kind) + " op");
}
[[noreturn, gnu::cold, gnu::noinline]] void throw_wrong_count(const Step& step) {
    throw ProtocolError(ErrorKind::decode_failed, step.op->name() + " has " +
                                                      std::to_string(step.op->param_count) +
                                                      " parameters, and was requested with " +
                                                      std::to_string(step.arguments.size()));
}
[[noreturn, gnu::cold, gnu::noinline]] void throw_wrong_answer(const RunTask& task) {
    throw ProtocolError(ErrorKind::invalid_answer,
                        task.op->name() + " is a " + name_of(task.op->kind) +
                            " op, and was answered with " + name_of(task.answer_kind));
}
[[noreturn, gnu::cold, gnu::noinline]] void throw_wrong_status(StepStatus status) {
    throw ProtocolError(ErrorKind::invalid_status,
                        "status " + std::to_string(static_cast<unsigned>(status)) +
                            " is neither a value nor a request");
}
[[noreturn, gnu::cold, gnu::noinline]] void throw_too_large(const SchedulerOptions& options,
                                                            const char* what) {
    throw ProtocolError(ErrorKind::buffer_overflow,
                        std::string(what) + " is beyond payload_size_max_bytes (" +
                            std::to_string(options.payload_size_max_bytes) +
                            "), or nested deeper than payload_depth_max (" +
                            std::to_string(options.payload_depth_max) + ")");
}

}  // namespace

void Scheduler::step(Run& run) noexcept {
    RunTask& task = run.pop_ready();
    run.pin();
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
    if (run.has_ready()) {
        if (!run.is_linked()) ready_.push_back(run);
    } else if (!run.is_terminal()) {
        run.state = RunState::waiting;
    }
    run.unpin();
}

[[gnu::cold, gnu::noinline]] void Scheduler::fail_by_handler(RunTask& task) {
    if (task.run.recording() != nullptr) record(task);
    fail(task, error_of(std::move(task.failure()), ErrorKind::handler_failed));
}

GYRE_ALWAYS_INLINE Step Scheduler::enter_guest(RunTask& task) {
    Run& run = task.run;
    if (!run.has_begun && task.is_root()) return start_guest(task);
    if (task.is_asking) {
        if (run.recording() != nullptr) record(task);
        check_answer(task);
        if (is_observed()) observe_answer(task);
        task.is_asking = false;
    }
    TaskCalls host(*this, task);
    // The guest owns the continuation now: it is not passed to another call.
    const Continuation at = std::exchange(task.continuation, 0);
    GYRE_ASSERT(at != 0, "a task resumes at a continuation: check_request must refuse 0");
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
void Scheduler::check_size(const Payload& payload, const char* what) const {
    const std::size_t max = options_.payload_size_max_bytes;
    if (payload.size_bytes(max, options_.payload_depth_max) > max) throw_too_large(options_, what);
}

GYRE_ALWAYS_INLINE void Scheduler::take_step(RunTask& task, Step&& step) {
    Run& run = task.run;
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
    }
    throw_wrong_status(step.status);
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

void Scheduler::find_and_ask(RunTask& task, Arguments& arguments) {
    if (task.handler == nullptr) task.handler = task.run.handlers.find(*task.op);
    if (task.handler == nullptr) {
        fail_unhandled(task);
        return;
    }
    try {
        ask(*task.handler, task, arguments);
    } catch (...) {
        // The exception is the answer. A Reply that the handler was given is withdrawn.
        if (task.is_live() && task.waits_for != nullptr) task.waits_for->withdraw();
        accept_failure(task, std::current_exception());
    }
}

[[gnu::cold, gnu::noinline]] void Scheduler::fail_unhandled(RunTask& task) {
    const bool has_others = task.run.handlers.has_other_signature(*task.op);
    fail(task, {.kind = ErrorKind::unhandled_effect,
                .message = "Unhandled effect " + task.op->name() +
                           (has_others ? ": it has handlers for other signatures" : ""),
                .cause = nullptr});
}

GYRE_ALWAYS_INLINE void Scheduler::ask(Handler& handler, RunTask& task, Arguments& arguments) {
    task.wait_for(nullptr);
    switch (handler.style()) {
        case Handler::Style::plain: {
            Context context(task);
            accept(task, handler.call(context, arguments));
            return;
        }
        case Handler::Style::async:
            ask_async(handler, task, arguments);
            return;
        case Handler::Style::reply: {
            auto* pending = new PendingReply(task);
            task.waits_for = pending;
            Context context(task);
            handler.take(context, arguments, Reply(*this, *pending));
            return;
        }
    }
}

[[gnu::noinline]] void Scheduler::ask_async(Handler& handler, RunTask& task, Arguments& arguments) {
    auto work = std::make_unique<HandlerTask>(*scope_, task);
    work->ask(handler, arguments);
    if (task.is_live()) {
        task.waits_for = work.get();
    } else {  // The handler itself ended the task.
        work->withdraw();
    }
    if (!work->begin()) {
        static_cast<void>(work.release());
    } else if (work->is_late()) {
        return;
    } else if (work->outcome().has_value()) {
        accept(task, work->outcome().take());
    } else {
        accept_failure(task, work->outcome().failure());
    }
}

// The answer of the handler or the journal.
void Scheduler::accept(RunTask& task, Answer&& answer) {
    if (!task.is_live()) return;
    if (answer.is_delayed()) {
        accept_later(task, std::move(answer));
        return;
    }
    task.answer_kind = answer.kind();
    task.answer = answer.take_value();
    make_ready(task);
}

[[gnu::noinline]] void Scheduler::accept_later(RunTask& task, Answer&& answer) {
    GYRE_ASSERT(answer.is_delayed(), "an answer without a delay is accepted at once");
    task.wait_for(nullptr);
    const Instant when = loop().now() + answer.delay();
    auto* timer = new AnswerTimer(task, Answer(answer.kind(), answer.take_value()), when);
    timers_.add(*timer);
    task.wait_for(timer);
}

// A failure is an answer too: the run fails in its next step.
[[gnu::cold, gnu::noinline]] void Scheduler::accept_failure(RunTask& task,
                                                            std::exception_ptr failure) {
    if (!task.is_live()) return;
    task.failure() = std::move(failure);
    task.has_failed = true;
    task.answer_kind = AnswerKind::resume;
    make_ready(task);
}

void Scheduler::make_ready(RunTask& task) noexcept {
    GYRE_ASSERT(task.is_live(), "only a task that has not ended can become ready");
    Run& run = task.run;
    task.state = RunTask::State::ready;
    run.push_ready(task);
    if (!run.is_terminal()) run.state = RunState::ready;
    if (run.is_linked()) return;
    ready_.push_back(run);
    ask_for_tick();
}

}  // namespace gyre::effect
