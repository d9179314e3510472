// SPDX-License-Identifier: Apache-2.0
// Work stealing: the results are those of one thread, parts really run in parallel, exceptions
// reach the joining thread, and results reach a loop as ops.
#include "gyre/pool/workers.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <latch>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "gyre/pool/pool_world.test.hpp"
#include "gyre/pool/pools.hpp"

namespace gyre::pool {
namespace {

using test::do_nothing;
using test::Gate;
using test::GatedWork;
using test::World;

std::uint64_t fib(unsigned n) {
    if (n < 2) return n;
    const auto [one, two] = fork_join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
    return one + two;
}

std::uint64_t sum(const std::vector<std::uint32_t>& values, IndexRange range) {
    if (range.end - range.begin <= 100) {
        return std::accumulate(values.begin() + static_cast<std::ptrdiff_t>(range.begin),
                               values.begin() + static_cast<std::ptrdiff_t>(range.end),
                               std::uint64_t{0});
    }
    const std::size_t middle = range.begin + (range.end - range.begin) / 2;
    const auto [lower, upper] = fork_join([&] { return sum(values, {range.begin, middle}); },
                                          [&] { return sum(values, {middle, range.end}); });
    return lower + upper;
}

// Each part waits for the other to start, so one of them was stolen.
void meet() {
    std::latch both(2);
    fork_join([&] { both.arrive_and_wait(); }, [&] { both.arrive_and_wait(); });
}

void await_asleep(const Workers& workers, std::size_t count) {
    while (workers.metrics().asleep < count) std::this_thread::yield();
}

TEST(Workers, compute_what_one_thread_computes) {
    for (const std::uint32_t count : {1u, 2u, 5u}) {
        Workers workers({.worker_count = count});
        EXPECT_EQ(workers.run([] { return fib(20); }), 6765u);
        std::vector<std::uint32_t> values(20'000);
        std::iota(values.begin(), values.end(), 1u);
        const IndexRange all{.end = values.size()};
        EXPECT_EQ(workers.run([&] { return sum(values, all); }), 20'000u * 20'001u / 2u);
        EXPECT_EQ(workers.metrics().workers, count);
    }
}

TEST(Workers, parallel_for_visits_each_index_once) {
    Workers workers({.worker_count = 3});
    for (const std::size_t grain : {std::size_t{1}, std::size_t{7}, std::size_t{100'000}}) {
        std::vector<int> visits(1'000);
        workers.run([&] {
            parallel_for({.begin = 10, .end = visits.size()}, grain,
                         [&](std::size_t i) { ++visits[i]; });
        });
        for (std::size_t i = 0; i < visits.size(); ++i) ASSERT_EQ(visits[i], i < 10 ? 0 : 1);
    }
    parallel_for({.begin = 5, .end = 5}, 1, [](std::size_t) { FAIL() << "an empty range"; });
}

TEST(Workers, invoke_all_runs_each_function) {
    Workers workers({.worker_count = 2});
    std::array<int, 4> ran{};
    workers.run([&] {
        invoke_all([&] { ran[0] = 1; }, [&] { ran[1] = 2; }, [&] { ran[2] = 3; },
                   [&] { ran[3] = 4; });
    });
    EXPECT_EQ(ran, (std::array{1, 2, 3, 4}));
}

TEST(Workers, steal_what_another_has_forked) {
    Workers workers({.worker_count = 2});
    for (int i = 0; i < 50; ++i) workers.run(meet);
    EXPECT_GE(workers.metrics().steals, 50u);
}

TEST(Workers, a_fork_wakes_a_worker_that_sleeps) {
    Workers workers({.worker_count = 2});
    for (int i = 0; i < 20; ++i) {
        workers.run(meet);
        await_asleep(workers, 2);
    }
    EXPECT_GE(workers.metrics().steals, 20u);
}

TEST(Workers, a_joiner_helps_others_while_it_waits) {
    Workers workers({.worker_count = 2});
    // The second part is stolen and forks again; only the worker that waits for it is free to steal
    // that fork.
    workers.run([&] {
        std::latch is_stolen(1);
        fork_join([&] { is_stolen.wait(); },
                  [&] {
                      is_stolen.count_down();
                      await_asleep(workers, 1);
                      meet();
                  });
    });
    EXPECT_GE(workers.metrics().steals, 2u);
}

// clause: K14
TEST(Workers, run_a_fork_inline_where_there_is_no_room_for_it) {
    Workers workers({.worker_count = 1, .fork_count_max = 4});
    EXPECT_EQ(workers.run([] { return fib(12); }), 144u);
    EXPECT_GT(workers.metrics().overflows, 0u);
}

TEST(Workers, fork_join_elsewhere_runs_one_after_the_other) {
    EXPECT_EQ(fib(10), 55u);
    std::string order;
    fork_join([&] { order += 'a'; }, [&] { order += 'b'; });
    EXPECT_EQ(order, "ab");
}

TEST(Workers, an_exception_reaches_the_joiner) {
    Workers workers({.worker_count = 2});
    const auto message_of = [&](auto function) -> std::string {
        try {
            workers.run(function);
        } catch (const std::runtime_error& error) {
            return error.what();
        }
        return "nothing";
    };
    const auto fail = [](const char* what) { throw std::runtime_error(what); };
    EXPECT_EQ(message_of([&] { fail("outside"); }), "outside");
    EXPECT_EQ(message_of([&] { fork_join([&] { fail("first"); }, [] {}); }), "first");
    EXPECT_EQ(message_of([&] { fork_join([] {}, [&] { fail("second"); }); }), "second");
    EXPECT_EQ(message_of([&] { fork_join([&] { fail("first"); }, [&] { fail("second"); }); }),
              "first");
    EXPECT_EQ(message_of([&] {
                  parallel_for({.end = 1'000}, 10, [&](std::size_t i) {
                      if (i == 777) fail("deep");
                  });
              }),
              "deep");
}

TEST(Workers, an_exception_of_the_first_waits_for_a_stolen_second) {
    Workers workers({.worker_count = 2});
    std::atomic<bool> is_second_over{false};
    const auto both = [&] {
        std::latch is_stolen(1);
        fork_join(
            [&] {
                is_stolen.wait();
                throw std::runtime_error("first");
            },
            [&] {
                is_stolen.count_down();
                for (int i = 0; i < 1'000; ++i) std::this_thread::yield();
                is_second_over = true;
            });
    };
    EXPECT_THROW(workers.run(both), std::runtime_error);
    EXPECT_TRUE(is_second_over);
}

TEST(Workers, an_exception_of_a_stolen_second_comes_back_with_its_type) {
    Workers workers({.worker_count = 2});
    const auto both = [] {
        std::latch is_stolen(1);
        fork_join([&] { is_stolen.wait(); },
                  [&] {
                      is_stolen.count_down();
                      throw std::out_of_range("second");
                  });
    };
    EXPECT_THROW(workers.run(both), std::out_of_range);
}

// clause: L19
TEST(Workers, bring_a_result_to_a_loop_as_an_op) {
    Workers workers({.worker_count = 2});
    Pools pools({.compute = &workers});
    World world(pools);
    FunctionWork work([] { return fib(15); }, WorkKind::compute);
    std::thread::id done_on;
    world.app.on_done = [&done_on](Op&) { done_on = std::this_thread::get_id(); };
    world.app.submit(work);
    EXPECT_EQ(world.finish(work), 0);
    EXPECT_EQ(work.value(), 610u);
    EXPECT_EQ(workers.metrics().done, 1u);
    EXPECT_EQ(done_on, std::this_thread::get_id());
}

TEST(Workers, queued_ops_are_withdrawn_and_too_many_refused) {
    Workers workers({.worker_count = 1, .queued_count_max = 1});
    World world(workers);
    Gate gate;
    GatedWork running(gate);
    GatedWork queued(gate);
    GatedWork refused(gate);
    world.hand_over(running);
    gate.await_arrived(1);
    world.hand_over(queued);
    EXPECT_EQ(workers.metrics().running, 1u);
    EXPECT_EQ(workers.metrics().queued, 1u);
    world.app.submit(refused);
    EXPECT_EQ(world.finish(refused), failure(std::errc::resource_unavailable_try_again));
    world.app.cancel(queued);
    EXPECT_EQ(world.finish(queued), failure(std::errc::operation_canceled));
    gate.open();
    EXPECT_EQ(world.finish(running), GatedWork::passed);
}

// clause: K24
TEST(Workers, serve_several_loops_and_callers_at_once) {
    Workers workers({.worker_count = 3});
    std::vector<std::thread> threads;
    for (int i = 0; i < 2; ++i) {
        threads.emplace_back([&] {
            World world(workers);
            for (int round = 0; round < 50; ++round) {
                FunctionWork work([] { return fib(12); });
                world.app.submit(work);
                if (round % 3 == 0) world.app.cancel(work);
                if (world.finish(work) == 0) {
                    EXPECT_EQ(work.value(), 144u);
                }
            }
        });
        threads.emplace_back([&] {
            for (int round = 0; round < 50; ++round) {
                EXPECT_EQ(workers.run([] { return fib(12); }), 144u);
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(workers.metrics().queued, 0u);
    EXPECT_EQ(workers.metrics().running, 0u);
}

std::atomic<std::uint32_t> process{1};
std::uint32_t process_id() noexcept {
    return process.load();
}

TEST(WorkersDeathTest, use_in_a_forked_child_is_said_to_be_an_error) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    process = 1;
    Workers workers({.worker_count = 1, .process_id = process_id});
    EXPECT_DEATH(
        {
            process = 2;
            workers.run([] {});
        },
        "used in a forked child, which has none of its threads");
    process = 1;
}

}  // namespace
}  // namespace gyre::pool
