// SPDX-License-Identifier: Apache-2.0
// Ticker: starts the runs of the schedules of a queue when their time has come: one for each time, whichever worker
// is there first. The loop's thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gyre/durable/cron.hpp"
#include "gyre/durable/store.hpp"
#include "gyre/task/sync/event.hpp"

namespace gyre::durable {

// The last times from `next`, which is one, to `now`: at most so many, the oldest first.
[[nodiscard]] std::vector<db::Timestamp> last_ticks(const Cron& cron, db::Timestamp next,
                                                    db::Timestamp now, std::size_t count_max);

class Ticker {
public:
    Ticker(Store& store, std::string queue) : store_(store), queue_(std::move(queue)) {}
    Ticker(const Ticker&) = delete;
    Ticker& operator=(const Ticker&) = delete;

    // Until it is cancelled.
    [[nodiscard]] Future<void> work();
    // A schedule may have changed.
    void look_again() noexcept { has_news_.set(); }

private:
    [[nodiscard]] Future<std::int64_t> next_tick();
    // False: none was due any more.
    [[nodiscard]] Future<bool> start_due();
    [[nodiscard]] Future<bool> start_due_in(db::Transaction& in, std::vector<std::string>& started);

    Store& store_;
    const std::string queue_;
    Event has_news_;
};

}  // namespace gyre::durable
