// SPDX-License-Identifier: Apache-2.0
#include "gyre/task/thread/waker.hpp"

#include "gyre/task/core/scope.hpp"

namespace gyre {

WakeCell::WakeCell(Executor& executor) noexcept
    : ExecutorMessage(&on_arrival), thread_mark_(FramePool::this_thread()), executor_(&executor) {}

void WakeCell::wake_from_elsewhere() noexcept {
    const std::lock_guard lock(mutex_);
    if (executor_ == nullptr || is_posted_.exchange(true)) return;
    share();
    // Relaxed: the caller holds another share.
    if (!post()) shares_.fetch_sub(1, std::memory_order_relaxed);
}

// The last share besides the task's own is posted with the message and dropped on the task's
// thread. Dropped here after a wake, it might still be counted when the task checks for holders.
void WakeCell::let_go() noexcept {
    while (!leave_to_others()) {
        if (is_here()) {
            if (executor_ != nullptr && waiter_ != nullptr) wake_here();
            return drop();
        }
        std::unique_lock lock(mutex_);
        if (executor_ != nullptr) {
            if (is_posted_.exchange(true)) continue;  // That message holds a share.
            if (post()) return;
        }
        lock.unlock();
        return drop();
    }
}

// Drops a share, unless it is the last one besides the task's.
bool WakeCell::leave_to_others() noexcept {
    // Relaxed: the compare_exchange decides.
    std::uint32_t shares = shares_.load(std::memory_order_relaxed);
    while (shares > 2) {
        // Acquire and release: as in drop.
        if (shares_.compare_exchange_weak(shares, shares - 1, std::memory_order_acq_rel)) {
            return true;
        }
    }
    return false;
}

void WakeCell::wake_here() noexcept {
    if (waiter_ == nullptr) {
        is_notified_ = true;
        return;
    }
    WokenAwait& waiter = *waiter_;
    waiter.end_wait();
    waiter.wake();
}

// Under the mutex. The message takes over the caller's share.
bool WakeCell::post() noexcept {
    GYRE_ASSERT(executor_ != nullptr, "a wake is posted only while its task is alive");
    if (executor_->loop().post(*this)) return true;
    is_posted_.store(false);
    return false;
}

void WakeCell::on_arrival(ExecutorMessage& message, Executor& at) noexcept {
    auto& cell = static_cast<WakeCell&>(message);
    cell.is_posted_.store(false);
    if (cell.executor_ == &at) cell.wake_here();
    cell.drop();
}

void WakeCell::drop() noexcept {
    // Acquire and release: the thread that drops the last share sees all writes before.
    if (shares_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
}

void WakeCell::detach() noexcept {
    const std::lock_guard lock(mutex_);
    executor_ = nullptr;
}

Waker ThisWaker::Await::await_resume() const {
    WakeCell& cell = task.wake_cell();
    cell.share();
    return Waker(cell);
}

WokenAwait::WokenAwait(PromiseBase& promise) : cell_(promise.task().wake_cell()) {
    attach(promise);
}

void WokenAwait::await_suspend(std::coroutine_handle<> by) noexcept {
    GYRE_ASSERT(cell_.waiter_ == nullptr, "a task waits for its waker once at a time");
    cell_.waiter_ = this;
    if (cell_.is_held_elsewhere()) begin_outside_wait();
    wait(by);
}

void WokenAwait::end_wait() noexcept {
    cell_.waiter_ = nullptr;
    end_outside_wait();
}

void WokenAwait::cancel() noexcept {
    end_wait();
    wake_cancelled();
}

}  // namespace gyre
