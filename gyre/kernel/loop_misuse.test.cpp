// SPDX-License-Identifier: Apache-2.0
// Wrong uses of a loop end the program with a message that says what to do.
#include <gtest/gtest.h>

#include <functional>
#include <utility>

#include "gyre/kernel/detail/machine_table.hpp"
#include "gyre/kernel/loop.hpp"
#include "tests/support/fake_platform.hpp"
#include "tests/support/test_machine.hpp"

namespace gyre {
namespace {

using test::CustomOp;
using test::FakePlatform;
using test::TestMachine;

void make_loop(const LoopOptions& options) {
    FakePlatform platform;
    TestMachine app("app");
    const Loop loop(platform, app, options);
}

TEST(LoopDeathTest, a_budget_of_zero_is_refused) {
    EXPECT_DEATH(make_loop({.ticks_per_turn_max = 0}), "ticks_per_turn_max is 0");
    EXPECT_DEATH(make_loop({.rounds_per_turn_max = 0}), "rounds_per_turn_max is 0");
    EXPECT_DEATH(make_loop({.timers_per_turn_max = 0}), "timers_per_turn_max is 0");
}

struct LoopWithTick : ::testing::Test {
    FakePlatform platform;
    TestMachine app{"app"};
    Loop loop{platform, app};
    TimerOp timer;

    // Calls `step` inside a tick of the app.
    void in_a_tick(std::function<void()> step) {
        app.on_completion = [step = std::move(step)](Op&) { step(); };
        app.submit(timer);
        loop.run();
    }
};
using LoopMisuseDeathTest = LoopWithTick;

TEST_F(LoopMisuseDeathTest, a_close_inside_a_turn_is_refused) {
    EXPECT_DEATH(in_a_tick([this] { loop.close(); }), "is closed inside its own turn");
}

TEST_F(LoopMisuseDeathTest, a_close_after_a_turn_inside_a_turn_is_refused) {
    EXPECT_DEATH(in_a_tick([this] {
                     loop.turn(platform.now());
                     loop.close();
                 }),
                 "is closed inside its own turn");
}

TEST_F(LoopMisuseDeathTest, the_background_of_an_op_in_flight_does_not_change) {
    CustomOp op;
    app.submit(op);
    EXPECT_DEATH(op.set_background(true), "is in flight: set_background before submit");
    app.cancel(op);
    loop.run();
}

TEST(MachineTableDeathTest, a_machine_is_removed_once) {
    MachineTable table(4);
    table.reserve(1);
    TestMachine machine("machine");
    const MachineId id = table.add(machine);
    table.remove(id);
    EXPECT_DEATH(table.remove(id), "is not in the table: remove it once");
}

}  // namespace
}  // namespace gyre
