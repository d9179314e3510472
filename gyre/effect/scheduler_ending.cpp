// SPDX-License-Identifier: Apache-2.0
// How tasks and runs end. The outcome of a run is set first, then its resources are released, so
// that no clean-up can change the outcome.
#include <utility>

#include "gyre/base/log.hpp"
#include "gyre/effect/internal/completion.hpp"
#include "gyre/effect/scheduler.hpp"

namespace gyre::effect {

void Scheduler::complete(RunTask& task, Value value) {
    Run& run = task.run;
    if (task.is_root() && run.accepts != nullptr && !run.accepts(value)) {
        throw ProtocolError(ErrorKind::decode_failed, std::string("the run ended with ") +
                                                          name_of(value.kind()) +
                                                          ", which is not what was asked for");
    }
    if (is_observed())
        observe({.kind = RunEventKind::ended, .run = run.id, .task = task.id, .value = &value});
    task.answer = std::move(value);
    task.state = RunTask::State::completing;
    end_if_complete(task);
}

// Attached tasks end before their owner; the failure of a task that was not joined fails the owner.
void Scheduler::end_if_complete(RunTask& task) noexcept {
    if (task.state != RunTask::State::completing) return;
    if (const TaskQueue* attached = task.attached(); attached != nullptr && !attached->empty())
        return;
    if (const ChildTask* failed = first_unobserved(task)) {
        fail(task, {.kind = ErrorKind::unobserved_task,
                    .message = "unobserved child task failure: " + failed->error.message,
                    .cause = failed->error.cause});
        return;
    }
    Run& run = task.run;
    if (task.is_root()) settle(run, RunEndKind::value);
    end_early(task);
}

void Scheduler::fail(RunTask& task, RunError error) {
    if (!task.is_live()) return;
    Run& run = task.run;
    if (task.is_root()) {
        run.need_extras().ending = std::make_unique<Run::Ending>();
        run.extras->ending->error = std::move(error);
        settle(run, RunEndKind::failed);
    } else {
        auto& child = static_cast<ChildTask&>(task);
        child.end = RunTask::End::failed;
        child.error = std::move(error);
        ++run.family()->failed_count;
    }
    end_early(task);
}

[[gnu::cold, gnu::noinline]] void Scheduler::fail_by_handler(RunTask& task) {
    fail(task, error_of(std::move(task.failure()), ErrorKind::handler_failed));
}

bool Scheduler::cancel(Run& run, CancelReason reason) {
    const bool is_first = !run.is_terminal();
    run.pin();
    if (is_first) {
        if (reason.who.empty() && executor_.current() != nullptr) {
            reason.who = executor_.current()->name();
        }
        run.need_extras().ending = std::make_unique<Run::Ending>();
        run.extras->ending->reason = std::move(reason);
        settle(run, RunEndKind::cancelled);
    }
    end_early(run.root);
    if (Run::Family* family = run.family()) {
        while (ChildTask* task = family->detached.front()) {
            task->end = RunTask::End::cancelled;
            end_early(*task);
        }
    }
    run.unpin();
    return is_first;
}

void Scheduler::cancel_all(const CancelReason& reason) {
    // Ending one task may end others.
    for (const RunId id : runs_.ids()) {
        if (Run* run = runs_.find(id)) cancel(*run, reason);
    }
}

// For every kind of end: withdraws the completion, releases the continuation, and ends the attached
// tasks.
void Scheduler::end_early(RunTask& task) noexcept {
    if (!task.is_live()) return;
    Run& run = task.run;
    run.pin();
    leave(task);
    TaskQueue* const attached = task.attached();
    while (ChildTask* child = attached == nullptr ? nullptr : attached->front()) {
        child->end = RunTask::End::cancelled;
        end_early(*child);
    }
    if (!task.is_root()) on_child_ended(static_cast<ChildTask&>(task));
    close_if_over(run);
    run.unpin();
}

void Scheduler::leave(RunTask& task) noexcept {
    Run& run = task.run;
    const RunTask::State state = std::exchange(task.state, RunTask::State::ended);
    if (state == RunTask::State::ready) {
        run.remove_ready(task);
        if (!run.has_ready() && run.is_linked()) run.unlink();
    } else if (state == RunTask::State::waiting && task.waits_for != nullptr) {
        task.waits_for->withdraw();
    }
    if (run.recording() != nullptr) forget(task);
    if (std::exchange(task.has_failed, false)) task.failure() = nullptr;
    if (task.is_root() && !run.has_begun) {
        run.take_beginning().reset();
    } else if (task.continuation != 0) {
        run.guest.release(std::exchange(task.continuation, 0));
    }
}

// Sets the only outcome of the run.
void Scheduler::settle(Run& run, RunEndKind end) noexcept {
    GYRE_ASSERT(!run.is_terminal(),
                "a run has one outcome: check is_terminal() before settling it");
    run.state = RunState::terminal;
    run.end = end;
    if (is_observed())
        observe({.kind = RunEventKind::settled,
                 .run = run.id,
                 .task = 1,
                 .value = end == RunEndKind::value ? &run.value() : nullptr,
                 .text = end == RunEndKind::failed ? std::string_view(run.ending().error.message)
                         : end == RunEndKind::cancelled ? std::string_view(run.ending().reason.why)
                                                        : std::string_view(),
                 .end = end});
    if (end == RunEndKind::failed) tell_sink(run, run.ending().error);
    if (run.extras != nullptr) wake_all(run.extras->waiters);
}

void Scheduler::close_if_over(Run& run) noexcept {
    if (run.is_closed || !run.is_terminal() || run.has_live_tasks()) return;
    GYRE_ASSERT(!run.is_linked(), "a run without live tasks must not be in the ready queue");
    run.is_closed = true;
    runs_.remove(run);
    if (run.extras != nullptr) clean_up(run);
    // A step that ends its own run is still inside the guest.
    if (!run.is_stepping) leave_guest(run);
}

void Scheduler::clean_up(Run& run) noexcept {
    if (run.family() != nullptr) report_detached(run);
    auto clean_ups = std::move(run.extras->clean_ups);
    while (!clean_ups.empty()) {
        auto clean_up = std::move(clean_ups.back());
        clean_ups.pop_back();
        run_clean_up(run, clean_up);
    }
    GYRE_ASSERT(run.is_terminal(), "a clean-up must not change the outcome of its run");
    run.extras->recording.reset();
}

// The values that nobody took, then the run itself.
void Scheduler::leave_guest(Run& run) noexcept {
    GYRE_ASSERT(run.is_closed, "a run leaves its guest after its last task has ended");
    GYRE_ASSERT(!run.is_stepping, "a run leaves its guest when no call is inside it");
    if (Run::Family* family = run.family()) {
        for (const auto& [capability, task] : family->tasks) {
            if (task->held != 0) run.guest.drop(std::exchange(task->held, 0));
        }
    }
    if (!run.is_in_guest) return;
    run.is_in_guest = false;
    run.guest.end_run(run.id);
}

void Scheduler::add_clean_up(Run& run, std::move_only_function<void()> clean_up) {
    if (run.is_closed) {
        run_clean_up(run, clean_up);
        return;
    }
    run.need_extras().clean_ups.push_back(std::move(clean_up));
}

void Scheduler::run_clean_up(const Run& run, std::move_only_function<void()>& clean_up) noexcept {
    const char* what = "something unknown";
    std::string text;
    try {
        clean_up();
        return;
    } catch (const std::exception& exception) {
        text = exception.what();
        what = text.c_str();
    } catch (...) {
    }
    log(LogLevel::error, "a clean-up of run %llu failed: %s",
        static_cast<unsigned long long>(run.id), what);
}

void Scheduler::tell_sink(const Run& run, const RunError& error) noexcept {
    if (!options_.failure_sink) return;
    try {
        options_.failure_sink(run.id, error);
    } catch (...) {
        log(LogLevel::error, "the failure sink threw while it was told of run %llu",
            static_cast<unsigned long long>(run.id));
    }
}

}  // namespace gyre::effect
