// SPDX-License-Identifier: Apache-2.0
// The simulated platform under one loop: time, wakes, signals, blocking work, files.
#include "gyre/sim/platform.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "gyre/kernel/loop.hpp"
#include "gyre/sim/test_app.test.hpp"

namespace gyre::sim {
namespace {

using namespace std::chrono_literals;

TEST(SimTime, a_timer_of_a_day_ends_at_once_and_the_clock_has_moved_a_day) {
    Rig rig;
    const Instant start = rig.clock.peek();
    TimerOp timer(start + 24h);
    rig.app.start(timer);

    EXPECT_EQ(rig.loop.run(), Loop::End::idle);

    EXPECT_EQ(rig.app.done, std::vector<Op*>{&timer});
    EXPECT_EQ(rig.clock.peek() - start, 24h);
}

TEST(SimTime, stands_still_while_something_can_run) {
    Rig rig;
    TimerOp later(rig.clock.peek() + 1s);
    TimerOp due(rig.clock.peek());
    rig.app.start(later);
    rig.app.start(due);
    const Instant start = rig.clock.peek();

    while (rig.app.done.empty()) rig.loop.turn();

    EXPECT_EQ(rig.app.done.front(), &due);
    EXPECT_EQ(rig.clock.peek(), start);
    rig.loop.run();
}

TEST(SimTime, timers_fire_in_the_order_of_their_deadlines) {
    Rig rig;
    TimerOp third(rig.clock.peek() + 3h);
    TimerOp first(rig.clock.peek() + 1h);
    TimerOp second(rig.clock.peek() + 2h);
    for (TimerOp* timer : {&third, &first, &second}) rig.app.start(*timer);
    rig.loop.run();
    EXPECT_EQ(rig.app.done, (std::vector<Op*>{&first, &second, &third}));
}

TEST(SimTime, a_loop_that_waits_for_nothing_that_can_happen_is_stuck) {
    Rig rig;
    WakeOp wake;
    rig.app.start(wake);
    EXPECT_EQ(rig.loop.run(), Loop::End::stuck);

    rig.app.stop(wake);
    EXPECT_EQ(rig.loop.run(), Loop::End::idle);
    EXPECT_TRUE(wake.is_cancelled());
}

TEST(SimTime, a_wake_ends_the_next_wait_without_moving_the_clock) {
    Rig rig;
    const Instant start = rig.clock.peek();
    rig.platform.wake();
    EXPECT_EQ(rig.platform.wait(start + 1h), start);
    EXPECT_EQ(rig.platform.wait(start + 1h), start + 1h);
    EXPECT_EQ(rig.platform.wait(Instant::never()), Instant::never());
}

TEST(SimTime, a_program_that_reads_the_clock_moves_it_by_the_step_and_the_loop_does_not) {
    VirtualClock clock({.step_per_read = 1us});
    const Instant start = clock.peek();
    EXPECT_EQ(clock.now(), start + 1us);
    EXPECT_EQ(clock.now(), start + 2us);
    SimPlatform platform(clock);
    EXPECT_EQ(platform.now(), start + 2us);
    EXPECT_EQ(platform.now(), start + 2us);
}

TEST(SimTime, never_goes_back) {
    VirtualClock clock;
    const Instant start = clock.peek();
    clock.advance(2s);
    clock.advance_to(start + 1s);
    EXPECT_EQ(clock.peek(), start + 2s);
}

TEST(SimSignals, ring_their_op_and_count) {
    Rig rig;
    SignalOp interrupt(2);
    SignalOp terminate(15);
    rig.app.start(interrupt);
    rig.app.start(terminate);
    EXPECT_EQ(rig.loop.run(), Loop::End::stuck);

    rig.platform.raise(2);
    rig.platform.raise(2);
    EXPECT_EQ(rig.loop.run(), Loop::End::stuck);
    EXPECT_EQ(rig.app.rung, std::vector<Op*>{&interrupt});
    EXPECT_EQ(interrupt.take_count(), 2u);
    EXPECT_EQ(terminate.take_count(), 0u);

    rig.app.stop(interrupt);
    rig.app.stop(terminate);
    EXPECT_EQ(rig.loop.run(), Loop::End::idle);
    EXPECT_TRUE(interrupt.is_cancelled());
}

TEST(SimSignals, that_no_process_can_catch_are_refused) {
    Rig rig;
    EXPECT_EQ(rig.result_of(*std::make_unique<SignalOp>(9)), failure(std::errc::invalid_argument));
    EXPECT_EQ(rig.result_of(*std::make_unique<SignalOp>(0)), failure(std::errc::invalid_argument));
}

TEST(SimPlatform, refuses_a_kind_it_does_not_serve) {
    Rig rig;
    Request custom(static_cast<OpCode>(static_cast<int>(OpCode::first_custom) + 7));
    EXPECT_EQ(rig.result_of(custom), failure(std::errc::function_not_supported));
}

TEST(SimOffload, runs_work_later_on_the_same_thread) {
    Rig rig;
    WorkOp work([](WorkOp& op) noexcept -> std::int32_t {
        *static_cast<bool*>(op.owner) = true;
        return 7;
    });
    bool has_run = false;
    work.owner = &has_run;
    const Instant start = rig.clock.peek();
    rig.app.start(work);
    rig.loop.turn();
    EXPECT_FALSE(has_run);

    EXPECT_EQ(rig.loop.run(), Loop::End::idle);
    EXPECT_TRUE(has_run);
    EXPECT_EQ(work.result(), 7);
    EXPECT_GT(rig.clock.peek(), start);
}

TEST(SimOffload, work_can_be_withdrawn_until_it_begins) {
    Rig rig;
    bool has_run = false;
    WorkOp work([](WorkOp& op) noexcept -> std::int32_t {
        *static_cast<bool*>(op.owner) = true;
        return 7;
    });
    work.owner = &has_run;
    rig.app.start(work);
    rig.loop.turn();
    rig.app.stop(work);
    EXPECT_EQ(rig.loop.run(), Loop::End::idle);
    EXPECT_TRUE(work.is_cancelled());
    EXPECT_FALSE(has_run);
}

TEST(SimOffload, refuses_work_beyond_its_limit) {
    Rig rig(SimOptions{.work_count_max = 1});
    const auto nothing = [](WorkOp&) noexcept -> std::int32_t { return 0; };
    WorkOp first(nothing);
    WorkOp second(nothing);
    rig.app.start(first);
    rig.app.start(second);
    rig.loop.run();
    EXPECT_EQ(first.result(), 0);
    EXPECT_EQ(second.result(), failure(std::errc::resource_unavailable_try_again));
}

}  // namespace
}  // namespace gyre::sim
