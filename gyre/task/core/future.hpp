// SPDX-License-Identifier: Apache-2.0
// Future<T>: a value to come, as a coroutine. Lazy: nothing runs before it is awaited, spawned or
// polled. Move-only, awaited once.
//
//     Future<int> twice(Future<int> of) { co_return 2 * co_await std::move(of); }
//
// Thread: the thread that made it until it is spawned, then its task's.
// Lifetime: arguments that its function takes by reference outlive it.
//
// Errors: an exception of the body is thrown where the future is awaited. `co_await fail(Error)`
// ends the body with an Error, without a throw; `co_await try_(future)` gives a Result<T>, without
// a throw for a future that failed in that way.
#pragma once

#include <coroutine>
#include <memory>
#include <type_traits>
#include <utility>

#include "gyre/task/core/awaitable.hpp"
#include "gyre/task/core/detail/coroutine.hpp"

namespace gyre {

template <class T>
class Poll;
class Waker;

template <class T>
class FuturePromise : public PromiseBase {
public:
    FuturePromise() noexcept = default;
    template <class... Args>
    explicit FuturePromise(const Args&... args) noexcept : PromiseBase(args...) {}
    Future<T> get_return_object(AwaitSite origin = __builtin_source_location()) noexcept;
    template <class Value = T>
        requires std::is_constructible_v<T, Value&&>
    GYRE_ALWAYS_INLINE void return_value(Value&& value) {
        outcome().set_value(std::forward<Value>(value));
    }
    void unhandled_exception() noexcept { outcome().set_exception(current_exception()); }
    [[nodiscard]] GYRE_ALWAYS_INLINE std::suspend_never final_suspend() noexcept {
        finish();
        return {};
    }
    [[nodiscard]] Outcome<T>& outcome() noexcept { return static_cast<Slot<T>*>(slot_)->outcome; }
    void fail(Error error) noexcept {
        outcome().set_error(error);
        note_failure();
        finish();
    }
};

template <>
class FuturePromise<void> : public PromiseBase {
public:
    FuturePromise() noexcept = default;
    template <class... Args>
    explicit FuturePromise(const Args&... args) noexcept : PromiseBase(args...) {}
    Future<void> get_return_object(AwaitSite origin = __builtin_source_location()) noexcept;
    GYRE_ALWAYS_INLINE void return_void() noexcept { outcome().set_value(); }
    void unhandled_exception() noexcept { outcome().set_exception(current_exception()); }
    [[nodiscard]] GYRE_ALWAYS_INLINE std::suspend_never final_suspend() noexcept {
        finish();
        return {};
    }
    [[nodiscard]] Outcome<void>& outcome() noexcept {
        return static_cast<Slot<void>*>(slot_)->outcome;
    }
    void fail(Error error) noexcept {
        outcome().set_error(error);
        note_failure();
        finish();
    }
};

template <class T>
class Future {
public:
    using promise_type = FuturePromise<T>;
    using value_type = T;

    Future(Future&& other) noexcept
        : coroutine_(std::exchange(other.coroutine_, nullptr)),
          polled_(std::exchange(other.polled_, nullptr)) {}
    Future& operator=(Future&& other) noexcept {
        Future(std::move(other)).swap(*this);
        return *this;
    }
    GYRE_ALWAYS_INLINE ~Future() {
        if (coroutine_) {
            if constexpr (GYRE_DEBUG_CHECKS != 0) coroutine_.promise().report_unawaited();
            coroutine_.promise().destroy();
        }
        if (polled_ != nullptr) polled_->drop_polled();
    }

    // Defined in waker.hpp. Runs it up to its end or its next wait. If it is pending, `waker` is
    // woken once, when another poll may get further. A polled future is polled to its end, or
    // dropped: then it is cancelled, and its clean-up runs in the root scope.
    [[nodiscard]] Poll<T> poll(const Waker& waker);

    // Chains: each consumes the future and gives another one, which is as lazy.
    template <class F>
    [[nodiscard]] auto map(F function) &&;
    template <class F>
    [[nodiscard]] auto flat_map(F function) &&;
    // Calls the function with the value; it gives a value or a future.
    template <class F>
    [[nodiscard]] auto then(F function) &&;
    // Calls the function with the failure, a std::exception_ptr; it gives a value instead.
    // Cancelled is not caught.
    template <class F>
    [[nodiscard]] Future catch_error(F function) &&;
    // Runs both concurrently, and gives a pair. The first failure cancels the other.
    template <class A>
    [[nodiscard]] auto and_(A&& other) &&;
    // The other future runs only if this one fails.
    [[nodiscard]] Future or_(Future other) &&;

    // Destroys it unused, on purpose. Otherwise a build with GYRE_DEBUG_CHECKS logs a future that
    // is destroyed before it was awaited, spawned or polled.
    void drop() && noexcept {
        if (coroutine_) std::exchange(coroutine_, nullptr).promise().destroy();
        if (polled_ != nullptr) std::exchange(polled_, nullptr)->drop_polled();
    }

    // For awaits and tasks.
    [[nodiscard]] GYRE_ALWAYS_INLINE ChildAwait<T> await_in(PromiseBase& parent) && noexcept {
        return ChildAwait<T>(parent, release());
    }
    [[nodiscard]] GYRE_ALWAYS_INLINE std::coroutine_handle<promise_type> release() noexcept {
        GYRE_ASSERT(coroutine_ != nullptr,
                    "this future is empty: it was moved from, awaited, or polled before");
        return std::exchange(coroutine_, nullptr);
    }

    [[nodiscard]] bool has_captures() const noexcept {
        GYRE_ASSERT(coroutine_ != nullptr,
                    "this future is empty: it was moved from, awaited, or polled before");
        return coroutine_.promise().has_captures();
    }

private:
    friend promise_type;
    [[nodiscard]] Poll<T> poll_further(const Waker& waker);
    explicit Future(std::coroutine_handle<promise_type> coroutine) noexcept
        : coroutine_(coroutine) {}
    void swap(Future& other) noexcept {
        std::swap(coroutine_, other.coroutine_);
        std::swap(polled_, other.polled_);
    }

    std::coroutine_handle<promise_type> coroutine_;
    Task* polled_ = nullptr;  // a TaskBlock<T>, from the first poll on
};

template <class T>
Future<T> FuturePromise<T>::get_return_object(AwaitSite origin) noexcept {
    set_origin(origin);
    return Future<T>(std::coroutine_handle<FuturePromise>::from_promise(*this));
}
inline Future<void> FuturePromise<void>::get_return_object(AwaitSite origin) noexcept {
    set_origin(origin);
    return Future<void>(std::coroutine_handle<FuturePromise>::from_promise(*this));
}

// The chains of Future, for types that convert to one.
template <class Self, class T>
class ChainsLikeFuture {
public:
    template <class F>
    [[nodiscard]] auto map(F function) && {
        return future().map(std::move(function));
    }
    template <class F>
    [[nodiscard]] auto flat_map(F function) && {
        return future().flat_map(std::move(function));
    }
    template <class F>
    [[nodiscard]] auto then(F function) && {
        return future().then(std::move(function));
    }
    template <class F>
    [[nodiscard]] Future<T> catch_error(F function) && {
        return future().catch_error(std::move(function));
    }
    template <class A>
    [[nodiscard]] auto and_(A&& other) && {
        return future().and_(std::forward<A>(other));
    }
    [[nodiscard]] Future<T> or_(Future<T> other) && { return future().or_(std::move(other)); }

private:
    [[nodiscard]] Future<T> future() { return static_cast<Self&&>(*this); }
};

// A value as an awaitable, without a coroutine frame. Converts to a Future.
template <class T>
class [[nodiscard]] Ready : public ChainsLikeFuture<Ready<T>, T> {
public:
    using value_type = T;

    explicit Ready(T value) : value_(std::move(value)) {}
    [[nodiscard]] auto await_in(PromiseBase& /*by*/) && { return Await{std::move(value_)}; }
    operator Future<T>() && { return give(std::move(value_)); }

private:
    struct Await {
        T value;
        [[nodiscard]] bool await_ready() const noexcept { return true; }
        void await_suspend(std::coroutine_handle<> /*by*/) const noexcept {}
        T await_resume() { return std::move(value); }
    };
    static Future<T> give(T value) { co_return value; }

    T value_;
};
template <class T>
[[nodiscard]] Ready<std::decay_t<T>> ready(T&& value) {
    return Ready<std::decay_t<T>>(std::forward<T>(value));
}
inline Future<void> ready() {
    co_return;
}

}  // namespace gyre

#include "gyre/task/core/detail/future_chain.hpp"
