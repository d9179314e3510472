// SPDX-License-Identifier: Apache-2.0
// race: runs futures concurrently; the first to settle wins, with its value or its failure. The
// others are cancelled and awaited; keep_running (shield.hpp) lets one run on.
//
//     std::string page = co_await race(fetch(nearby), fetch(far_away));
//
// Thread: one executor's thread.
// Lifetime: the futures are moved in; they end before the await does.
// Cancel: see detail/gather.hpp.
//
// Of no futures: std::invalid_argument, because nothing could settle.
#pragma once

#include <array>
#include <concepts>
#include <stdexcept>
#include <utility>

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

}  // namespace gyre
