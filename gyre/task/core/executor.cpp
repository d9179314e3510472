// SPDX-License-Identifier: Apache-2.0
#include "gyre/task/core/executor.hpp"

#include <algorithm>

#include "gyre/kernel/detail/turn_share.hpp"
#include "gyre/task/core/detail/coroutine.hpp"
#include "gyre/task/core/detail/suspension.hpp"
#include "gyre/task/core/detail/task_report.hpp"
#include "gyre/task/core/scope.hpp"
#include "gyre/task/thread/canceller.hpp"
#include "gyre/task/thread/detail/executor_message.hpp"
#include "gyre/task/thread/on.hpp"
#include "gyre/task/thread/waker.hpp"

namespace gyre {

Executor::Executor(ExecutorOptions options)
    : Machine("executor"),
      ReadyQueue(options.ready_awaits_max),
      options_(options),
      order_(options.order_seed),
      thread_mark_(FramePool::this_thread()),
      share_(std::make_unique<TurnShare>(options.time_per_turn_max)),
      root_(std::make_unique<Scope>(*this, nullptr, ScopeOptions{.name = "root"})) {
    GYRE_ASSERT(options.tasks_per_tick_max > 0, "tasks_per_tick_max is 0: no task would ever run");
    Task::prepare_cancels();
}

Executor::~Executor() {
    GYRE_ASSERT(current_ == nullptr, "task %u destroys its own executor", current_->id());
}

// Completions, notifications, messages and cancellations make tasks ready; then these run.
void Executor::tick(Instant now) {
    if (share_->is_spent(loop())) {  // Timers, I/O and other machines of the loop go first.
        tick_again();
        return;
    }
    is_ticking_ = true;
    waiting_now_ = TaskStatus::waiting_since(now);
    take_completions();
    take_notifications();
    take_posts();
    take_recalls();
    order_.has_value() ? run_ready_in_drawn_order() : run_ready();
    is_ticking_ = false;
    if (!ready_.empty()) {
        tick_again();
    } else {
        keep_loop_alive();
    }
}

void Executor::take_completions() noexcept {
    while (Op* op = next_completion()) {
        if (op->code() == OpCode::timer) {
            TimerWait::of(*op).on_complete(*op);
        } else if (void* by = static_cast<Request*>(op)->owner) {
            static_cast<Suspension*>(by)->on_complete(*op);
        }
    }
}

// What the completion of an op means to most awaits. A request to cancel may come too late: an op
// that did its work before it was cancelled gives its result.
void Suspension::on_complete(Op& op) noexcept {
    is_cancel_due() && op.is_cancelled() ? wake_cancelled() : wake();
}

void Executor::take_notifications() noexcept {
    while (StandingOp* op = next_notification()) {
        auto* by = static_cast<Suspension*>(op->owner);
        if (by != nullptr) by->on_notify(*op);
    }
}

void Executor::take_posts() noexcept {
    while (Op* op = next_submission()) {
        // A message belongs to its receiver from here on; a call is completed at its end.
        if (!op->source()) complete(*op, 0);
        auto& message = *static_cast<ExecutorMessage*>(op);
        message.on_arrival_(message, *this);
    }
}

void Executor::take_recalls() noexcept {
    while (Op* op = next_cancellation()) static_cast<RemoteCall*>(op)->recall();
}

GYRE_ALWAYS_INLINE void Executor::finish(Task& task) noexcept {
    if (task.has_rare()) finish_rare(task);
    task.scope().on_ended(task);
    if (task.has_handle_) {
        task.release();
    } else {
        task.destroy();
    }
}

// Runs a task until it waits, yields or ends. A coroutine that returns to its parent, or is too
// deep to run inside it, sets leaf_ to the coroutine to resume next.
GYRE_ALWAYS_INLINE bool Executor::resume(Task& task) noexcept {
    current_ = &task;
    task.status_ = TaskState::running;
    if (!task.has_started_) start(task);
    while (task.state() == TaskState::running) task.leaf_->handle().resume();
    if (!task.status_.is_completed()) return false;
    finish(task);
    return true;
}

// Aligned, because a yield takes up to 20 % longer if the loop straddles cache lines: the speed
// must not depend on the length of the code before it.
[[gnu::aligned(64)]] void Executor::run_ready() noexcept {
    Observer* const observer = loop().observer();
    std::uint32_t left = options_.tasks_per_tick_max;
    share_->begin(loop());
    do {
        const std::uint32_t count = std::min(left, share_->pieces());
        left -= count;
        if (observer != nullptr) {
            ready_.take_first(count, [&](Task& task) { resume_observed(task, *observer); });
        } else {
            ready_.take_first(count, [this](Task& task) { resume(task); });
        }
    } while (left > 0 && !ready_.empty() && !share_->is_used_up(loop()));
    current_ = nullptr;
}

void Executor::run_ready_in_drawn_order() noexcept {
    Observer* const observer = loop().observer();
    for (std::uint32_t left = options_.tasks_per_tick_max; left > 0 && !ready_.empty(); --left) {
        Task& task = ready_.pop_any(*order_);
        observer == nullptr ? static_cast<void>(resume(task)) : resume_observed(task, *observer);
    }
    current_ = nullptr;
}

void Executor::resume_observed(Task& task, Observer& observer) noexcept {
    const std::uint64_t id = task.id();
    if (task.has_started_) {
        observer.on_task(TaskEvent::resumed, id, {});
    } else {
        observer.on_task(TaskEvent::started, id, task.name());
    }
    const bool has_ended = resume(task);
    if (!has_ended) TaskReport::observe_wait(task, observer);
    observer.on_task(has_ended ? TaskEvent::ended : TaskEvent::suspended, id, {});
}

// Runs a task inside another one.
void Executor::resume_polled(Task& task) noexcept {
    Task* const outer = current_;
    if (Observer* const observer = loop().observer()) {
        resume_observed(task, *observer);
    } else {
        resume(task);
    }
    current_ = outer;
}

std::size_t Executor::task_count() const noexcept {
    std::size_t count = 0;
    scopes_.for_each([&count](const Scope& scope) { count += scope.task_count(); });
    return count;
}

void Executor::start(Task& task) noexcept {
    task.has_started_ = true;
    if (!task.is_cancel_due()) return;
    task.set_cancel(Task::Cancel::delivered);
    task.end_unstarted(task.cancelled_);
    task.status_ = TaskState::completed;
}

void Executor::finish_rare(Task& task) noexcept {
    Task::Rare& rare = *task.rare_part();
    wake_all(rare.joiners);
    if (rare.wake_cell != nullptr) rare.wake_cell->detach();
    if (rare.cancel_cell != nullptr) rare.cancel_cell->on_task_ended();
    if (rare.is_daemon) {
        --task.scope().daemon_count_;
        task.leave_ending_daemons();
    }
    if (!rare.on_complete) return;
    task.is_telling_end_ = true;
    rare.on_complete();
    task.is_telling_end_ = false;
}

// A task that only another thread can wake has no op in flight: alive_ keeps the loop running.
void Executor::keep_loop_alive() noexcept {
    const bool is_needed = outside_waits_ + ending_daemons_ > 0 && !is_closing_;
    if (is_needed && !alive_.is_in_flight()) submit(alive_);
    if (!is_needed) cancel(alive_);
}

// Outside of a tick, as when the last canceller goes, the counts are looked at in the next one. The
// loop is gone already if its executor goes with tasks that did not end.
void Executor::count(std::size_t& what, int difference) noexcept {
    what += static_cast<std::size_t>(difference);
    if (!is_ticking_ && is_attached()) tick_again();
}

void Executor::submit_for(Request& op, Suspension& by) noexcept {
    op.owner = &by;
    if (by.task().is_background()) op.set_background(true);
    submit(op, Cause{.trace_id = by.task().trace_id(), .op_id = 0});
}

void Executor::submit_for(TimerWait& wait) noexcept {
    if (wait.task().is_background()) wait.timer().set_background(true);
    submit(wait.timer(), Cause{.trace_id = wait.task().trace_id(), .op_id = 0});
}

void Executor::submit_background(Request& op, Suspension& by) noexcept {
    op.owner = &by;
    op.set_background(true);
    submit(op);
}

void Executor::submit_background(TimerWait& wait) noexcept {
    wait.timer().set_background(true);
    submit(wait.timer());
}

// Cancels all tasks; the loop turns until their ops have completed. A shielded task that waits for
// a waker has no op, and is left waiting.
void Executor::on_close() {
    is_closing_ = true;
    keep_loop_alive();
    root_->cancel("the loop closes");
}

}  // namespace gyre
