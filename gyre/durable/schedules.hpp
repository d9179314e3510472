// SPDX-License-Identifier: Apache-2.0
// Schedules of a store: runs that are started again and again, at times written as in crontab(5) (Cron).
//
//     co_await durable::set_schedule(store, "report", "30 3 * * *", "make_report");
//     for (const durable::ScheduleInfo& one : co_await durable::list_schedules(store)) {
//         std::printf("%s: next at %s\n", one.name.c_str(), one.next_at.to_string().c_str());
//     }
//
// Thread: the store's.
// Lifetime: the store outlives the futures.
// Cancel: a schedule is changed as a whole, or not at all.
//
// The workers of the schedule's queue start its runs: one for each time, however many workers there are, under the
// key `report@2026-11-19T03:30Z`. A run may begin while the one before it has not ended. Of the times that came while no
// worker was there, the last `catch_up_max` get their runs, and the others none.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "gyre/durable/cron.hpp"
#include "gyre/durable/store.hpp"

namespace gyre::durable {

// Not an aggregate: g++ 12 destroys one twice inside of a co_await.
struct ScheduleOptions {
    ScheduleOptions() noexcept = default;

    static constexpr std::size_t catch_up_limit = 1000;

    std::string queue = "default";
    std::string version;       // of its runs
    std::string zone = "UTC";  // or a distance from it, as "+05:30"
    // From 1 to catch_up_limit.
    std::size_t catch_up_max = 1;
};

struct ScheduleInfo {
    std::string name;
    std::string cron;
    std::string zone;
    std::string queue;
    std::string entry;
    std::string version;
    std::size_t catch_up_max = 1;
    db::Timestamp next_at;
};

// Makes it, or changes the one of that name; with the same times, a change misses none of them: a program may set its
// schedules at each start. Throws a DurableError (bad_schedule, limit).
[[nodiscard]] Future<void> set_schedule(Store& store, std::string name, std::string cron,
                                        std::string entry, effect::Arguments arguments = {},
                                        ScheduleOptions options = {});
// Its runs go on. False: there is none.
[[nodiscard]] Future<bool> remove_schedule(Store& store, std::string name);
// By their names.
[[nodiscard]] Future<std::vector<ScheduleInfo>> list_schedules(Store& store);

}  // namespace gyre::durable
