// SPDX-License-Identifier: Apache-2.0
// The wait of a platform: the events that end it, and the time it returns. Timers and wakes, which
// depend on it.
#include <chrono>
#include <memory>
#include <thread>

#include "tests/platforms/world.hpp"

namespace gyre::test {
namespace {

GYRE_ON_EACH_PLATFORM(Waiting);
GYRE_ON_EACH_PLATFORM(TimersOn);
GYRE_ON_EACH_PLATFORM(WakesOn);

using std::chrono::microseconds;
using std::chrono::milliseconds;

// clause: K22
TEST_P(Waiting, ends_at_the_deadline_and_returns_the_time) {
    for (const Duration delay : {microseconds(1), microseconds(700), microseconds(2500)}) {
        const Instant before = world->platform().now();
        const Instant deadline = before + delay;
        Instant now = before;
        int waits = 0;
        while (now < deadline) {  // A wait may end early, but must return the time truthfully.
            ASSERT_LT(++waits, 10'000) << "time does not advance";
            now = world->platform().wait(deadline);
            EXPECT_GE(now, before);
            EXPECT_LE(now, world->platform().now());
        }
    }
}

// clause: K22
TEST_P(Waiting, sleeps_instead_of_looking_again_and_again) {
    world->settle();
    const Instant deadline = world->platform().now() + milliseconds(50);
    int early_ends = 0;
    while (early_ends < 100 && world->platform().wait(deadline) < deadline) ++early_ends;
    EXPECT_LT(early_ends, 100);  // A busy loop of polls would make tens of thousands.
}

// clause: K22
TEST_P(Waiting, that_lasts_until_its_deadline_says_so_at_once) {
    world->platform().wake();  // Ends one wait, and not the following ones.
    bool has_said_so = false;
    // A single wait that ends early does not matter; if all of them did, the time returned would be
    // stale.
    for (int i = 0; i < 50 && !has_said_so; ++i) {
        const Instant deadline = world->platform().now() + milliseconds(2);
        has_said_so = world->platform().wait(deadline) >= deadline;
    }
    EXPECT_TRUE(has_said_so);
}

// clause: K22
TEST_P(Waiting, with_a_deadline_in_the_past_only_looks) {
    for (int i = 0; i < 100; ++i) {
        const Instant before = world->platform().now();
        EXPECT_GE(world->platform().wait(before), before);
    }
}

// clause: K22
TEST_P(Waiting, that_only_looks_finds_what_is_ready) {
    if (world->is_simulated()) GTEST_SKIP() << "simulated bytes arrive when time goes on";
    Pair pair(*world);
    std::array<std::byte, 4> buffer{};
    ReceiveOp receive(pair.near, buffer);
    world->app.start(receive);
    world->settle();
    pair.write_far("x");
    for (int i = 0; i < 1'000'000 && receive.is_in_flight(); ++i) {
        world->loop().turn(world->loop().now());
    }
    EXPECT_FALSE(receive.is_in_flight());
    EXPECT_EQ(world->finish(receive), 1);
}

// clause: K22
TEST_P(Waiting, ends_by_a_wake_that_came_before_it) {
    world->settle();
    for (int i = 0; i < 10; ++i) {
        world->platform().wake();
        EXPECT_NE(world->platform().wait(Instant::never()), Instant::never());
        // The current time, not the deadline of the wait.
        const Instant far = world->platform().now() + std::chrono::hours(1);
        world->platform().wake();
        EXPECT_LT(world->platform().wait(far), far);
    }
}

// clause: K22
TEST_P(Waiting, ends_by_a_wake_of_another_thread) {
    if (world->is_simulated()) GTEST_SKIP() << "skipped: simulated time waits for no thread";
    for (int i = 0; i < 20; ++i) {
        std::thread waker([this] { world->platform().wake(); });
        const Instant now = world->platform().wait(Instant::never());
        EXPECT_LE(now, world->platform().now());
        waker.join();
    }
}

// clause: K22
TEST_P(Waiting, ends_when_a_descriptor_gets_ready) {
    Pair pair(*world);
    std::array<std::byte, 8> buffer{};
    ReceiveOp receive(pair.near, buffer);
    world->app.start(receive);
    world->settle();
    SendOp send(pair.far, bytes_of("x"));
    ASSERT_EQ(world->run(send), 1);
    while (receive.is_in_flight()) world->loop().turn();  // Without any deadline.
    EXPECT_EQ(receive.result(), 1);
}

TEST_P(Waiting, sees_descriptors_while_there_is_always_other_work) {
    Pair pair(*world);
    std::array<std::byte, 8> buffer{};
    ReceiveOp receive(pair.near, buffer);
    world->app.start(receive);
    world->settle();
    pair.write_far("x");
    world->settle();
    TimerOp at_once;
    for (int i = 0; i < 1000 && receive.is_in_flight(); ++i) world->run(at_once);
    EXPECT_EQ(receive.result(), 1);
}

// clause: K12
TEST_P(TimersOn, fire_in_the_order_of_their_deadlines_and_never_early) {
    const Instant now = world->loop().now();
    std::vector<std::unique_ptr<TimerOp>> timers;
    for (const int delay : {5, 1, 3, 1, 0, 4}) {
        timers.push_back(std::make_unique<TimerOp>(now + milliseconds(delay)));
        world->app.start(*timers.back());
    }
    for (const auto& timer : timers) {
        while (timer->is_in_flight()) {
            world->turn();
            for (const auto& other : timers) {
                // A timer that has completed was due in this turn at the latest.
                EXPECT_TRUE(other->is_in_flight() || other->deadline <= world->loop().now());
            }
        }
        EXPECT_EQ(timer->result(), 0);
    }
    const std::vector<Op*> order{timers[4].get(), timers[1].get(), timers[3].get(),
                                 timers[2].get(), timers[5].get(), timers[0].get()};
    EXPECT_EQ(world->app.done, order);
}

// clause: K12
TEST_P(TimersOn, are_kept_by_the_loop_and_not_by_the_platform) {
    TimerOp timer(world->loop().now() + std::chrono::hours(1));
    world->app.start(timer);
    world->settle();
    EXPECT_EQ(timer.state(), OpState::with_loop);
    EXPECT_EQ(world->platform().ops_held(), 0u);
    EXPECT_EQ(world->loop().timer_count(), 1u);
    EXPECT_EQ(world->cancel(timer), cancelled_result);
}

// clause: K10, K12
TEST_P(TimersOn, come_back_once_when_cancelled_in_whichever_state) {
    TimerOp early(world->loop().now() + std::chrono::hours(1));
    world->app.start(early);
    EXPECT_EQ(world->cancel(early), cancelled_result);  // Not routed yet.
    world->app.start(early);
    world->settle();
    EXPECT_EQ(world->cancel(early), cancelled_result);  // With the loop.
    EXPECT_EQ(world->completions_of(early), 2u);

    TimerOp due(world->loop().now());
    world->app.start(due);
    world->app.pause();
    while (due.state() != OpState::ready) world->turn();
    world->app.stop(due);
    world->app.go_on();
    EXPECT_EQ(world->finish(due), 0);  // Ready: the result is kept.
    EXPECT_EQ(world->completions_of(due), 1u);
}

// clause: K08, K09
TEST_P(WakesOn, rings_before_it_was_taken_are_one_and_none_is_lost) {
    WakeOp wake;
    world->app.start(wake);
    for (std::size_t round = 1; round <= 3; ++round) {
        for (int i = 0; i < 5; ++i) wake.ring();
        world->turn_until_rung(wake, round);
        world->settle();
        EXPECT_EQ(world->rings_of(wake), round);
    }
    EXPECT_EQ(world->cancel(wake), cancelled_result);
    wake.ring();
    world->settle();
    EXPECT_EQ(world->rings_of(wake), 3u);
    EXPECT_EQ(world->completions_of(wake), 1u);
}

// clause: K22
TEST_P(WakesOn, a_ring_of_another_thread_ends_the_sleep_of_the_loop) {
    if (world->is_simulated()) GTEST_SKIP() << "skipped: simulated time waits for no thread";
    make_world({.loop = {.spin_max = Duration(0)}});
    WakeOp wake;
    world->app.start(wake);
    for (std::size_t i = 1; i <= 100; ++i) {
        std::thread ringer([&wake] { wake.ring(); });
        world->turn_until_rung(wake, i);
        ringer.join();
    }
    EXPECT_EQ(world->cancel(wake), cancelled_result);
}

}  // namespace
}  // namespace gyre::test
