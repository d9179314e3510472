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
// A race of no futures throws std::invalid_argument, because nothing could settle; any of none
// throws AggregateError.
#pragma once

#include <array>
#include <concepts>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "gyre/task/combine/detail/gather.hpp"

namespace gyre {

inline constexpr Gather::Rule until_one_settles = [](const Tally& /*tally*/) noexcept {
    return true;
};

template <FutureRange R>
[[nodiscard]] Future<GivenBy<R>> race(R futures) {
    if (std::begin(futures) == std::end(futures)) {
        throw std::invalid_argument("a race of no futures would never end");
    }
    Task& owner = co_await this_task();
    Gather gather(owner, "race", until_one_settles);
    auto tasks = gather.start_all(futures);
    co_await gather.decided();
    co_return gather.decider_of(tasks).outcome().take();
}

template <IsFuture F, IsFuture... Others>
    requires(std::same_as<typename F::value_type, typename Others::value_type> && ...)
[[nodiscard]] auto race(F first, Others... others) {
    using Each = Future<typename F::value_type>;
    return race(std::array<Each, 1 + sizeof...(others)>{std::move(first), std::move(others)...});
}

class AggregateError : public std::runtime_error {
public:
    explicit AggregateError(std::vector<std::exception_ptr> failures)
        : std::runtime_error("all of " + std::to_string(failures.size()) + " futures failed"),
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

template <FutureRange R>
[[nodiscard]] Future<GivenBy<R>> any(R futures) {
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

template <IsFuture F, IsFuture... Others>
    requires(std::same_as<typename F::value_type, typename Others::value_type> && ...)
[[nodiscard]] auto any(F first, Others... others) {
    using Each = Future<typename F::value_type>;
    return any(std::array<Each, 1 + sizeof...(others)>{std::move(first), std::move(others)...});
}

}  // namespace gyre
