// SPDX-License-Identifier: Apache-2.0
// The end of future.hpp, which includes it: chains. Each is a coroutine that owns its parts.
#pragma once

#include <concepts>
#include <exception>
#include <functional>
#include <tuple>
#include <utility>

#include "gyre/task/core/future.hpp"

namespace gyre {

// `co_await try_(future)`: the value or the Error. Other failures are thrown.
template <class T>
class TryAwait : public ChildAwait<T> {
public:
    using ChildAwait<T>::ChildAwait;
    [[nodiscard]] Result<T> await_resume() { return this->slot_.outcome.take_result(); }
};
template <class T>
class [[nodiscard]] Tried {
public:
    explicit Tried(Future<T> future) noexcept : future_(std::move(future)) {}
    [[nodiscard]] TryAwait<T> await_in(PromiseBase& parent) && noexcept {
        return TryAwait<T>(parent, future_.release());
    }

private:
    Future<T> future_;
};
// The same for an awaitable that needs no future to give its Error: it has a member `try_in`.
template <class A>
class [[nodiscard]] TriedInPlace {
public:
    explicit TriedInPlace(A awaitable) noexcept : awaitable_(std::move(awaitable)) {}
    [[nodiscard]] auto await_in(PromiseBase& promise) const noexcept {
        return awaitable_.try_in(promise);
    }

private:
    A awaitable_;
};
template <class A>
[[nodiscard]] auto try_(A&& awaitable) {
    using Plain = std::remove_cvref_t<A>;
    if constexpr (!check_awaitable<A>()) {
        return NotAwaitable{};
    } else if constexpr (requires(const Plain& it, PromiseBase& by) { it.try_in(by); }) {
        return TriedInPlace<Plain>(std::forward<A>(awaitable));
    } else {
        return Tried<AwaitValue<A>>(as_future(std::forward<A>(awaitable)));
    }
}

// `co_await await_outcome(outcome, future)`: awaits the future and writes how it ended to the
// outcome; throws nothing. For code that passes outcomes on. The outcome belongs to the caller.
template <class T>
class OutcomeAwait : public ChildAwait<T> {
public:
    OutcomeAwait(PromiseBase& parent, Future<T> future, Outcome<T>& into) noexcept
        : ChildAwait<T>(parent, future.release()), into_(into) {}
    void await_resume() noexcept {
        Outcome<T>& from = this->slot_.outcome;
        if (from.has_error()) {
            into_.set_error(from.error());
        } else if (std::exception_ptr exception = from.failure()) {
            into_.set_exception(std::move(exception));
        } else if constexpr (std::is_void_v<T>) {
            into_.set_value();
        } else {
            into_.set_value(from.take());
        }
    }

private:
    Outcome<T>& into_;
};

template <class T>
class [[nodiscard]] AwaitOutcome {
public:
    AwaitOutcome(Outcome<T>& into, Future<T> future) noexcept
        : into_(into), future_(std::move(future)) {}
    [[nodiscard]] OutcomeAwait<T> await_in(PromiseBase& parent) && noexcept {
        return OutcomeAwait<T>(parent, std::move(future_), into_);
    }

private:
    Outcome<T>& into_;
    Future<T> future_;
};
template <class T>
AwaitOutcome<T> await_outcome(Outcome<T>& into, Future<T> future) noexcept {
    return AwaitOutcome<T>(into, std::move(future));
}

// `co_await fail(Error(std::errc::no_link))`: ends this coroutine with an Error.
class [[nodiscard]] Fail {
public:
    explicit Fail(Error error) noexcept : error_(error) {}
    [[nodiscard]] Fail await_in(PromiseBase& /*promise*/) const noexcept { return *this; }
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    template <class T>
    void await_suspend(std::coroutine_handle<FuturePromise<T>> coroutine) const noexcept {
        coroutine.promise().fail(error_);
        coroutine.promise().destroy();
    }
    [[noreturn]] void await_resume() const noexcept { std::terminate(); }

private:
    Error error_;
};
[[nodiscard]] inline Fail fail(Error error) noexcept {
    return Fail(error);
}

template <class T, class F>
using AppliedTo =
    std::conditional_t<std::is_void_v<T>, std::invoke_result<F&>, std::invoke_result<F&, T>>::type;
// Calls the function with the value of the future, or without an argument for void.
template <class T, class F>
auto map_future(Future<T> future, F function) -> Future<AppliedTo<T, F>> {
    if constexpr (std::is_void_v<T>) {
        co_await std::move(future);
        co_return function();
    } else {
        co_return function(co_await std::move(future));
    }
}
template <class T, class F>
auto flat_map_future(Future<T> future, F function) -> Future<AwaitValue<AppliedTo<T, F>>> {
    if constexpr (std::is_void_v<T>) {
        co_await std::move(future);
        co_return co_await function();
    } else {
        co_return co_await function(co_await std::move(future));
    }
}
template <class T, class F>
Future<T> catch_in_future(Future<T> future, F function) {
    std::exception_ptr failure;
    try {
        co_return co_await std::move(future);
    } catch (const Cancelled&) {
        throw;
    } catch (...) {
        failure = std::current_exception();
    }
    if constexpr (Awaitable<std::invoke_result_t<F&, std::exception_ptr>>) {
        co_return co_await function(failure);
    } else {
        co_return function(failure);
    }
}
// Drops a future that may not have been needed.
template <class T>
struct DropAtEnd {
    Future<T>& future;
    ~DropAtEnd() { std::move(future).drop(); }
};
template <class T>
Future<T> first_good(Future<T> first, Future<T> second) {
    const DropAtEnd<T> drop_unneeded{second};
    try {
        co_return co_await std::move(first);
    } catch (const Cancelled&) {
        throw;
    } catch (...) {
    }
    co_return co_await std::move(second);
}

template <class T>
template <class F>
auto Future<T>::map(F function) && {
    return map_future(std::move(*this), std::move(function));
}
template <class T>
template <class F>
auto Future<T>::flat_map(F function) && {
    return flat_map_future(std::move(*this), std::move(function));
}
template <class T>
template <class F>
auto Future<T>::then(F function) && {
    if constexpr (Awaitable<AppliedTo<T, F>>) {
        return flat_map_future(std::move(*this), std::move(function));
    } else {
        return map_future(std::move(*this), std::move(function));
    }
}
template <class T>
template <class F>
Future<T> Future<T>::catch_error(F function) && {
    return catch_in_future(std::move(*this), std::move(function));
}
template <class T>
Future<T> Future<T>::or_(Future other) && {
    return first_good(std::move(*this), std::move(other));
}

// `map(awaitable, function)`: Future::map for everything that can be awaited.
template <class A, class F>
[[nodiscard]] auto map(A&& awaitable, F function) {
    if constexpr (check_awaitable<A>()) {
        return as_future(std::forward<A>(awaitable)).map(std::move(function));
    } else {
        return NotAwaitable{};
    }
}

}  // namespace gyre
