// SPDX-License-Identifier: Apache-2.0
// Waker: makes one task ready, from any thread, any number of times. For code that knows when
// something is done but does not know tasks.
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

#include <utility>

#include "gyre/task/core/executor.hpp"
#include "gyre/task/core/outcome.hpp"
#include "gyre/task/core/scope.hpp"
#include "gyre/task/thread/detail/wake_cell.hpp"

namespace gyre {

class Waker {
public:
    // For the machinery: takes over one share.
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
    // Whether both wake the same task.
    [[nodiscard]] bool is_same(const Waker& other) const noexcept { return cell_ == other.cell_; }

private:
    template <class>
    friend class Future;
    template <class>
    friend class SharedFuture;
    WakeCell* cell_;
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

// Waits for a wake since the last one that was waited for. Cancel class: did nothing.
class [[nodiscard]] Woken {
public:
    [[nodiscard]] auto await_in(PromiseBase& promise) const { return WokenAwait(promise); }
};

// Awaits something that is polled: calls the function at once, and after every wake, until it gives
// a value.
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
