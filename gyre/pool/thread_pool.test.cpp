// SPDX-License-Identifier: Apache-2.0
// The pool: its queue is bounded, work can be withdrawn only before it starts, the destructor runs
// the queue, and a forked child may not use it.
#include "gyre/pool/thread_pool.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <deque>
#include <mutex>
#include <set>
#include <string>

#include "gyre/base/random.hpp"
#include "gyre/platform/process.hpp"
#include "gyre/pool/pool_world.test.hpp"
#include "tests/support/test_clock.hpp"

namespace gyre::pool {
namespace {

using test::do_nothing;
using test::Gate;
using test::GatedWork;
using test::World;

constexpr std::int32_t cancelled = failure(std::errc::operation_canceled);

// Records the thread it ran on.
class Witness : public WorkOp {
public:
    Witness() noexcept : WorkOp(run) {}
    std::thread::id ran_on;

private:
    static std::int32_t run(WorkOp& op) noexcept {
        static_cast<Witness&>(op).ran_on = std::this_thread::get_id();
        return 42;
    }
};

// clause: L19
TEST(ThreadPool, runs_work_elsewhere_and_completes_it_on_the_loops_thread) {
    ThreadPool pool({.thread_count = 2});
    World world(pool);
    Witness work;
    std::vector<std::thread::id> done_on;
    world.app.on_done = [&done_on](Op&) { done_on.push_back(std::this_thread::get_id()); };
    world.app.submit(work);
    EXPECT_EQ(world.finish(work), 42);
    EXPECT_NE(work.ran_on, std::this_thread::get_id());
    EXPECT_NE(work.ran_on, std::thread::id());
    EXPECT_EQ(done_on, std::vector{std::this_thread::get_id()});
}

TEST(ThreadPool, starts_all_threads_with_the_first_work_if_told_to) {
    for (const bool starts_all : {false, true}) {
        ThreadPool pool({.thread_count = 4, .starts_all_threads = starts_all});
        World world(pool);
        Witness work;
        EXPECT_EQ(pool.metrics().threads, 0u);
        world.app.submit(work);
        EXPECT_EQ(world.finish(work), 42);
        EXPECT_EQ(pool.metrics().threads, starts_all ? 4u : 1u);
    }
}

// clause: L19
TEST(ThreadPool, withdraws_work_only_before_it_began) {
    ThreadPool pool({.thread_count = 1});
    World world(pool);
    Gate gate;
    GatedWork running(gate);
    GatedWork queued(gate);
    world.hand_over(running);
    world.hand_over(queued);
    gate.await_arrived(1);
    world.app.cancel(queued);
    EXPECT_EQ(world.finish(queued), cancelled);
    world.app.cancel(running);
    EXPECT_EQ(running.state(), OpState::offloaded);
    EXPECT_EQ(pool.metrics().running, 1u);
    gate.open();
    EXPECT_EQ(world.finish(running), GatedWork::passed);
    EXPECT_EQ(pool.metrics().withdrawn, 1u);
    EXPECT_EQ(pool.metrics().done, 1u);
}

// clause: K14
TEST(ThreadPool, refuses_what_its_queue_has_no_room_for) {
    ThreadPool pool({.thread_count = 1, .queued_count_max = 2});
    World world(pool);
    Gate gate;
    std::array<GatedWork, 4> works{GatedWork(gate), GatedWork(gate), GatedWork(gate),
                                   GatedWork(gate)};
    world.hand_over(works[0]);
    gate.await_arrived(1);  // It runs, and has left the queue.
    for (std::size_t i = 1; i < works.size(); ++i) world.app.submit(works[i]);
    EXPECT_EQ(world.finish(works[3]), failure(std::errc::resource_unavailable_try_again));
    EXPECT_EQ(pool.metrics().refused, 1u);
    EXPECT_EQ(pool.metrics().queued, 2u);
    gate.open();
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(world.finish(works[i]), GatedWork::passed);
}

TEST(ThreadPool, a_withdrawn_place_is_free_again) {
    ThreadPool pool({.thread_count = 1, .queued_count_max = 1});
    World world(pool);
    Gate gate;
    GatedWork running(gate);
    GatedWork queued(gate);
    world.hand_over(running);
    gate.await_arrived(1);
    for (int i = 0; i < 10; ++i) {
        world.hand_over(queued);
        world.app.cancel(queued);
        EXPECT_EQ(world.finish(queued), cancelled);
    }
    gate.open();
    EXPECT_EQ(world.finish(running), GatedWork::passed);
}

TEST(ThreadPool, work_starts_in_the_order_it_came) {
    ThreadPool pool({.thread_count = 1});
    World world(pool);
    std::deque<WorkOp> works;
    for (int i = 0; i < 100; ++i) world.app.submit(works.emplace_back(do_nothing));
    for (WorkOp& work : works) EXPECT_EQ(world.finish(work), 0);
    for (std::size_t i = 0; i < works.size(); ++i) EXPECT_EQ(world.app.done[i], &works[i]);
}

TEST(ThreadPool, may_have_at_least_four_threads_unless_told) {
    EXPECT_GE(ThreadPool().thread_count_max(), 4u);
    EXPECT_EQ(ThreadPool({.thread_count = 3}).thread_count_max(), 3u);
}

TEST(ThreadPool, starts_a_thread_only_for_work_that_no_idle_one_waits_for) {
    ThreadPool pool({.thread_count = 4});
    World world(pool);
    EXPECT_EQ(pool.metrics().threads, 0u);
    WorkOp work(do_nothing);
    for (int i = 0; i < 20; ++i) {
        world.app.submit(work);
        world.finish(work);
    }
    EXPECT_EQ(pool.metrics().threads, 1u);

    Gate gate;
    std::deque<GatedWork> works;
    for (int i = 0; i < 6; ++i) world.hand_over(works.emplace_back(gate));
    gate.await_arrived(4);
    EXPECT_EQ(pool.metrics().threads, 4u);
    EXPECT_EQ(pool.metrics().queued, 2u);
    gate.open();
    for (GatedWork& gated : works) EXPECT_EQ(world.finish(gated), GatedWork::passed);
}

TEST(ThreadPool, finishes_what_is_queued_before_it_ends) {
    Gate gate;
    GatedWork first(gate);
    WorkOp second(do_nothing);
    auto pool = std::make_unique<ThreadPool>(ThreadPoolOptions{.thread_count = 1});
    World world(*pool);
    world.hand_over(first);
    world.hand_over(second);
    gate.await_arrived(1);
    std::thread ending([&] { pool.reset(); });
    gate.open();
    EXPECT_EQ(world.finish(first), GatedWork::passed);
    EXPECT_EQ(world.finish(second), 0);
    ending.join();
}

std::mutex names_mutex;
std::set<std::string> names;

TEST(ThreadPool, names_its_threads) {
    names.clear();
    ThreadPool pool(
        {.thread_count = 2, .name = "files", .name_thread = [](std::string_view name) noexcept {
             const std::lock_guard lock(names_mutex);
             names.emplace(name);
         }});
    World world(pool);
    Gate gate;
    GatedWork first(gate);
    GatedWork second(gate);
    world.hand_over(first);
    world.hand_over(second);
    gate.await_arrived(2);
    gate.open();
    world.finish(first);
    world.finish(second);
    const std::lock_guard lock(names_mutex);
    EXPECT_EQ(names, (std::set<std::string>{"files-1", "files-2"}));
}

TEST(ThreadPool, counts_what_is_queued_running_and_done_and_the_longest_wait) {
    gyre::test::TestClock clock(Instant(1));
    ThreadPool pool({.thread_count = 1, .clock = &clock, .look_max = Duration(0)});
    World world(pool);
    Gate gate;
    GatedWork first(gate);
    GatedWork second(gate);
    world.hand_over(first);
    gate.await_arrived(1);
    clock.set(Instant(10));
    world.hand_over(second);
    PoolMetrics metrics = pool.metrics();
    EXPECT_EQ(metrics.running, 1u);
    EXPECT_EQ(metrics.queued, 1u);
    EXPECT_EQ(metrics.done, 0u);
    EXPECT_EQ(metrics.longest_wait, Duration(0));
    clock.set(Instant(110));
    gate.open();
    world.finish(second);
    world.finish(first);
    metrics = pool.metrics();
    EXPECT_EQ(metrics.running, 0u);
    EXPECT_EQ(metrics.queued, 0u);
    EXPECT_EQ(metrics.done, 2u);
    EXPECT_EQ(metrics.longest_wait, Duration(100));
}

// The children of these tests are real forks, of a process whose pool has a thread.
TEST(ThreadPoolDeathTest, use_in_a_forked_child_is_said_to_be_an_error) {
    GTEST_FLAG_SET(death_test_style, "fast");
    ThreadPool pool({.thread_count = 1, .process_id = platform::process_generation});
    World world(pool);
    WorkOp work(do_nothing);
    world.app.submit(work);
    EXPECT_EQ(world.finish(work), 0);
    const Offload::Work never = [](Op&) noexcept -> std::int32_t { return 0; };
    EXPECT_DEATH((void)pool.start(work, never, world.loop),
                 "used in a forked child, which has none of its threads");
    world.app.submit(work);
    EXPECT_EQ(world.finish(work), 0);
}

TEST(ThreadPoolDeathTest, ends_in_a_forked_child_without_waiting_for_threads_that_are_not_there) {
    GTEST_FLAG_SET(death_test_style, "fast");
    auto pool = std::make_unique<ThreadPool>(
        ThreadPoolOptions{.thread_count = 1, .process_id = platform::process_generation});
    World world(*pool);
    WorkOp work(do_nothing);
    world.app.submit(work);
    EXPECT_EQ(world.finish(work), 0);
    EXPECT_EXIT(
        {
            pool.reset();
            _exit(7);
        },
        testing::ExitedWithCode(7), "");
}

// Several loops cancel at any moment: each op completes exactly once, with its result or cancelled.
// clause: K24
TEST(ThreadPool, withdrawing_races_with_running_and_neither_is_lost) {
    platform::SystemClock clock;
    ThreadPool pool({.thread_count = 2, .queued_count_max = 64, .clock = &clock});
    constexpr int loop_count = 3;
    constexpr int round_count = 300;
    std::vector<std::thread> threads;
    std::atomic<std::uint64_t> ran{0};
    std::atomic<std::uint64_t> withdrawn{0};
    for (int i = 0; i < loop_count; ++i) {
        threads.emplace_back([&, i] {
            World world(pool);
            Random random(static_cast<std::uint64_t>(i) + 1);
            std::array<Witness, 6> works;
            for (int round = 0; round < round_count; ++round) {
                for (Witness& work : works) world.app.submit(work);
                if (random.below(2) == 0) world.loop.turn();
                for (Witness& work : works) {
                    if (random.below(2) == 0) world.app.cancel(work);
                }
                for (Witness& work : works) {
                    const std::int32_t result = world.finish(work);
                    EXPECT_TRUE(result == 42 || result == cancelled) << result;
                    ++(result == 42 ? ran : withdrawn);
                }
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(ran + withdrawn, 3u * 300u * 6u);
    const PoolMetrics metrics = pool.metrics();
    EXPECT_EQ(metrics.done, ran);
    EXPECT_EQ(metrics.queued, 0u);
    EXPECT_EQ(metrics.running, 0u);
}

}  // namespace
}  // namespace gyre::pool
