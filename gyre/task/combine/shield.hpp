// SPDX-License-Identifier: Apache-2.0
// shield: runs a future to its end although the task is cancelled meanwhile; the request is
// delivered at the next await after it. keep_running: lets a future run on as a task of a scope
// when nobody waits for it any more.
//
//     co_await shield(log.flush());
//     co_await timeout(keep_running(scope, save(draft)), 1s);
//
// Thread: one executor's thread.
// Lifetime: the future is moved in. keep_running's task belongs to the scope.
// Cancel: of shield: did all. Of keep_running: the await ends; the future goes on.
//
// keep_running starts the future when it is awaited. A failure is thrown to the waiting task, or is
// the scope's if nobody waits any more.
#pragma once

#include "gyre/task/core/future.hpp"
#include "gyre/task/core/promise.hpp"
#include "gyre/task/core/scope.hpp"

namespace gyre {

template <class T>
class ShieldAwait : public ChildAwait<T> {
public:
    using ChildAwait<T>::ChildAwait;
    [[nodiscard]] bool await_ready() noexcept {
        this->child_->task().enter_shield();
        return ChildAwait<T>::await_ready();
    }
    T await_resume() {
        this->slot_.parent()->task().leave_shield();
        return ChildAwait<T>::await_resume();
    }
};

template <class T>
class [[nodiscard]] Shielded {
public:
    explicit Shielded(Future<T> future) noexcept : future_(std::move(future)) {}
    [[nodiscard]] ShieldAwait<T> await_in(PromiseBase& parent) && noexcept {
        return ShieldAwait<T>(parent, future_.release());
    }

private:
    Future<T> future_;
};

template <class A>
[[nodiscard]] auto shield(A&& awaitable) {
    if constexpr (check_awaitable<A>()) {
        return Shielded<AwaitValue<A>>(as_future(std::forward<A>(awaitable)));
    } else {
        return NotAwaitable{};
    }
}

template <class T>
Future<void> settle_and_report(Future<T> future, Promise<T> promise) {
    try {
        if constexpr (std::is_void_v<T>) {
            co_await std::move(future);
            promise.resolve();
        } else {
            promise.resolve(co_await std::move(future));
        }
    } catch (const Cancelled&) {
        promise.reject(std::current_exception());
        throw;
    } catch (...) {
        if (!promise.has_future()) throw;
        promise.reject(std::current_exception());
    }
}

template <class T>
Future<T> keep_future_running(Scope& scope, Future<T> future) {
    GYRE_ASSERT(!future.has_captures(),
                "the lambda that this future is of may be gone when it runs on: use a function");
    Promise<T> promise;
    auto outcome = promise.future();
    scope.spawn(settle_and_report<T>, std::move(future), std::move(promise));
    co_return co_await std::move(outcome);
}

template <class A>
[[nodiscard]] auto keep_running(Scope& scope, A&& awaitable) {
    if constexpr (check_awaitable<A>()) {
        return keep_future_running(scope, as_future(std::forward<A>(awaitable)));
    } else {
        return NotAwaitable{};
    }
}

}  // namespace gyre
