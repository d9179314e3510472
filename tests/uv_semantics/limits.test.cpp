// SPDX-License-Identifier: Apache-2.0
// Rounds, delays and queues: the pending callbacks after the poll (libuv since 1.45), delays of any
// size (test-timer.c: timer_huge_timeout), work beyond the room of the pool, a signal that is
// blocked in the wait (UV_LOOP_BLOCK_SIGNAL).
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <future>
#include <thread>

#include "gyre/handle/async.hpp"
#include "gyre/handle/hook.hpp"
#include "gyre/handle/request.hpp"
#include "gyre/handle/timer.hpp"
#include "tests/support/handle_world.hpp"

namespace gyre::handle {
namespace {

using namespace std::chrono_literals;

GYRE_HANDLES_EVERYWHERE(UvLimits);
GYRE_HANDLES_FOR_REAL(UvRealLimits);

// uv_run: "process immediate callbacks a small fixed number of times".
// clause: L04 L25
TEST_P(UvLimits, of_pending_callbacks_are_eight_rounds_after_the_poll) {
    std::string trace;
    test::Live<Async> async(loop);
    test::Live<Check> check(loop);
    Deferred deferred;
    int calls = 0;
    std::function<void(Deferred&)> defer = [&](Deferred& self) {
        ++calls;
        if (calls < 20) self.start(loop, defer);
    };
    async->start([&](Async&) { deferred.start(loop, defer); });
    check->start([&](Check&) { trace += std::to_string(calls) + " "; });
    async->send();
    while (calls < 20) loop.run(RunMode::no_wait);
    // One round before each later poll, and at most eight after it.
    EXPECT_EQ(trace, "8 17 20 ");
}

// test-timer.c: timer_huge_timeout, timer_huge_repeat
// clause: L12
TEST_P(UvLimits, of_a_delay_are_those_of_its_type) {
    test::Live<Timer> tiny(loop);
    test::Live<Timer> huge(loop);
    test::Live<Timer> longest(loop);
    std::string trace;
    huge->start([&](Timer&) { trace += "huge "; }, Duration::max() - 1h);
    longest->start([&](Timer&) { trace += "longest "; }, Duration::max());
    EXPECT_GT(loop.next_timeout().value_or(Duration::max()), std::chrono::hours(24 * 365 * 200));
    tiny->start(
        [&](Timer& self) {
            trace += "tiny ";
            self.stop();
        },
        1ms, Duration::max());
    loop.run(RunMode::once);
    loop.run(RunMode::no_wait);
    EXPECT_EQ(trace, "tiny ");
    EXPECT_TRUE(huge->is_active());
    EXPECT_GT(longest->due_in(), huge->due_in());
}

// libuv's queue of work has no bound; that of a pool has.
// clause: L19
TEST(WorkBeyondTheRoomOfThePool, waits_in_the_loop_and_runs_in_order) {
    for (const std::string& name : test::every_platform_here()) {
        test::NamedPlatform outside({.name = name,
                                     .thread_count = 1,
                                     .queued_count_max = 2,
                                     .sim = {.work_delay = {1us, 1us}, .work_count_max = 2}});
        PhasedLoop loop(outside.platform(), {.offload = outside.offload()});
        constexpr int count = 50;
        std::vector<int> order;
        int failed = 0;
        std::deque<Work> works;
        for (int i = 0; i < count; ++i) {
            Work& work = works.emplace_back(loop);
            ASSERT_TRUE(work.queue([&order, i] { order.push_back(i); },
                                   [&](Work&, Status status) { failed += status ? 0 : 1; })
                            .get());
        }
        EXPECT_TRUE(works[40].cancel().get());  // It waits in the loop.
        EXPECT_FALSE(loop.run());
        EXPECT_EQ(failed, 1);
        ASSERT_EQ(order.size(), static_cast<std::size_t>(count - 1));
        // Simulated work of the same instant has no order.
        if (outside.sim == nullptr) {
            EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
        }
        EXPECT_FALSE(works[40].is_active());
        EXPECT_EQ(std::count(order.begin(), order.end(), 40), 0);
    }
}

// The pool is full of another loop's work: no completion of its own tells the loop of the room.
// clause: L19
TEST(WorkBeyondTheRoomOfThePool, runs_when_another_loop_has_made_room) {
    for (const std::string& name : test::real_platforms_here()) {
        test::NamedPlatform outside({.name = name, .thread_count = 1, .queued_count_max = 1});
        test::NamedPlatform other({.name = name, .thread_count = 0});
        PhasedLoop loop(outside.platform(), {.offload = outside.offload()});
        PhasedLoop other_loop(other.platform(), {.offload = outside.offload()});
        std::promise<void> may_end;
        std::promise<void> has_begun;
        Work running(loop);
        Work queued(loop);
        Work waiting(other_loop);
        bool has_run = false;
        running.queue(
            [&] {
                has_begun.set_value();
                may_end.get_future().wait();
            },
            [](Work&, Status) {});
        has_begun.get_future().wait();
        queued.queue([] {}, [](Work&, Status) {});
        waiting.queue([&] { has_run = true; }, [](Work&, Status status) { EXPECT_TRUE(status); });
        EXPECT_TRUE(other_loop.run(RunMode::no_wait));
        may_end.set_value();
        EXPECT_FALSE(other_loop.run());
        EXPECT_TRUE(has_run);
        EXPECT_FALSE(loop.run());
    }
}

// ---- A signal that is blocked in the wait ----

volatile sig_atomic_t profiled_calls = 0;

// test-metrics.c and uv_loop_configure: UV_LOOP_BLOCK_SIGNAL
// clause: L13
TEST_P(UvRealLimits, of_a_wait_are_kept_although_a_profilers_signal_comes_often) {
    struct sigaction action{};
    struct sigaction before{};
    action.sa_handler = [](int) { profiled_calls = profiled_calls + 1; };
    ASSERT_EQ(::sigaction(SIGPROF, &action, &before), 0);
    ASSERT_TRUE(loop.block_in_wait(SIGPROF).has_value());
    EXPECT_EQ(loop.block_in_wait(1000).error().code(), std::errc::invalid_argument);
    test::Live<Async> over(loop);
    test::Live<Prepare> prepare(loop);
    test::Live<Check> check(loop);
    constexpr int sent = 100;
    int in_wait = 0;
    int at_start = 0;
    const pthread_t waiting = ::pthread_self();
    std::thread profiler;
    over->start([](Async&) {});
    prepare->start([&](Prepare&) {
        at_start = profiled_calls;
        profiler = std::thread([&] {
            for (int i = 0; i < sent; ++i) {
                ::pthread_kill(waiting, SIGPROF);
                std::this_thread::sleep_for(500us);
            }
            over->send();
        });
    });
    // A signal that comes while it is blocked is delivered once, after the wait.
    check->start([&](Check&) { in_wait = profiled_calls - at_start; });
    loop.run(RunMode::once);
    profiler.join();
    // One wait of the loop may be a few of the platform's.
    EXPECT_LT(in_wait, sent / 2);
    ::sigaction(SIGPROF, &before, nullptr);
}

}  // namespace
}  // namespace gyre::handle
