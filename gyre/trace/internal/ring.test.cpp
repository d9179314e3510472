// SPDX-License-Identifier: Apache-2.0
#include "gyre/trace/internal/ring.hpp"

#include <gtest/gtest.h>

#include "gyre/sim/test_app.test.hpp"
#include "gyre/trace/trace.hpp"
#include "tests/support/test_machine.hpp"

namespace gyre::trace {
namespace {

std::vector<EventKind> kinds_of(const Ring& ring) {
    std::vector<EventKind> kinds;
    for (std::uint64_t i = 0; i < ring.event_count(); ++i) kinds.push_back(ring.event(i).kind);
    return kinds;
}

TEST(Ring, holds_what_happened_to_an_op_in_its_order) {
    Trace trace;
    auto& ring = static_cast<Ring&>(trace.add_loop({.loop = "main"}));
    sim::Rig rig({}, &ring);
    Request op(OpCode::first_custom);
    rig.app.start(op);
    while (op.is_in_flight()) rig.loop.turn();

    using enum EventKind;
    EXPECT_EQ(kinds_of(ring),
              (std::vector{submit, wait, waited, route, tick, route, tick, complete, turned}));
    EXPECT_EQ(ring.event(0).op.id, op.id());
    EXPECT_EQ(ring.event(0).op.trace, op.trace_id());
    EXPECT_EQ(ring.event(3).lane, Lane::submissions);
    EXPECT_EQ(ring.event(5).lane, Lane::completions);
    EXPECT_EQ(ring.event(7).op.result, op.result());
    EXPECT_EQ(ring.machine_name(ring.event(7).machine), "app");
    EXPECT_EQ(ring.lost_count(), 0u);
}

TEST(Ring, overwrites_the_oldest_and_counts_them) {
    Trace trace({.limits = {.event_count_max = 4}});
    auto& ring = static_cast<Ring&>(trace.add_loop({.loop = "main"}));
    for (std::uint64_t i = 1; i <= 4; ++i) ring.on_task(TaskEvent::started, i, {});
    EXPECT_EQ(ring.event_count(), 4u);
    EXPECT_EQ(ring.lost_count(), 0u);
    EXPECT_EQ(ring.event(0).task.id, 1u);

    for (std::uint64_t i = 5; i <= 10; ++i) ring.on_task(TaskEvent::started, i, {});
    EXPECT_EQ(ring.event_count(), 4u);
    EXPECT_EQ(ring.lost_count(), 6u);
    for (std::uint64_t i = 0; i < 4; ++i) EXPECT_EQ(ring.event(i).task.id, 7 + i);
}

TEST(Ring, in_simulated_time_events_are_in_order_and_never_before_their_turn) {
    Trace trace;
    auto& first = static_cast<Ring&>(trace.add_loop({.loop = "first"}));
    auto& second = static_cast<Ring&>(trace.add_loop({.loop = "second"}));
    first.on_waited(Instant(1000));
    first.on_mark("a");
    second.on_waited(Instant(1000));
    second.on_mark("b");
    first.on_waited(Instant(5000));
    EXPECT_EQ(first.event(0).stamp, 1000u);
    EXPECT_EQ(first.event(1).stamp, 1001u);
    EXPECT_EQ(second.event(0).stamp, 1002u);
    EXPECT_EQ(second.event(1).stamp, 1003u);
    EXPECT_EQ(first.event(2).stamp, 5000u);
}

TEST(Ring, cuts_a_long_mark_between_two_characters) {
    Trace trace;
    auto& ring = static_cast<Ring&>(trace.add_loop({.loop = "main"}));
    ring.on_mark("0123456789012345678901\xc3\xa4");
    EXPECT_EQ(ring.event(0).text.view(), "0123456789012345678901");
    ring.on_mark("\xc3\xa4");
    EXPECT_EQ(ring.event(1).text.view(), "\xc3\xa4");
}

TEST(Ring, knows_the_name_of_a_machine_that_is_gone) {
    Trace trace;
    auto& ring = static_cast<Ring&>(trace.add_loop({.loop = "main"}));
    MachineId id = 0;
    {
        const std::string name = "short lived";
        test::TestMachine app(name.c_str());
        sim::VirtualClock clock;
        sim::SimPlatform platform(clock);
        Loop loop(platform, app, {.observer = &ring});
        app.tick_again();
        loop.turn();
        id = app.ref().machine;
    }
    EXPECT_EQ(ring.machine_name(id), "short lived");
}

}  // namespace
}  // namespace gyre::trace
