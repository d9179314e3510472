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
    co_return std::apply([](auto&... task) { return std::tuple<Kept<T>...>{take_kept(task)...}; },
                         tasks);
}

template <IsFuture... F>
[[nodiscard]] auto all(F... futures) {
    return all_in_tuple<typename F::value_type...>({std::move(futures)...});
}

template <FutureRange R>
    requires(!std::is_void_v<GivenBy<R>>)
[[nodiscard]] Future<std::vector<GivenBy<R>>> all(R futures) {
    Task& owner = co_await this_task();
    Gather gather(owner, "all", until_one_fails);
    auto tasks = gather.start_all(futures);
    co_await gather.decided();
    std::vector<GivenBy<R>> values;
    values.reserve(tasks.size());
    for (auto& task : tasks) values.push_back(task.outcome().take());
    co_return values;
}
template <FutureRange R>
    requires std::is_void_v<GivenBy<R>>
[[nodiscard]] Future<void> all(R futures) {
    Task& owner = co_await this_task();
    Gather gather(owner, "all", until_one_fails);
    auto tasks = gather.start_all(futures);
    co_await gather.decided();
}

// Declared in future.hpp.
template <class T>
template <class U>
auto Future<T>::and_(Future<U> other) && {
    return all(std::move(*this), std::move(other)).map([](std::tuple<Kept<T>, Kept<U>> both) {
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

template <IsFuture... F>
[[nodiscard]] auto all_settled(F... futures) {
    return all_settled_in_tuple<typename F::value_type...>({std::move(futures)...});
}

template <FutureRange R>
[[nodiscard]] Future<std::vector<Settled<GivenBy<R>>>> all_settled(R futures) {
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

}  // namespace gyre
