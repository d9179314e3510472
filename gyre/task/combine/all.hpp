// SPDX-License-Identifier: Apache-2.0
// all, all_settled: run futures concurrently and wait for all of them. `all` gives the values in
// the order of the futures; the first failure cancels the others, and is thrown when they have
// ended. `all_settled` gives each outcome and fails only when it is cancelled.
//
//     auto [user, orders] = co_await all(fetch_user(id), fetch_orders(id));    // a tuple
//     std::vector<Page> pages = co_await all(std::move(fetches));              // a range
//     for (Settled<Page>& page : co_await all_settled(std::move(others))) {
//         if (page) show(*page); else report(page.error());
//     }
//
// Thread: one executor's thread.
// Lifetime: the futures are moved in; they end before the await does.
// Cancel: see detail/gather.hpp. all_settled drops the outcomes of the futures that had ended.
//
// Of no futures: no values, at once. A future of void gives a Unit in a tuple; a range of such
// futures gives void.
#pragma once

#include <exception>
#include <expected>
#include <tuple>
#include <utility>
#include <vector>

#include "gyre/task/combine/detail/gather.hpp"

namespace gyre {

inline constexpr Gather::Rule until_one_fails = [](const Tally& tally) noexcept {
    return tally.failed > 0 || tally.left == 0;
};

template <class... T>
Future<std::tuple<Kept<T>...>> all_in_tuple(std::tuple<Future<T>...> futures) {
    Task& owner = co_await this_task();
    Gather gather(owner, "all", until_one_fails);
    auto tasks = std::apply(
        [&gather](auto&... future) {
            return std::tuple<TaskHandle<T>...>{gather.start(std::move(future))...};
        },
        futures);
    co_await gather.decided();
    co_return std::apply(
        [](auto&... task) { return std::tuple<Kept<T>...>{take_kept(task.outcome())...}; }, tasks);
}

template <AwaitableRange R>
    requires(!std::is_void_v<GivenBy<R>>)
Future<std::vector<GivenBy<R>>> all_of_range(R futures) {
    Task& owner = co_await this_task();
    Gather gather(owner, "all", until_one_fails);
    auto tasks = gather.start_all(futures);
    co_await gather.decided();
    std::vector<GivenBy<R>> values;
    values.reserve(tasks.size());
    for (auto& task : tasks) values.push_back(task.outcome().take());
    co_return values;
}
template <AwaitableRange R>
    requires std::is_void_v<GivenBy<R>>
Future<void> all_of_range(R futures) {
    Task& owner = co_await this_task();
    Gather gather(owner, "all", until_one_fails);
    auto tasks = gather.start_all(futures);
    co_await gather.decided();
}

// Of awaitables, or of one range of them.
template <class... A>
[[nodiscard]] auto all(A&&... awaitables) {
    if constexpr (sizeof...(A) == 1 && (AwaitableRange<A> && ...)) {
        return all_of_range<std::decay_t<A>...>(std::forward<A>(awaitables)...);
    } else if constexpr (check_awaitable<A...>()) {
        return all_in_tuple<AwaitValue<A>...>({as_future(std::forward<A>(awaitables))...});
    } else {
        return NotAwaitable{};
    }
}

// Declared in future.hpp.
template <class T>
template <class A>
auto Future<T>::and_(A&& other) && {
    using U = AwaitValue<A>;
    Future<std::tuple<Kept<T>, Kept<U>>> together = all(std::move(*this), std::forward<A>(other));
    return std::move(together).map([](std::tuple<Kept<T>, Kept<U>> both) {
        return std::pair<Kept<T>, Kept<U>>(std::get<0>(std::move(both)),
                                           std::get<1>(std::move(both)));
    });
}

// The value or the failure of one future.
template <class T>
using Settled = std::expected<T, std::exception_ptr>;

template <class T>
Settled<T> settled_of(TaskHandle<T>& task) {
    Outcome<T>& outcome = task.outcome();
    if (!outcome.has_value()) return std::unexpected(outcome.failure());
    if constexpr (std::is_void_v<T>) {
        return {};
    } else {
        return outcome.take();
    }
}

inline constexpr Gather::Rule until_none_is_left = [](const Tally& tally) noexcept {
    return tally.left == 0;
};

template <class... T>
Future<std::tuple<Settled<T>...>> all_settled_in_tuple(std::tuple<Future<T>...> futures) {
    Task& owner = co_await this_task();
    Gather gather(owner, "all_settled", until_none_is_left);
    auto tasks = std::apply(
        [&gather](auto&... future) {
            return std::tuple<TaskHandle<T>...>{gather.start(std::move(future))...};
        },
        futures);
    co_await gather.ended();
    if (gather.tally().failed > 0) co_await cancel_point();
    co_return std::apply(
        [](auto&... task) { return std::tuple<Settled<T>...>{settled_of(task)...}; }, tasks);
}

template <AwaitableRange R>
Future<std::vector<Settled<GivenBy<R>>>> all_settled_of_range(R futures) {
    Task& owner = co_await this_task();
    Gather gather(owner, "all_settled", until_none_is_left);
    auto tasks = gather.start_all(futures);
    co_await gather.ended();
    if (gather.tally().failed > 0) co_await cancel_point();
    std::vector<Settled<GivenBy<R>>> outcomes;
    outcomes.reserve(tasks.size());
    for (auto& task : tasks) outcomes.push_back(settled_of(task));
    co_return outcomes;
}

template <class... A>
[[nodiscard]] auto all_settled(A&&... awaitables) {
    if constexpr (sizeof...(A) == 1 && (AwaitableRange<A> && ...)) {
        return all_settled_of_range<std::decay_t<A>...>(std::forward<A>(awaitables)...);
    } else if constexpr (check_awaitable<A...>()) {
        return all_settled_in_tuple<AwaitValue<A>...>({as_future(std::forward<A>(awaitables))...});
    } else {
        return NotAwaitable{};
    }
}

}  // namespace gyre
