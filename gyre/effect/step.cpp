// SPDX-License-Identifier: Apache-2.0
// One step of one task: the answer is checked and applied, the guest runs up to its next request,
// and the handler for that is asked. All checks come before anything touches the guest or a
// handler.
#include <utility>

#include "gyre/effect/internal/host.hpp"
#include "gyre/effect/scheduler.hpp"

namespace gyre::effect {

void Scheduler::step(Run& run) noexcept {
    RunTask& task = run.pop_ready();
    pin(run);
    ++counts_.steps;
    if (task.failure != nullptr) {
        if (run.recording() != nullptr) record(task);
        fail(task, error_of(std::move(task.failure), ErrorKind::handler_failed));
    } else {
        try {
            take_step(task, enter_guest(task));
        } catch (...) {
            fail(task, error_of(std::current_exception(), ErrorKind::guest_failed));
        }
    }
    if (run.first_ready != nullptr) {
        if (!run.is_linked()) ready_.push_back(run);
    } else if (!run.is_terminal()) {
        run.state = RunState::waiting;
    }
    unpin(run);
}

Step Scheduler::enter_guest(RunTask& task) {
    Run& run = task.run;
    Host host(*this, task);
    if (run.beginning != nullptr && task.is_root()) {
        const std::unique_ptr<Run::Beginning> beginning = std::move(run.beginning);
        if (is_observed())
            observe({.kind = RunEventKind::started,
                     .run = run.id,
                     .task = task.id,
                     .arguments = &beginning->arguments,
                     .text = beginning->entry});
        return run.guest.start(beginning->entry, std::move(beginning->arguments), host);
    }
    if (task.is_asking) {
        if (run.recording() != nullptr) record(task);
        check_answer(task);
        if (is_observed())
            observe({.kind = RunEventKind::answered,
                     .run = run.id,
                     .task = task.id,
                     .op = task.op,
                     .answer = task.answer_kind,
                     .value = &task.answer});
        task.is_asking = false;
    }
    // From here on the guest has it: it is never given to another call.
    const Continuation at = std::exchange(task.continuation, 0);
    if (task.answer_kind == AnswerKind::end) return run.guest.end(at, std::move(task.answer), host);
    return run.guest.resume(at, std::move(task.answer), host);
}

void Scheduler::check_answer(const RunTask& task) const {
    const bool fits = task.op->kind == ResumeKind::tail ? task.answer_kind == AnswerKind::tail
                                                        : task.answer_kind == AnswerKind::resume ||
                                                              task.answer_kind == AnswerKind::end;
    if (!fits) {
        throw ProtocolError(ErrorKind::invalid_answer,
                            task.op->name() + " is a " + name_of(task.op->kind) +
                                " op, and was answered with " + name_of(task.answer_kind));
    }
    check_size(task.answer.size_bytes(options_.payload_size_max_bytes, options_.payload_depth_max),
               "the answer");
}

void Scheduler::check_request(const RunTask& task, const Step& step) const {
    if (step.continuation == 0) {
        throw ProtocolError(ErrorKind::invalid_request, "a request without a continuation");
    }
    // One that it has asked before was looked at then.
    if (step.op == nullptr || (step.op != task.op && !task.run.guest.has_op(step.op))) {
        throw ProtocolError(ErrorKind::op_mismatch, "a request for an op the guest does not have");
    }
    if (step.kind != step.op->kind) {
        throw ProtocolError(ErrorKind::op_mismatch, step.op->name() + " was requested as a " +
                                                        name_of(step.kind) + " op, and is a " +
                                                        name_of(step.op->kind) + " op");
    }
    const std::uint8_t wanted = step.op->param_count;
    if (wanted != OpInfo::any_count && wanted != step.arguments.size()) {
        throw ProtocolError(ErrorKind::decode_failed, step.op->name() + " has " +
                                                          std::to_string(wanted) +
                                                          " parameters, and was requested with " +
                                                          std::to_string(step.arguments.size()));
    }
    check_size(
        step.arguments.size_bytes(options_.payload_size_max_bytes, options_.payload_depth_max),
        "the request");
}

void Scheduler::check_size(std::size_t size_bytes, const char* what) const {
    if (size_bytes <= options_.payload_size_max_bytes) return;
    throw ProtocolError(ErrorKind::buffer_overflow,
                        std::string(what) + " is beyond payload_size_max_bytes (" +
                            std::to_string(options_.payload_size_max_bytes) +
                            "), or nested deeper than payload_depth_max (" +
                            std::to_string(options_.payload_depth_max) + ")");
}

void Scheduler::take_step(RunTask& task, Step&& step) {
    Run& run = task.run;
    if (!task.is_live()) {  // It was cancelled while it ran.
        if (step.continuation != 0) run.guest.release(step.continuation);
        return;
    }
    task.continuation = step.continuation;
    switch (step.status) {
        case StepStatus::value:
            check_size(
                step.value.size_bytes(options_.payload_size_max_bytes, options_.payload_depth_max),
                "the value");
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
    throw ProtocolError(ErrorKind::invalid_status,
                        "status " + std::to_string(static_cast<unsigned>(step.status)) +
                            " is neither a value nor a request");
}

void Scheduler::dispatch(RunTask& task, Arguments& arguments) {
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
    const OpInfo& op = *task.op;
    const Handlers& handlers = task.run.handlers;
    if (task.handler == nullptr) task.handler = handlers.find(op);
    if (task.handler == nullptr) {
        fail(task, {.kind = ErrorKind::unhandled_effect,
                    .message =
                        "Unhandled effect " + op.name() +
                        (handlers.has_other_signature(op) ? ": it has handlers for other signatures"
                                                          : ""),
                    .cause = nullptr});
        return;
    }
    try {
        ask(*task.handler, task, arguments);
    } catch (...) {
        // That is its answer, and goes the way of all answers.
        task.failure = std::current_exception();
        accept(task, effect::resume());
    }
}

void Scheduler::ask(Handler& handler, RunTask& task, Arguments& arguments) {
    task.state = RunTask::State::waiting;
    switch (handler.style()) {
        case Handler::Style::plain: {
            Context context(task.run);
            Answer answer = handler.call(context, arguments);
            accept(task, std::move(answer));
            return;
        }
        case Handler::Style::async: {
            auto work = std::make_unique<HandlerTask>(*scope_, task);
            task.waits_for = work.get();
            struct Forget {  // where its function throws instead of giving a future
                RunTask* task;
                ~Forget() {
                    if (task != nullptr) task->waits_for = nullptr;
                }
            } forget{&task};
            const bool has_ended = work->begin(handler, arguments);
            forget.task = nullptr;
            HandlerTask& begun = *work.release();
            if (!has_ended) return;
            if (!begun.is_late()) {
                task.waits_for = nullptr;
                Answer answer = begun.take(task.failure);
                accept(task, std::move(answer));
            }
            begun.destroy();
            return;
        }
        case Handler::Style::reply: {
            auto* pending = new PendingReply(task);
            task.waits_for = pending;
            Context context(task.run);
            handler.take(context, arguments, Reply(*this, *pending));
            return;
        }
    }
}

// The answer of whoever was asked; where it failed, task.failure says so.
void Scheduler::accept(RunTask& task, Answer answer) {
    if (!task.is_live()) {
        task.failure = nullptr;
        return;
    }
    if (answer.delay() > Duration(0) && task.failure == nullptr) {
        const Instant when = loop().now() + answer.delay();
        auto* timer = new AnswerTimer(task, Answer(answer.kind(), answer.take_value()), when);
        task.waits_for = timer;
        task.state = RunTask::State::waiting;
        timers_.add(*timer);
        return;
    }
    task.answer_kind = answer.kind();
    task.answer = answer.take_value();
    make_ready(task);
}

void Scheduler::make_ready(RunTask& task) noexcept {
    Run& run = task.run;
    task.state = RunTask::State::ready;
    run.push_ready(task);
    if (!run.is_terminal()) run.state = RunState::ready;
    if (run.is_linked()) return;
    ready_.push_back(run);
    ask_for_tick();
}

}  // namespace gyre::effect
