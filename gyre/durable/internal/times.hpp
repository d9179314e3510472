// SPDX-License-Identifier: Apache-2.0
// What the parts of a worker need to wait for their store.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>

#include "gyre/db/error.hpp"
#include "gyre/db/statements.hpp"
#include "gyre/task/combine/timeout.hpp"
#include "gyre/task/sync/event.hpp"

namespace gyre::durable {

// When a run wakes up that waits for a signal or another run.
inline constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

[[nodiscard]] inline std::int64_t micros(Duration of) noexcept {
    return std::chrono::duration_cast<std::chrono::microseconds>(of).count();
}

// The database may take the same statements a moment later.
[[nodiscard]] inline bool is_passing(const db::DbError& error) noexcept {
    using Kind = db::DbError::Kind;
    switch (error.kind()) {
        case Kind::unreachable:
        case Kind::busy:
        case Kind::lost:
        case Kind::read_only:
        case Kind::conflict:
        case Kind::timed_out:
            return true;
        default:
            return false;
    }
}

// Part of a transaction that holds what other workers wait for: one that is stopped meanwhile loses it.
[[nodiscard]] inline Future<void> end_if_idle(db::Transaction& in, bool is_postgres) {
    if (!is_postgres) co_return;
    co_await in.execute("select set_config('idle_in_transaction_session_timeout', '5000', true)");
}

// The Event is set, or the time is over.
[[nodiscard]] inline Future<void> wait_at_most(Event& event, Duration time) {
    try {
        co_await timeout(event.wait(), time);
    } catch (const TimeoutError&) {
        // Then without the event.
    }
}

}  // namespace gyre::durable
