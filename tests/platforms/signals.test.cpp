// SPDX-License-Identifier: Apache-2.0
// Signals as standing ops.
#include <csignal>

#include "tests/platforms/world.hpp"

namespace gyre::test {
namespace {

GYRE_ON_EACH_PLATFORM(Signals);

std::uint32_t wait_for_count(World& world, SignalOp& op) {
    std::uint32_t count = 0;
    while ((count = op.take_count()) == 0) world.turn();
    return count;
}

// clause: K08
TEST_P(Signals, ring_every_op_that_waits_for_them_until_it_is_cancelled) {
    SignalOp first(SIGUSR1);
    SignalOp second(SIGUSR1);
    SignalOp other(SIGUSR2);
    for (SignalOp* op : {&first, &second, &other}) world->app.start(*op);
    world->settle();
    world->raise(SIGUSR1);
    EXPECT_EQ(wait_for_count(*world, first), 1u);
    EXPECT_EQ(wait_for_count(*world, second), 1u);
    EXPECT_EQ(world->cancel(first), cancelled_result);
    world->raise(SIGUSR1);
    EXPECT_EQ(wait_for_count(*world, second), 1u);
    EXPECT_EQ(first.take_count(), 0u);
    EXPECT_EQ(other.take_count(), 0u);
    EXPECT_EQ(world->cancel(second), cancelled_result);
    EXPECT_EQ(world->cancel(other), cancelled_result);
    for (const SignalOp* op : {&first, &second, &other}) EXPECT_EQ(world->completions_of(*op), 1u);
}

TEST_P(Signals, that_came_before_the_ring_was_taken_are_all_counted) {
    SignalOp op(SIGUSR1);
    world->app.start(op);
    world->settle();
    for (int i = 0; i < 3; ++i) world->raise(SIGUSR1);
    std::uint32_t count = 0;
    while (count < 3) count += wait_for_count(*world, op);
    EXPECT_EQ(count, 3u);
    EXPECT_EQ(world->cancel(op), cancelled_result);
}

TEST_P(Signals, are_seen_while_the_loop_has_other_work) {
    SignalOp op(SIGUSR1);
    world->app.start(op);
    world->settle();
    world->raise(SIGUSR1);
    TimerOp at_once;
    while (op.take_count() == 0) world->run(at_once);  // The loop always has work and never blocks.
    EXPECT_EQ(world->cancel(op), cancelled_result);
}

TEST_P(Signals, that_do_not_exist_or_cannot_be_caught_are_results) {
    for (const int number : {0, -1, 65, 1000, SIGKILL, SIGSTOP}) {
        SignalOp op(number);
        EXPECT_EQ(world->run(op), failure(std::errc::invalid_argument)) << number;
    }
}

// clause: K10
TEST_P(Signals, an_op_cancelled_before_it_was_routed_hears_nothing) {
    SignalOp keeper(SIGUSR1);
    SignalOp op(SIGUSR1);
    world->app.start(keeper);
    world->settle();
    world->app.start(op);
    EXPECT_EQ(world->cancel(op), cancelled_result);
    world->raise(SIGUSR1);
    EXPECT_EQ(wait_for_count(*world, keeper), 1u);
    EXPECT_EQ(op.take_count(), 0u);
    EXPECT_EQ(world->completions_of(op), 1u);
    EXPECT_EQ(world->cancel(keeper), cancelled_result);
}

}  // namespace
}  // namespace gyre::test
