// SPDX-License-Identifier: Apache-2.0
// WakeCell: what the wakers of one task share. Any thread may wake, share and drop it; the rest is
// for the task's own thread. It outlives the task: from then on a wake does nothing. Users see
// Waker.
//
// A wake on the task's own thread is noted at once. Elsewhere the cell itself travels to the
// executor as a message, at most once at a time. `is_notified` keeps a wake that finds the task
// running, or busy with something else, until it looks for it.
#pragma once

#include <cstdint>
#include <mutex>
#include <utility>

#include "gyre/base/detail/atomic.hpp"
#include "gyre/task/core/detail/frame_pool.hpp"
#include "gyre/task/core/task.hpp"
#include "gyre/task/thread/detail/executor_message.hpp"

namespace gyre {

class WokenAwait;

class WakeCell final : public ExecutorMessage, public Pooled {
public:
    explicit WakeCell(Executor& executor) noexcept;

    void wake() noexcept {
        if (is_here()) {
            if (executor_ != nullptr) wake_here();
        } else {
            wake_from_elsewhere();
        }
    }
    void share() noexcept {
        // Relaxed: whoever shares holds one already.
        shares_.fetch_add(1, std::memory_order_relaxed);
    }
    void drop() noexcept;
    // Drops what a Waker holds. If nobody else is left who could wake the task, it is woken to find
    // that out.
    void let_go() noexcept;

    // The task has ended.
    void detach() noexcept;
    // Its executor; null once the task has ended.
    [[nodiscard]] Executor* executor() const noexcept { return executor_; }
    // Whether anybody but the task itself holds it.
    [[nodiscard]] bool is_held_elsewhere() const noexcept {
        // Acquire: what the last holder did before it let go has happened.
        return shares_.load(std::memory_order_acquire) > 1;
    }
    [[nodiscard]] bool take_notified() noexcept { return std::exchange(is_notified_, false); }

private:
    friend class WokenAwait;

    static void on_arrival(ExecutorMessage& message, Executor& at) noexcept;
    void wake_here() noexcept;
    void wake_from_elsewhere() noexcept;
    [[nodiscard]] bool leave_to_others() noexcept;
    [[nodiscard]] bool post() noexcept;
    [[nodiscard]] bool is_here() const noexcept { return thread_mark_ == FramePool::this_thread(); }

    Atomic<std::uint32_t> shares_{1};
    Atomic<bool> is_posted_{false};
    const void* const thread_mark_;
    std::mutex mutex_;              // for executor_, between a foreign wake and the end of the task
    Executor* executor_;            // written by the task's thread alone, under the mutex
    WokenAwait* waiter_ = nullptr;  // the await that it ends
    bool is_notified_ = false;
};

// Waits for a wake of the cell of its task.
class WokenAwait final : public Suspension {
public:
    explicit WokenAwait(PromiseBase& promise);
    [[nodiscard]] bool await_ready() noexcept { return begin() || cell_.take_notified(); }
    void await_suspend(std::coroutine_handle<> by) noexcept;
    void await_resume() { end(); }
    void cancel() noexcept override;
    [[nodiscard]] const char* what() const noexcept override { return "a waker"; }

private:
    friend class WakeCell;
    void end_wait() noexcept;

    WakeCell& cell_;
    bool is_outside_wait_ = false;  // somebody elsewhere can end it
};

}  // namespace gyre
