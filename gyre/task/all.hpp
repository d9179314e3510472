// SPDX-License-Identifier: Apache-2.0
// All of them, side by side: the values in the order of the futures, whatever order they come in.
//
//     auto [user, orders] = co_await all(fetch_user(id), fetch_orders(id));    // a tuple
//     std::vector<Page> pages = co_await all(std::move(fetches));              // a range
//
// The first that fails cancels the others; when they have ended, its failure is thrown. Of no
// futures: no values, at once. A future of void gives a Unit in a tuple; a range of such gives
// nothing. Cancel class: see gather.hpp.
#pragma once

#include <tuple>
#include <utility>
#include <vector>

#include "gyre/task/gather.hpp"

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

}  // namespace gyre
