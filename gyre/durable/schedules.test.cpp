// SPDX-License-Identifier: Apache-2.0
#include "gyre/durable/schedules.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "gyre/durable/durable_world.test.hpp"
#include "gyre/durable/internal/ticker.hpp"

namespace gyre::durable {
namespace {

class DurableSchedule : public DurableWorld {
protected:
    static Effectful<int> make_report(int n) { co_return co_await perform(Work::step, n); }

    // The times in the keys of the runs of a schedule, the oldest first.
    static Future<std::vector<std::string>> times_of(Store& store, std::string name) {
        std::vector<std::string> times;
        for (const RunInfo& run : co_await store.list()) {
            EXPECT_EQ(run.status, RunStatus::done) << run.key;
            EXPECT_TRUE(run.key.starts_with(name + "@")) << run.key;
            times.push_back(run.key.substr(name.size() + 1));
        }
        std::ranges::sort(times);
        co_return times;
    }
};

TEST_F(DurableSchedule, starts_one_run_at_each_of_its_times) {
    Process process(url());
    process.add("report", &make_report);
    process.run([&]() -> Future<void> {
        co_await sleep(10s);
        co_await set_schedule(process.store, "ten", "*/10 * * * *", "report", Arguments::of(7));
        co_await sleep(35min);
        const std::vector<std::string> wanted = {"2026-01-01T00:10Z", "2026-01-01T00:20Z",
                                                 "2026-01-01T00:30Z"};
        EXPECT_EQ(co_await times_of(process.store, "ten"), wanted);
        const auto all = co_await list_schedules(process.store);
        EXPECT_EQ(all.size(), 1U);
        EXPECT_EQ(all.at(0).next_at.to_string(), "2026-01-01 00:40:00+00");
        EXPECT_TRUE(co_await remove_schedule(process.store, "ten"));
        EXPECT_FALSE(co_await remove_schedule(process.store, "ten"));
        co_await sleep(1h);
        EXPECT_EQ((co_await process.store.list()).size(), 3U);
    });
    EXPECT_EQ(process.calls, (std::map<int, int>{{7, 3}}));
}

TEST_F(DurableSchedule, of_two_workers_starts_each_run_once) {
    Process process(url());
    process.add("report", &make_report);
    process.run([&]() -> Future<void> {
        Worker other(process.scheduler, process.store);
        other.add("report", process.guest, process.handlers);
        auto with_both = [&](Scope& scope) -> Future<void> {
            auto working = scope.spawn([&]() { return other.run(); });
            co_await set_schedule(process.store, "often", "* * * * *", "report", Arguments::of(7));
            co_await sleep(30min + 10s);
            working.cancel("the test is over");
        };
        co_await with_scope(with_both);
        EXPECT_EQ((co_await times_of(process.store, "often")).size(), 30U);
    });
    EXPECT_EQ(process.calls, (std::map<int, int>{{7, 30}}));
}

TEST_F(DurableSchedule, catches_up_with_the_last_of_the_times_that_it_missed) {
    for (const std::size_t most : {std::size_t{1}, std::size_t{2}, std::size_t{1000}}) {
        const std::string name = "hourly" + std::to_string(most);
        Process process(url());
        process.add("report", &make_report);
        process.run([&]() -> Future<void> {
            ScheduleOptions options;
            options.catch_up_max = most;
            co_await set_schedule(process.store, name, "@hourly", "report", Arguments::of(7),
                                  options);
            // As if no worker had been there for four hours.
            co_await process.store.pool().execute(
                "update gyre_schedules set next_at = next_at - 18000000000");
            co_await set_schedule(process.store, name, "@hourly", "report", Arguments::of(7),
                                  options);
            co_await sleep(10s);
            std::vector<std::string> wanted = {"2025-12-31T20:00Z", "2025-12-31T21:00Z",
                                               "2025-12-31T22:00Z", "2025-12-31T23:00Z",
                                               "2026-01-01T00:00Z"};
            if (most < wanted.size()) {
                wanted.erase(wanted.begin(), wanted.end() - static_cast<std::ptrdiff_t>(most));
            }
            EXPECT_EQ(co_await times_of(process.store, name), wanted);
            co_await remove_schedule(process.store, name);
            co_await process.store.remove_ended(db::Timestamp::future());
        });
    }
}

TEST_F(DurableSchedule, that_is_set_again_misses_nothing_and_that_is_changed_begins_anew) {
    Process process(url());
    process.run([&]() -> Future<void> {
        co_await set_schedule(process.store, "a", "@hourly", "report");
        co_await process.store.pool().execute("update gyre_schedules set queue = 'q', next_at = 5");
        ScheduleOptions elsewhere;
        elsewhere.queue = "other";
        co_await set_schedule(process.store, "a", "@hourly", "other", {}, elsewhere);
        auto all = co_await list_schedules(process.store);
        EXPECT_EQ(all.at(0).next_at.micros, 5);
        EXPECT_EQ(all.at(0).entry, "other");
        EXPECT_EQ(all.at(0).queue, "other");
        co_await set_schedule(process.store, "a", "@daily", "other", {}, elsewhere);
        all = co_await list_schedules(process.store);
        EXPECT_EQ(all.at(0).next_at.to_string(), "2026-01-02 00:00:00+00");
    });
}

TEST_F(DurableSchedule, that_was_damaged_stops_and_the_others_go_on) {
    Process process(url());
    process.add("report", &make_report);
    process.run([&]() -> Future<void> {
        co_await set_schedule(process.store, "a", "* * * * *", "report", Arguments::of(7));
        co_await set_schedule(process.store, "b", "* * * * *", "report", Arguments::of(7));
        co_await process.store.pool().execute(
            "update gyre_schedules set cron = 'nonsense' where name = 'a'");
        co_await sleep(90s);
        EXPECT_EQ((co_await times_of(process.store, "b")).size(), 1U);
        EXPECT_EQ((co_await list_schedules(process.store)).at(0).next_at, db::Timestamp::future());
    });
}

TEST_F(DurableSchedule, beyond_its_limits_is_refused) {
    StoreOptions small;
    small.payload_bytes_max = 100;
    Process process(url(), {}, small);
    process.run([&]() -> Future<void> {
        using Kind = DurableError::Kind;
        for (int call = 0; call < 4; ++call) {
            std::optional<Kind> kind;
            ScheduleOptions options;
            if (call == 0) options.catch_up_max = 0;
            if (call == 1) options.catch_up_max = ScheduleOptions::catch_up_limit + 1;
            const std::string cron = call == 3 ? "0 0 31 2 *" : "@daily";
            Arguments arguments;
            if (call == 2) arguments = Arguments::of(std::string(200, 'x'));
            try {
                co_await set_schedule(process.store, "a", cron, "report", arguments, options);
            } catch (const DurableError& e) {
                kind = e.kind();
            }
            EXPECT_EQ(kind, call == 3 ? Kind::bad_schedule : Kind::limit) << call;
        }
        EXPECT_TRUE((co_await list_schedules(process.store)).empty());
    });
}

TEST(DurableTicks, are_the_last_ones_however_long_ago_the_first_was) {
    const db::Timestamp now = db::Timestamp::parse("2026-11-19 15:22:30").value();
    const auto ticks = [&](const char* cron, const char* from, std::size_t most) {
        return last_ticks(Cron::parse(cron), db::Timestamp::parse(from).value(), now, most);
    };
    EXPECT_EQ(ticks("* * * * *", "1970-01-01 00:00:00", 3).front().to_string(),
              "2026-11-19 15:20:00+00");
    EXPECT_EQ(ticks("@yearly", "1970-01-01 00:00:00", 1000).size(), 57U);
    EXPECT_EQ(ticks("@yearly", "1970-01-01 00:00:00", 2).front().to_string(),
              "2025-01-01 00:00:00+00");
    EXPECT_EQ(ticks("* * * 1-6 *", "1970-01-01 00:00:00", 1).front().to_string(),
              "2026-06-30 23:59:00+00");
    EXPECT_EQ(ticks("* * * * *", "2026-11-19 15:22:00", 3).size(), 1U);
    EXPECT_TRUE(ticks("* * * * *", "2026-11-19 15:23:00", 3).empty());
}

}  // namespace
}  // namespace gyre::durable
