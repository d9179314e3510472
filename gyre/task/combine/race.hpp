// SPDX-License-Identifier: Apache-2.0
// race, any: run futures concurrently; the first one wins, and the others are cancelled and
// awaited. `race` ends with the first future that settles, with its value or its failure. `any`
// ends with the first value; only if all fail does it throw AggregateError, which holds the
// failures.
//
//     std::string page = co_await race(fetch(nearby), fetch(far_away));
//     std::string mirrored = co_await any(fetch(mirror_a), fetch(mirror_b));
//
// Thread: one executor's thread.
// Lifetime: the futures are moved in; they end before the await does.
// Cancel: see detail/gather.hpp. keep_running (shield.hpp) lets a losing future run on.
//
// A race of no futures throws Failure, because nothing could settle; any of none
// throws AggregateError.
#pragma once

#include <array>
#include <concepts>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "gyre/base/failure.hpp"
#include "gyre/task/combine/detail/gather.hpp"

namespace gyre {

template <class First, class... Others>
[[nodiscard]] consteval bool check_same_value() {
    if constexpr (check_awaitable<First, Others...>()) {
        constexpr bool is_same = (std::same_as<AwaitValue<First>, AwaitValue<Others>> && ...);
        static_assert(is_same, "a race needs awaitables that give the same type: use select");
        return is_same;
    } else {
        return false;
    }
}
template <class First, class... Others>
[[nodiscard]] auto array_of_futures(First&& first, Others&&... others) {
    return std::array<Future<AwaitValue<First>>, 1 + sizeof...(others)>{
        as_future(std::forward<First>(first)), as_future(std::forward<Others>(others))...};
}

inline constexpr Gather::Rule until_one_settles = [](const Tally& /*tally*/) noexcept {
    return true;
};

template <AwaitableRange R>
Future<GivenBy<R>> race_of_range(R futures) {
    if (std::begin(futures) == std::end(futures)) {
        throw Failure("a race of no futures would never end");
    }
    Task& owner = co_await this_task();
    Gather gather(owner, "race", until_one_settles);
    auto tasks = gather.start_all(futures);
    co_await gather.decided();
    co_return gather.decider_of(tasks).outcome().take();
}

// Of awaitables, or of one range of them. All give the same type: `select` is for different ones.
template <class... A>
[[nodiscard]] auto race(A&&... awaitables) {
    if constexpr (sizeof...(A) == 1 && (AwaitableRange<A> && ...)) {
        return race_of_range<std::decay_t<A>...>(std::forward<A>(awaitables)...);
    } else if constexpr (check_same_value<A...>()) {
        return race_of_range(array_of_futures(std::forward<A>(awaitables)...));
    } else {
        return NotAwaitable{};
    }
}

class AggregateError : public Failure {
public:
    explicit AggregateError(std::vector<std::exception_ptr> failures)
        : Failure("all of " + std::to_string(failures.size()) + " futures failed"),
          failures_(std::move(failures)) {}
    // In the order of the futures.
    [[nodiscard]] const std::vector<std::exception_ptr>& failures() const noexcept {
        return failures_;
    }

private:
    std::vector<std::exception_ptr> failures_;
};

inline constexpr Gather::Rule until_one_is_good = [](const Tally& tally) noexcept {
    return tally.good > 0 || tally.left == 0;
};

template <AwaitableRange R>
Future<GivenBy<R>> any_of_range(R futures) {
    Task& owner = co_await this_task();
    Gather gather(owner, "any", until_one_is_good);
    auto tasks = gather.start_all(futures);
    co_await gather.ended();
    if (gather.tally().good == 0) {
        co_await cancel_point();
        std::vector<std::exception_ptr> failures;
        for (auto& task : tasks) failures.push_back(task.outcome().failure());
        throw AggregateError(std::move(failures));
    }
    co_return gather.decider_of(tasks).outcome().take();
}

template <class... A>
[[nodiscard]] auto any(A&&... awaitables) {
    if constexpr (sizeof...(A) == 1 && (AwaitableRange<A> && ...)) {
        return any_of_range<std::decay_t<A>...>(std::forward<A>(awaitables)...);
    } else if constexpr (check_same_value<A...>()) {
        return any_of_range(array_of_futures(std::forward<A>(awaitables)...));
    } else {
        return NotAwaitable{};
    }
}

}  // namespace gyre
