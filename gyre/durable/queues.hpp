// SPDX-License-Identifier: Apache-2.0
// Limits of a queue: how many of its runs are worked on at once, and how many are taken up in a second, by all workers
// of the store together.
//
//     durable::QueueLimits limits;
//     limits.running_max = 10;
//     limits.per_second = 2.5;
//     co_await durable::set_queue_limits(store, "mail", limits);
//
// Thread: the store's.
// Lifetime: the store outlives the futures.
// Cancel: the limits are changed as a whole, or not at all.
//
// Other workers hear of a change at once on PostgreSQL, and within a third of their lease on SQLite. Runs that are
// being worked on go on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "gyre/durable/store.hpp"

namespace gyre::durable {

// Not an aggregate: g++ 12 destroys one twice inside of a co_await.
struct QueueLimits {
    QueueLimits() noexcept = default;

    // Runs that a worker has in memory. One that was put aside, waiting, is not counted, and comes back when there
    // is room again; 0: none is taken up.
    std::optional<std::uint32_t> running_max;
    // Also those that are taken up again, after a wait or after a crash. They are spaced, from one million a second to
    // one in twelve days: no tenth of a second has more than its share, or one.
    std::optional<double> per_second;
};

// Throws a DurableError (limit) for numbers outside of these.
[[nodiscard]] Future<void> set_queue_limits(Store& store, std::string queue, QueueLimits limits);
[[nodiscard]] Future<QueueLimits> queue_limits(Store& store, std::string queue);

}  // namespace gyre::durable
