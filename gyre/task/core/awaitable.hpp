// SPDX-License-Identifier: Apache-2.0
// Awaitable: what a task can await and a combinator can be given: futures, sleeps, channels, locks,
// events, task handles, streams, sockets, files, children, actors. as_future: one of them as a
// Future.
//
//     std::optional<Item> item = co_await timeout(channel.receive(), 1s);
//     Future<std::optional<Item>> later = as_future(channel.receive());
//
// Thread: that of the task that awaits it.
// Lifetime: an rvalue is moved into the future; an lvalue (an Event, a TaskHandle that is kept) must
// outlive it.
//
// A type becomes awaitable with a member `await_in(PromiseBase&)`, which makes its awaiter. Standard
// awaitables (await_ready, await_suspend, await_resume, or an operator co_await) are adapted by
// StandardAwait: the task goes on when the handle that they got is resumed, on whichever thread.
// They cannot be cancelled: a request is delivered at the next await.
#pragma once

#include <concepts>
#include <coroutine>
#include <type_traits>
#include <utility>

#include "gyre/task/core/detail/coroutine.hpp"

namespace gyre {

template <class T>
class [[nodiscard("a future does nothing until it is awaited or spawned")]] Future;

// What `co_await` gives for it.
template <Awaitable A>
using AwaitResult =
    decltype(std::declval<PromiseBase&>().await_transform(std::declval<A>()).await_resume());
// The same as a value: references are copied from.
template <Awaitable A>
using AwaitValue = std::remove_cvref_t<AwaitResult<A>>;

template <class T, class A>
Future<T> await_moved(A awaitable) {
    co_return co_await std::move(awaitable);
}
template <class T, class A>
Future<T> await_kept(A* awaitable) {
    co_return co_await *awaitable;
}

// A type that has a better way to become a future has a member `as_future() &&`.
template <Awaitable A>
[[nodiscard]] auto as_future(A&& awaitable) -> Future<AwaitValue<A>> {
    using T = AwaitValue<A>;
    using Plain = std::remove_cvref_t<A>;
    static_assert(std::is_void_v<T> || std::is_constructible_v<T, AwaitResult<A>>,
                  "this gives a reference to something that cannot be copied: give an rvalue, "
                  "as in timeout(std::move(handle), 1s)");
    if constexpr (std::is_lvalue_reference_v<A>) {
        return await_kept<T>(&awaitable);
    } else if constexpr (requires { std::move(awaitable).as_future(); }) {
        return std::move(awaitable).as_future();
    } else if constexpr (std::convertible_to<Plain, Future<T>>) {
        return std::move(awaitable);
    } else {
        return await_moved<T, Plain>(std::move(awaitable));
    }
}

// For the first line of a combinator: `if constexpr (check_awaitable<A>())`.
template <class... A>
[[nodiscard]] consteval bool check_awaitable() {
    static_assert((Awaitable<A> && ...),
                  "this argument cannot be awaited. A Future is given as an rvalue: "
                  "timeout(std::move(future), 1s)");
    return (Awaitable<A> && ...);
}

}  // namespace gyre

#include "gyre/task/core/future.hpp"
