// SPDX-License-Identifier: Apache-2.0
// The hooks of a loop, as libuv's test-idle.c and test-loop-handles.c pin them. Each test names the
// one it restates.
#include <string>

#include "gyre/handle/hook.hpp"
#include "gyre/handle/timer.hpp"
#include "tests/uv_semantics/uv_loop.hpp"

namespace gyre::handle {
namespace {

using namespace std::chrono_literals;

// test-idle.c: idle_starvation
TEST_P(UvLoop, with_an_idle_hook_still_runs_timers_and_checks) {
    int idles = 0;
    int checks = 0;
    int ticks = 0;
    test::Live<Idle> idle(loop);
    test::Live<Check> check(loop);
    test::Live<Timer> timer(loop);
    idle->start([&](Idle&) {
        ++idles;
        world.virtual_clock.advance(100us);
    });
    check->start([&](Check&) { ++checks; });
    timer->start(
        [&](Timer&) {
            // The first may be due before the first poll, where the machine was busy.
            if (++ticks == 1) return;
            idle->close();
            check->close();
            timer->close();
        },
        2ms, 2ms);
    EXPECT_FALSE(loop.run());
    EXPECT_EQ(ticks, 2);
    EXPECT_GT(idles, 0);
    EXPECT_GT(checks, 0);
}

// test-idle.c: idle_check
TEST_P(UvLoop, runs_a_check_hook_as_often_as_an_idle_hook) {
    int idles = 0;
    int checks = 0;
    test::Live<Idle> idle(loop);
    test::Live<Check> check(loop);
    idle->start([&](Idle&) { ++idles; });
    check->start([&](Check& self) {
        EXPECT_EQ(++checks, idles);
        if (checks < 7) return;
        idle->stop();
        self.stop();
    });
    EXPECT_FALSE(loop.run());
    EXPECT_EQ(idles, 7);
    EXPECT_EQ(checks, 7);
}

// test-loop-handles.c: loop_handles
TEST_P(UvLoop, hooks_start_and_stop_each_other_while_they_run) {
    int prepare_2_calls = 0;
    int check_calls = 0;
    int idles = 0;
    int rounds = 0;
    test::Live<Prepare> prepare_1(loop);
    test::Live<Prepare> prepare_2(loop);
    test::Live<Check> check(loop);
    test::Live<Idle> idle(loop);
    test::Live<Timer> timer(loop);
    prepare_1->start([&](Prepare& self) {
        if (rounds % 2 == 0) {
            prepare_2->start([&](Prepare& own) {
                ++prepare_2_calls;
                own.stop();
            });
        }
        if (++rounds == 10) {
            self.close();
            prepare_2->close();
            check->close();
            idle->close();
        }
    });
    check->start([&](Check&) {
        ++check_calls;
        if (idle->is_active()) {
            idle->stop();
        } else {
            idle->start([&](Idle&) { ++idles; });
        }
    });
    timer->start([](Timer&) {}, 1us, 1us);
    timer->unref();
    EXPECT_FALSE(loop.run());
    EXPECT_EQ(rounds, 10);
    EXPECT_EQ(prepare_2_calls, 5);
    EXPECT_EQ(check_calls, 9);
    EXPECT_GT(idles, 0);
}

// test-loop-handles.c: the order of hooks of one kind
TEST_P(UvLoop, runs_hooks_of_one_kind_newest_first) {
    std::string order;
    test::Live<Prepare> a(loop);
    test::Live<Prepare> b(loop);
    test::Live<Prepare> c(loop);
    a->start([&](Prepare&) { order += 'a'; });
    b->start([&](Prepare&) { order += 'b'; });
    c->start([&](Prepare&) { order += 'c'; });
    loop.run(RunMode::no_wait);
    loop.run(RunMode::no_wait);
    EXPECT_EQ(order, "cbacba");
}

// test-loop-handles.c: a hook started by a hook of its kind
TEST_P(UvLoop, a_hook_started_by_one_of_its_kind_waits_for_the_next_iteration) {
    std::string order;
    test::Live<Check> a(loop);
    test::Live<Check> b(loop);
    a->start([&](Check&) {
        order += 'a';
        b->start([&](Check&) { order += 'b'; });
    });
    loop.run(RunMode::no_wait);
    EXPECT_EQ(order, "a");
    loop.run(RunMode::no_wait);
    EXPECT_EQ(order, "aba");
}

// test-loop-handles.c: a hook stopped by one that runs before it
TEST_P(UvLoop, a_hook_stopped_by_one_before_it_does_not_run) {
    test::Live<Idle> older(loop);
    test::Live<Idle> newer(loop);
    older->start([](Idle&) { FAIL(); });
    newer->start([&](Idle& self) {
        older->stop();
        self.stop();
    });
    EXPECT_FALSE(loop.run());
}

// test-idle.c: uv_idle_start twice
TEST_P(UvLoop, starting_an_active_hook_changes_nothing) {
    int calls = 0;
    test::Live<Idle> idle(loop);
    idle->start([&](Idle& self) {
        ++calls;
        self.stop();
    });
    EXPECT_TRUE(idle->start([](Idle&) { FAIL(); }).get());
    EXPECT_EQ(loop.active_handle_count(), 1u);
    loop.run();
    EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace gyre::handle
