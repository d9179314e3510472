// SPDX-License-Identifier: Apache-2.0
// any: runs futures concurrently; the first value wins, and the others are cancelled and awaited.
// Failures count only when all have failed: then AggregateError is thrown, which holds them.
//
//     std::string page = co_await any(fetch(mirror_a), fetch(mirror_b));
//
// Thread: one executor's thread.
// Lifetime: the futures are moved in; they end before the await does.
// Cancel: see detail/gather.hpp.
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
