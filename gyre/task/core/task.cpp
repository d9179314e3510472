// SPDX-License-Identifier: Apache-2.0
#include "gyre/task/core/task.hpp"

#include "gyre/task/core/detail/coroutine.hpp"
#include "gyre/task/core/scope.hpp"
#include "gyre/task/thread/waker.hpp"

namespace gyre {

void Task::drop_rare() noexcept {
    if (rare_part()->wake_cell != nullptr) {
        rare_part()->wake_cell->detach();
        rare_part()->wake_cell->drop();
    }
    if (rare_part()->poller != nullptr) rare_part()->poller->drop();
    delete rare_part();
}

Task::Rare& Task::rare() {
    if (!has_rare()) home_ = reinterpret_cast<std::uintptr_t>(new Rare(scope())) + rare_mark;
    return *rare_part();
}

std::string Task::name() const {
    if (has_rare() && !rare_part()->name.empty()) return rare_part()->name;
    return "task " + std::to_string(id_);
}

void Task::set_name(std::string name) {
    rare().name = std::move(name);
    Observer* observer = executor().loop().observer();
    if (has_started_ && observer != nullptr) {
        observer->on_task(TaskEvent::named, id_, rare_part()->name);
    }
}

void Task::cancel(CancelReason reason) {
    if (state() == TaskState::completed || cancel_ == Cancel::requested) return;
    if (reason.who.empty() && executor().current() != nullptr) {
        reason.who = executor().current()->name();
    }
    rare().cancelled = std::make_exception_ptr(Cancelled(std::move(reason)));
    set_cancel(Cancel::requested);
    if (state() == TaskState::waiting && is_cancel_due()) waits_on_->cancel();
}

bool Task::was_cancelled() const noexcept {
    // Compares types only: the Cancelled may be that of any of several requests.
    return is_cancel_requested() && is_cancelled(failure());
}

void Task::wake_poller() noexcept {
    GYRE_ASSERT(rare_part()->poller != nullptr, "a polled task waits only inside a poll");
    rare_part()->poller->wake();
}

WakeCell& Task::wake_cell() {
    Rare& mine = rare();
    if (mine.wake_cell == nullptr) mine.wake_cell = new WakeCell(executor());
    return *mine.wake_cell;
}

void Task::start_polled() {
    GYRE_ASSERT(!has_started_, "a task that has started cannot be polled");
    is_polled_ = true;
    has_handle_ = true;
    scope().adopt(*this);
}

bool Task::poll(WakeCell& poller) {
    GYRE_ASSERT(executor().is_here(), "poll a future on the thread on which it was first polled");
    GYRE_ASSERT(state() != TaskState::running, "a future polls itself: poll it from outside");
    Rare& mine = rare();
    if (mine.poller != &poller) {
        poller.share();
        if (mine.poller != nullptr) mine.poller->drop();
        mine.poller = &poller;
    }
    if (state() == TaskState::ready) executor().resume_polled(*this);
    return state() == TaskState::completed;
}

void Task::drop_polled() {
    GYRE_ASSERT(state() != TaskState::running, "a future is dropped by the code that it runs");
    has_handle_ = false;
    if (state() == TaskState::completed) {
        destroy();
        return;
    }
    is_polled_ = false;
    if (state() == TaskState::ready) make_ready();
    cancel("its future was dropped");
}

void Task::abandon() noexcept {
    GYRE_ASSERT(state() != TaskState::running, "task %u runs while its executor is destroyed", id_);
    if (state() == TaskState::waiting) waits_on_->abandon();
    end_unstarted(std::make_exception_ptr(Cancelled("its executor went before it ended")));
    status_ = TaskState::completed;
    has_handle_ ? release() : destroy();
}

void Suspension::go_last(std::coroutine_handle<> by) noexcept {
    PromiseBase::of(by).go_last();
}

void Task::deliver_cancel() {
    GYRE_ASSERT(cancel_ == Cancel::requested, "a cancel is delivered without a request");
    set_cancel(Cancel::delivered);
    is_wait_cancelled_ = false;
    std::rethrow_exception(rare_part()->cancelled);
}

std::exception_ptr PromiseBase::current_exception() noexcept {
    std::exception_ptr exception = std::current_exception();
    GYRE_ASSERT(exception != nullptr, "ask for the exception of a coroutine inside its catch");
    note_failure();
    Task::Rare& rare = task_->rare();
    if (rare.trail_of != exception) {
        rare.trail_of = exception;
        rare.trail.clear();
        for (const PromiseBase* at = this; at != nullptr; at = at->parent()) {
            rare.trail.push_back(at->where());
        }
    }
    return exception;
}

}  // namespace gyre
