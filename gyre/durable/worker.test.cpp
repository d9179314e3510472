// SPDX-License-Identifier: Apache-2.0
// What a worker does with its room and with news that come at the wrong moment.
#include "gyre/durable/worker.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "gyre/durable/durable_world.test.hpp"

namespace gyre::durable {
namespace {

class DurableWorker : public DurableWorld {};

Effectful<Value> parent_of_a_short_child() {
    co_await perform(Durable::start, std::string("child"), std::string("child"), Value());
    co_return co_await perform(Durable::result, std::string("child"));
}
Effectful<int> short_child() {
    co_await perform(Durable::sleep, 500);
    co_return 7;
}

TEST_F(DurableWorker, loses_no_end_of_a_child_that_comes_while_its_parent_asks_for_it) {
    Process process(url());
    process.spy.on_answer = [](const std::string& sql) -> Future<void> {
        // The child ends between this answer and the parent that waits for it.
        if (sql.starts_with("select key, entry")) co_await sleep(900ms);
    };
    process.add("main", &parent_of_a_short_child);
    process.add("child", &short_child);
    process.run([&]() -> Future<void> {
        co_await process.store.start("parent", "main");
        co_await sleep(20s);
        const auto parent = co_await process.store.info("parent");
        EXPECT_EQ(parent->status, RunStatus::done);
        EXPECT_EQ(parent->result, Value(7));
    });
}

TEST_F(DurableWorker, asks_again_for_a_child_while_its_database_is_away) {
    Process process(url());
    int lost_starts = 0;
    int lost_questions = 0;
    process.spy.on_answer = [&](const std::string& sql) -> Future<void> {
        const bool is_start = sql.starts_with("insert into gyre_runs");
        int& lost = is_start ? lost_starts : lost_questions;
        // The first start is that of the test.
        const bool is_lost =
            is_start ? ++lost > 1 && lost < 5 : sql.starts_with("select key, entry") && ++lost < 5;
        if (is_lost) throw db::DbError(db::DbError::Kind::lost, "the server has gone");
        co_return;
    };
    process.add("main", &parent_of_a_short_child);
    process.add("child", &short_child);
    process.run([&]() -> Future<void> {
        co_await process.store.start("parent", "main");
        co_await sleep(20s);
        EXPECT_EQ((co_await process.store.result("parent")).value(), Value(7));
    });
    EXPECT_EQ(lost_starts, 5);
    EXPECT_GE(lost_questions, 5);
}

TEST_F(DurableWorker, gives_back_runs_whose_claim_it_heard_no_answer_to) {
    Process process(url());
    int lost = 0;
    process.spy.on_answer = [&](const std::string& sql) -> Future<void> {
        if (sql.starts_with("update gyre_runs set owner = $1") && ++lost == 1) {
            throw db::DbError(db::DbError::Kind::lost, "the server has gone");
        }
        co_return;
    };
    process.add("child", &short_child);
    process.run([&]() -> Future<void> {
        co_await process.store.start("a", "child");
        co_await sleep(1h);
        EXPECT_EQ((co_await process.store.info("a"))->status, RunStatus::done);
    });
    EXPECT_GE(lost, 2);
}

Effectful<int> call_other(int n) {
    co_return co_await perform(Work::other, n);
}

// Handlers that take a second, and how many of them there were at once.
struct SlowWork {
    std::size_t count = 0;
    std::size_t peak = 0;

    void add_to(effect::Handlers& handlers) {
        handlers.on(Work::other, [this](int n) -> Future<int> {
            peak = std::max(peak, ++count);
            co_await sleep(1s);
            --count;
            co_return n;
        });
    }
};

TEST_F(DurableWorker, has_no_more_runs_in_memory_than_its_limit) {
    for (const std::size_t runs_max : {std::size_t{1}, std::size_t{3}, std::size_t{70}}) {
        WorkerOptions options;
        options.runs_max = runs_max;
        SlowWork work;
        Process process(url(), options);
        work.add_to(process.handlers);
        process.add("main", &call_other);
        const std::size_t run_count = 2 * runs_max + 2;
        process.run([&]() -> Future<void> {
            const auto key = [&](std::size_t i) {
                return std::to_string(runs_max) + "/" + std::to_string(i);
            };
            for (std::size_t i = 0; i < run_count; ++i) {
                co_await process.store.start(key(i), "main", Arguments::of(1));
            }
            for (std::size_t i = 0; i < run_count; ++i) {
                EXPECT_EQ((co_await process.store.result(key(i))).value(), Value(1));
            }
        });
        EXPECT_GT(work.peak, runs_max / 2);
        EXPECT_LE(work.peak, runs_max);
    }
}

}  // namespace
}  // namespace gyre::durable
