// SPDX-License-Identifier: Apache-2.0
// Waker: makes one task ready, from any thread, any number of times. For code that learns of an
// event but does not know tasks.
//
//     co_await poll_with([&](const Waker& waker) -> Poll<int> {
//         if (device.has_value()) return device.value();
//         device.call_when_ready([waker] { waker.wake(); });
//         return pending;
//     });
//
// Thread: any.
// Lifetime: copies are cheap and may outlive the task: a wake after its end does nothing.
//
// A wake before the poll has returned is not lost: the function is polled again.
#pragma once

#include <cstdint>
#include <mutex>
#include <utility>

#include "gyre/base/detail/atomic.hpp"
#include "gyre/task/core/detail/frame_pool.hpp"
#include "gyre/task/core/detail/outside_wait.hpp"
#include "gyre/task/core/executor.hpp"
#include "gyre/task/core/outcome.hpp"
#include "gyre/task/core/scope.hpp"
#include "gyre/task/thread/detail/executor_message.hpp"

namespace gyre {

class WokenAwait;

// The state that the wakers of one task share. Any thread may wake, share and drop it; the other
// members are for the task's thread. It may outlive the task: a wake does nothing then.
//
// A wake on the task's own thread takes effect at once. From another thread the cell itself is
// posted to the executor, at most once at a time. `is_notified_` keeps a wake that comes while the
// task does not wait for one.
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
        // Relaxed: the caller holds a share already.
        shares_.fetch_add(1, std::memory_order_relaxed);
    }
    void drop() noexcept;
    // Drops the share of a Waker. When that was the last Waker, the task is woken, since nothing
    // else may ever wake it.
    void let_go() noexcept;

    // The task has ended.
    void detach() noexcept;
    // Its executor; null once the task has ended.
    [[nodiscard]] Executor* executor() const noexcept { return executor_; }
    // Whether a Waker or a posted wake holds a share, besides the task.
    [[nodiscard]] bool is_held_elsewhere() const noexcept {
        // Acquire: sees what a holder did before it dropped its share.
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
    std::mutex mutex_;              // for executor_, between a remote wake and the end of the task
    Executor* executor_;            // only the task's thread writes it, under the mutex
    WokenAwait* waiter_ = nullptr;  // the await that a wake ends
    bool is_notified_ = false;
};

class Waker {
public:
    // For gyre/task itself: takes over one share.
    explicit Waker(WakeCell& cell) noexcept : cell_(&cell) {}
    Waker(const Waker& other) noexcept : cell_(other.cell_) { cell_->share(); }
    Waker(Waker&& other) noexcept : cell_(std::exchange(other.cell_, nullptr)) {}
    Waker& operator=(Waker other) noexcept {
        std::swap(cell_, other.cell_);
        return *this;
    }
    ~Waker() {
        if (cell_ != nullptr) cell_->let_go();
    }

    void wake() const noexcept { cell_->wake(); }
    // Whether both wakers wake the same task.
    [[nodiscard]] bool is_same(const Waker& other) const noexcept { return cell_ == other.cell_; }

private:
    template <class>
    friend class Future;
    template <class>
    friend class SharedFuture;
    WakeCell* cell_;
};

// Waits for a wake of the cell of its task.
class WokenAwait final : public OutsideWait {
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
};

// Gives the waker of the task that awaits it. Never waits.
class [[nodiscard]] ThisWaker {
public:
    [[nodiscard]] auto await_in(PromiseBase& promise) const noexcept {
        return Await{promise.task()};
    }

private:
    struct Await {
        Task& task;
        [[nodiscard]] bool await_ready() const noexcept { return true; }
        void await_suspend(std::coroutine_handle<> /*by*/) const noexcept {}
        [[nodiscard]] Waker await_resume() const;
    };
};
[[nodiscard]] inline ThisWaker this_waker() noexcept {
    return {};
}

// Waits for a wake that no earlier Woken has consumed. Cancel: did nothing.
class [[nodiscard]] Woken {
public:
    [[nodiscard]] auto await_in(PromiseBase& promise) const { return WokenAwait(promise); }
};

// Calls the function at once, and after every wake, until it returns a value.
template <class F>
auto poll_with(F function)
    -> Future<std::remove_cvref_t<decltype(function(std::declval<const Waker&>()).value())>> {
    for (;;) {
        auto found = function(co_await this_waker());
        if (found.is_ready()) co_return std::move(found.value());
        co_await Woken();
    }
}

template <class T>
inline Poll<T> Future<T>::poll(const Waker& waker) {
    const bool is_pending = polled_ != nullptr && polled_->is_pending_for(*waker.cell_);
    return is_pending ? Poll<T>(pending) : poll_further(waker);
}

template <class T>
[[gnu::noinline]] Poll<T> Future<T>::poll_further(const Waker& waker) {
    if (polled_ == nullptr) {
        Executor* executor = waker.cell_->executor();
        GYRE_ASSERT(executor != nullptr,
                    "the waker's task has ended: poll with one of a live task");
        polled_ = new TaskBlock<T>(executor->root(), std::move(*this));
        polled_->start_polled();
    }
    if (!polled_->poll(*waker.cell_)) return pending;
    TaskHandle<T> ended(static_cast<TaskBlock<T>&>(*std::exchange(polled_, nullptr)));
    if constexpr (std::is_void_v<T>) {
        ended.outcome().throw_failure();
        return Unit{};
    } else {
        return ended.outcome().take();
    }
}

}  // namespace gyre
