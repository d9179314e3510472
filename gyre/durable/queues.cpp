// SPDX-License-Identifier: Apache-2.0
#include "gyre/durable/queues.hpp"

#include <cmath>

#include "gyre/durable/error.hpp"

namespace gyre::durable {

namespace {

constexpr double micros_per_second = 1e6;

// Microseconds from one run to the next.
std::int64_t spacing_of(double per_second) {
    constexpr double per_second_min = 1e-6;
    constexpr double per_second_max = 1e6;
    // Not a number is outside, too.
    if (!(per_second >= per_second_min && per_second <= per_second_max)) {
        throw DurableError(
            DurableError::Kind::limit,
            "per_second is " + std::to_string(per_second) + ", and goes from 0.000001 to 1000000");
    }
    return static_cast<std::int64_t>(std::ceil(micros_per_second / per_second));
}

struct Stored {
    std::optional<std::int64_t> running_max;
    std::optional<std::int64_t> spacing;
};

}  // namespace

Future<void> set_queue_limits(Store& store, std::string queue, QueueLimits limits) {
    std::optional<std::int64_t> running_max;
    if (limits.running_max) running_max = *limits.running_max;
    std::optional<std::int64_t> spacing;
    if (limits.per_second) spacing = spacing_of(*limits.per_second);
    auto body = [&](db::Transaction& in) -> Future<void> {
        co_await in.execute(
            "insert into gyre_queues (name, running_max, spacing, free_at) "
            "values ($1, $2, $3, 0) on conflict (name) do update set "
            "running_max = excluded.running_max, spacing = excluded.spacing",
            queue, running_max, spacing);
        co_await store.tell_settings(in);
    };
    co_await store.pool().transaction(body);
    store.announce_settings();
}

Future<QueueLimits> queue_limits(Store& store, std::string queue) {
    const auto found = co_await store.pool().optional<Stored>(
        "select running_max, spacing from gyre_queues where name = $1", queue);
    QueueLimits limits;
    if (!found) co_return limits;
    if (found->running_max) limits.running_max = static_cast<std::uint32_t>(*found->running_max);
    if (found->spacing) {
        limits.per_second = micros_per_second / static_cast<double>(*found->spacing);
    }
    co_return limits;
}

}  // namespace gyre::durable
