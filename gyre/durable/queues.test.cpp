// SPDX-License-Identifier: Apache-2.0
#include "gyre/durable/queues.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "gyre/durable/durable_world.test.hpp"

namespace gyre::durable {
namespace {

class DurableQueue : public DurableWorld {
protected:
    // A process whose runs take a second, and note when they begin.
    struct Slow : Process {
        explicit Slow(const std::string& url) : Process(url) {
            handlers.on(Work::other, [this](int n) -> Future<int> {
                begun.push_back(world.app.now());
                peak = std::max(peak, ++count);
                co_await sleep(1s);
                --count;
                co_return n;
            });
            add("main", &call_other);
        }
        static Effectful<int> call_other(int n) { co_return co_await perform(Work::other, n); }
        Future<void> start(int count_of_runs) {
            for (int i = 0; i < count_of_runs; ++i) {
                co_await store.start(std::to_string(i), "main", Arguments::of(i));
            }
        }
        Future<void> finish(int count_of_runs) {
            for (int i = 0; i < count_of_runs; ++i) {
                EXPECT_EQ((co_await store.result(std::to_string(i))).value(), Value(i));
            }
        }
        // A second worker beside the body.
        template <class F>
        Future<void> with_another(F body) {
            Worker other(scheduler, store);
            other.add("main", guest, handlers);
            auto both = [&](Scope& scope) -> Future<void> {
                auto working = scope.spawn([&]() { return other.run(); });
                co_await body();
                working.cancel("the test is over");
            };
            co_await with_scope(both);
        }

        std::vector<Instant> begun;
        std::size_t count = 0;
        std::size_t peak = 0;
    };

    static QueueLimits at_once(std::uint32_t count) {
        QueueLimits limits;
        limits.running_max = count;
        return limits;
    }
    static QueueLimits per_second(double count) {
        QueueLimits limits;
        limits.per_second = count;
        return limits;
    }
};

TEST_F(DurableQueue, has_no_more_runs_at_work_than_its_limit_at_all_workers_together) {
    Slow process(url());
    process.run([&]() -> Future<void> {
        co_await set_queue_limits(process.store, "default", at_once(3));
        co_await process.start(20);
        auto body = [&]() -> Future<void> { co_await process.finish(20); };
        co_await process.with_another(body);
    });
    EXPECT_EQ(process.peak, 3U);
    EXPECT_EQ(process.begun.size(), 20U);
}

TEST_F(DurableQueue, takes_up_no_more_runs_in_a_second_than_its_limit_at_all_workers_together) {
    Slow process(url());
    process.run([&]() -> Future<void> {
        co_await set_queue_limits(process.store, "default", per_second(4));
        co_await process.start(20);
        auto body = [&]() -> Future<void> { co_await process.finish(20); };
        co_await process.with_another(body);
    });
    ASSERT_EQ(process.begun.size(), 20U);
    std::ranges::sort(process.begun);
    // Who comes late is followed by one who comes in time: one more at most.
    for (std::size_t i = 5; i < process.begun.size(); ++i) {
        EXPECT_GE(process.begun[i] - process.begun[i - 5], Duration(990ms)) << i;
    }
    EXPECT_LE(process.begun.back() - process.begun.front(), Duration(10s));
}

TEST_F(DurableQueue, with_many_in_a_second_takes_a_tenth_of_them_together) {
    Slow process(url());
    process.run([&]() -> Future<void> {
        co_await set_queue_limits(process.store, "default", per_second(100));
        co_await process.start(60);
        co_await process.finish(60);
    });
    ASSERT_EQ(process.begun.size(), 60U);
    EXPECT_GE(process.begun.back() - process.begun.front(), Duration(480ms));
    EXPECT_LE(process.begun.back() - process.begun.front(), Duration(2s));
}

TEST_F(DurableQueue, of_none_at_once_waits_until_it_is_let_go_on) {
    Slow process(url());
    process.run([&]() -> Future<void> {
        co_await set_queue_limits(process.store, "default", at_once(0));
        co_await process.start(2);
        co_await sleep(10min);
        EXPECT_TRUE(process.begun.empty());
        co_await set_queue_limits(process.store, "default", {});
        co_await process.finish(2);
        EXPECT_FALSE((co_await queue_limits(process.store, "default")).running_max.has_value());
    });
    EXPECT_EQ(process.begun.size(), 2U);
}

Effectful<Value> wait_for_child() {
    co_await perform(Durable::start, std::string("child"), std::string("main"), Value(3));
    co_return co_await perform(Durable::result, std::string("child"));
}

TEST_F(DurableQueue, gives_the_place_of_a_run_that_waits_to_another) {
    Slow process(url());
    process.add("parent", &wait_for_child);
    process.run([&]() -> Future<void> {
        co_await set_queue_limits(process.store, "default", at_once(1));
        co_await process.store.start("parent", "parent");
        EXPECT_EQ((co_await process.store.result("parent")).value(), Value(3));
    });
}

TEST_F(DurableQueue, counts_a_run_of_a_dead_worker_until_its_lease_is_over) {
    Slow process(url());
    process.run([&]() -> Future<void> {
        co_await set_queue_limits(process.store, "default", at_once(1));
        co_await process.store.pool().execute(
            "insert into gyre_runs (key, queue, entry, version, parent, arguments, status, "
            "wake_at, owner, fence, news, step_count, error, message, created_at) "
            "values ('dead', 'default', 'main', 'unknown here', '', x'0100', 0, $1, 'dead', 1, 0, "
            "0, '', '', 0)",
            process.store.now().micros + 60'000'000);
        co_await process.start(1);
        co_await sleep(50s);
        EXPECT_TRUE(process.begun.empty());
        co_await process.finish(1);
    });
    EXPECT_EQ(process.begun.size(), 1U);
}

TEST_F(DurableQueue, does_not_limit_others) {
    Slow process(url());
    process.run([&]() -> Future<void> {
        co_await set_queue_limits(process.store, "mail", at_once(1));
        co_await process.start(5);
        co_await process.finish(5);
    });
    EXPECT_EQ(process.peak, 5U);
}

TEST_F(DurableQueue, refuses_limits_outside_of_their_range) {
    Process process(url());
    process.run([&]() -> Future<void> {
        for (const double count : {0.0, -1.0, 1e-7, 2e6, std::nan("")}) {
            bool is_refused = false;
            try {
                co_await set_queue_limits(process.store, "a", per_second(count));
            } catch (const DurableError& e) {
                is_refused = e.kind() == DurableError::Kind::limit;
            }
            EXPECT_TRUE(is_refused) << count;
        }
        co_await set_queue_limits(process.store, "a", per_second(2.5));
        EXPECT_EQ((co_await queue_limits(process.store, "a")).per_second, 2.5);
    });
}

}  // namespace
}  // namespace gyre::durable
