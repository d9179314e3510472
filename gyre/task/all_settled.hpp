// SPDX-License-Identifier: Apache-2.0
// What became of each of them, in the order of the futures: a value or what it failed with. Waits
// for all, and never fails itself but by a cancel.
//
//     for (Settled<Page>& page : co_await all_settled(std::move(fetches))) {
//         if (page) show(*page); else report(page.error());
//     }
//
// Cancel class: see gather.hpp; the outcomes of those that ended before are dropped.
#pragma once

#include <exception>
#include <expected>
#include <tuple>
#include <utility>
#include <vector>

#include "gyre/task/gather.hpp"

namespace gyre {

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
