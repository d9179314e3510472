// SPDX-License-Identifier: Apache-2.0
// Workers on one PostgreSQL server: they are told of what there is to do and do not poll, and share the limits of a
// queue and the times of a schedule.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include <gyre/durable/policy.hpp>
#include <gyre/durable/queues.hpp>
#include <gyre/durable/schedules.hpp>
#include <gyre/durable/worker.hpp>
#include <gyre/effect/coroutine_guest.hpp>
#include <gyre/gyre.hpp>

#include "tests/db/scratch_server.hpp"
#include "tests/support/spied_database.hpp"

namespace gyre::durable {
namespace {

using namespace std::chrono_literals;
using effect::Arguments;
using effect::Effectful;
using effect::Value;

struct Work {
    static constexpr effect::ResumeOp<int(int)> slow{"test", "slow"};
    static constexpr effect::ResumeOp<int(int)> counted{"test", "counted"};
};

// Several minutes: only a test that hangs takes so long.
constexpr int looks_max = 30'000;

Effectful<int> call_often(int n) {
    int sum = 0;
    for (int i = 0; i < n; ++i) sum += co_await effect::perform(Work::counted, i);
    co_return sum;
}
Effectful<int> call_slow(int n) {
    co_return co_await effect::perform(Work::slow, n);
}

// What one process has, except for the loop.
struct Node {
    Node(Scope& root, const std::string& url, Duration poll_every)
        : executor(root.executor()),
          scheduler(executor),
          database(url),
          store(executor, std::make_unique<test::SpiedDriver>(database, spy), polled(poll_every)),
          worker(scheduler, store) {
        guest.add("main", &call_slow);
        handlers.on(Work::slow, [this](int n) -> Future<int> {
            peak = std::max(peak, ++*count);
            co_await sleep(20ms);
            --*count;
            co_return n;
        });
        guest.add("often", &call_often);
        handlers.on(Work::counted, [this](effect::Context& context, int n) -> Future<int> {
            ++calls[op_key(context)];
            co_await sleep(2ms);
            co_return n;
        });
        worker.add("main", guest, handlers);
        worker.add("often", guest, handlers);
    }
    static StoreOptions polled(Duration poll_every) {
        StoreOptions options;
        options.poll_every = poll_every;
        return options;
    }

    Executor& executor;
    effect::Scheduler scheduler;
    effect::CoroutineGuest guest;
    effect::Handlers handlers;
    test::DatabaseSpy spy;
    db::Pool database;
    Store store;
    Worker worker;
    std::size_t own = 0;
    std::size_t* count = &own;
    std::size_t peak = 0;
    std::map<std::string, int> calls;  // of counted steps, by their keys
};

class DurablePostgres : public testing::Test {
protected:
    // With the workers of two nodes; the body may use both stores. With a poll of an hour only what the database tells
    // is heard in time.
    template <class F>
    static void run_two(F body, Duration poll_every = 1h) {
        const std::string url = test::ScratchServer::instance().url();
        const auto app = [&](Scope& root) -> Future<void> {
            Node first(root, url, poll_every);
            Node second(root, url, poll_every);
            second.count = first.count;
            co_await first.store.open();
            co_await second.store.open();
            co_await first.store.pool().script(
                "delete from gyre_runs; delete from gyre_schedules; delete from gyre_queues");
            auto with_workers = [&](Scope& scope) -> Future<void> {
                auto one = scope.spawn([&]() { return first.worker.run(); });
                auto two = scope.spawn([&]() { return second.worker.run(); });
                co_await body(first, second);
                one.cancel("the test is over");
                two.cancel("the test is over");
            };
            co_await with_scope(with_workers);
        };
        EXPECT_EQ(gyre::run(app), 0);
    }
    static Future<void> start(Store& store, const std::string& prefix, int count) {
        for (int i = 0; i < count; ++i) {
            co_await store.start(prefix + std::to_string(i), "main", Arguments::of(i));
        }
    }
    static Future<void> expect_results(Store& store, const std::string& prefix, int count) {
        for (int i = 0; i < count; ++i) {
            EXPECT_EQ((co_await store.result(prefix + std::to_string(i))).value(), Value(i));
        }
    }
};

// Nothing else would make them look within the hour.
TEST_F(DurablePostgres, workers_are_told_of_the_runs_of_other_processes) {
    GYRE_NEEDS_POSTGRES();
    run_two([](Node& first, Node& second) -> Future<void> {
        StoreOptions options;
        options.poll_every = 1h;
        Store outside(first.executor, test::ScratchServer::instance().url(), options);
        co_await start(outside, "told", 10);
        co_await expect_results(first.store, "told", 10);
        co_await expect_results(second.store, "told", 10);
    });
}

// A worker that looks each five milliseconds would ask a hundred times in each of the windows.
TEST_F(DurablePostgres, workers_that_are_told_do_not_poll) {
    GYRE_NEEDS_POSTGRES();
    const std::size_t statements_max = 10;
    constexpr int windows_max = 100;
    const auto come_to_rest = [&](Node& first, Node& second) -> Future<void> {
        co_await start(first.store, "rest", 3);
        std::size_t asked = statements_max + 1;
        for (int window = 0; window < windows_max && asked > statements_max; ++window) {
            const std::size_t before = first.spy.statement_count + second.spy.statement_count;
            co_await sleep(500ms);
            asked = first.spy.statement_count + second.spy.statement_count - before;
        }
        EXPECT_LE(asked, statements_max);
        EXPECT_GT(first.spy.statement_count, 0U);
    };
    run_two(come_to_rest, 5ms);
}

TEST_F(DurablePostgres, workers_share_the_limits_of_a_queue) {
    GYRE_NEEDS_POSTGRES();
    run_two([](Node& first, Node& second) -> Future<void> {
        QueueLimits limits;
        limits.running_max = 3;
        co_await set_queue_limits(first.store, "default", limits);
        co_await start(first.store, "a", 30);
        co_await expect_results(second.store, "a", 30);
        EXPECT_LE(std::max(first.peak, second.peak), 3U);
        limits.running_max.reset();
        limits.per_second = 100;
        co_await set_queue_limits(second.store, "default", limits);
        co_await start(first.store, "b", 30);
        co_await expect_results(second.store, "b", 30);
    });
}

TEST_F(DurablePostgres, workers_share_the_times_of_a_schedule) {
    GYRE_NEEDS_POSTGRES();
    run_two([](Node& first, Node& second) -> Future<void> {
        ScheduleOptions options;
        options.catch_up_max = 40;
        co_await set_schedule(first.store, "hourly", "@hourly", "main", Arguments::of(1), options);
        // As if nobody had been there for a long time; both are told at once.
        co_await first.store.pool().execute(
            "update gyre_schedules set next_at = next_at - 3600000000 * 100");
        auto tell = [&](db::Transaction& in) -> Future<void> {
            co_await first.store.tell_settings(in);
        };
        co_await first.store.pool().transaction(tell);
        std::size_t done = 0;
        for (int looks = 0; done < 40 && looks < looks_max; ++looks) {
            co_await sleep(10ms);
            done = 0;
            for (const RunInfo& run : co_await second.store.list()) {
                if (run.status == RunStatus::done) ++done;
            }
        }
        EXPECT_EQ((co_await first.store.list()).size(), 40U);
    });
}

// Until all have ended, whatever the server does meanwhile.
Future<void> expect_sums(Store& store, int run_count, int sum) {
    int looks = 0;
    for (int i = 0; i < run_count;) {
        std::optional<RunInfo> info;
        try {
            info = co_await store.info("often" + std::to_string(i));
        } catch (const db::DbError&) {
            // It is away.
        }
        if ((!info || info->status == RunStatus::open) && ++looks < looks_max) {
            co_await sleep(10ms);
            continue;
        }
        if (!info) throw Failure("the server does not come back");
        EXPECT_EQ(info->status, RunStatus::done) << info->message;
        EXPECT_EQ(info->result, Value(sum));
        ++i;
    }
}

// Its processes are killed, and it is started again: answers whose commit nobody heard the end of are there once, and
// what was answered is not asked again.
TEST_F(DurablePostgres, workers_outlive_a_server_that_is_killed_and_started_again) {
    GYRE_NEEDS_POSTGRES();
    constexpr int run_count = 20;
    constexpr int step_count = 20;
    const auto in_spite_of_kills = [&](Node& first, Node& second) -> Future<void> {
        const test::ScratchServer& server = test::ScratchServer::instance();
        for (int i = 0; i < run_count; ++i) {
            co_await first.store.start("often" + std::to_string(i), "often",
                                       Arguments::of(step_count));
        }
        for (int kill = 1; kill <= 3; ++kill) {
            const std::size_t wanted = static_cast<std::size_t>(kill) * run_count;
            while (first.calls.size() + second.calls.size() < wanted) co_await sleep(1ms);
            EXPECT_TRUE(server.call("kill"));
            EXPECT_TRUE(server.call("start"));
        }
        co_await expect_sums(second.store, run_count, step_count * (step_count - 1) / 2);
        first.calls.merge(second.calls);
        EXPECT_EQ(first.calls.size(), static_cast<std::size_t>(run_count) * step_count);
        EXPECT_TRUE(second.calls.empty()) << "asked by both workers";
        for (const auto& [key, count] : first.calls) EXPECT_EQ(count, 1) << key;
    };
    run_two(in_spite_of_kills, 50ms);
}

}  // namespace
}  // namespace gyre::durable
