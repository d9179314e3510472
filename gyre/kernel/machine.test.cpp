// SPDX-License-Identifier: Apache-2.0
#include "gyre/kernel/machine.hpp"

#include <gtest/gtest.h>

#include "gyre/kernel/family.test.hpp"
#include "tests/support/fake_platform.hpp"
#include "tests/support/test_machine.hpp"

namespace gyre {
namespace {

using test::CustomOp;
using test::CustomStandingOp;
using test::FakePlatform;
using test::Family;
using test::TestMachine;

struct alignas(128) WideState {
    std::array<std::byte, 300> bytes{};
};
class WideMachine : public TestMachine {
public:
    WideState state;
};

TEST(Machine, has_typed_state_ports_a_place_in_the_tree_and_an_id) {
    // clause: K01
    FakePlatform platform;
    WideMachine app;
    WideMachine child;
    TestMachine grandchild;
    child.add_child(grandchild);
    EXPECT_FALSE(grandchild.is_attached());
    static_assert(alignof(WideMachine) == 128 && sizeof(WideState) >= 300);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&app.state) % 128, 0u);
    Loop loop(platform, app, {.thread_id = 4});
    app.add_child(child);
    EXPECT_EQ(child.parent(), &app);
    EXPECT_EQ(app.parent(), nullptr);
    EXPECT_EQ(app.ref().thread, 4u);
    EXPECT_EQ(child.ref().thread, 4u);
    EXPECT_NE(child.ref(), app.ref());
    EXPECT_NE(app.ref(), platform.ref());
    EXPECT_EQ(grandchild.parent(), &child);
    EXPECT_TRUE(grandchild.is_attached());
    EXPECT_EQ(grandchild.ref().thread, 4u);
    EXPECT_NE(grandchild.ref(), child.ref());
    EXPECT_TRUE(app.in().empty());
    EXPECT_TRUE(app.out().empty());
    app.tick_again();
    loop.turn();
    EXPECT_EQ(app.ticks.size(), 1u);
    EXPECT_EQ(app.ticks[0], loop.now());
    app.remove_child(child);
    EXPECT_FALSE(grandchild.is_attached());
    child.remove_child(grandchild);
}

TEST(Machine, tick_gets_the_time_of_the_turn) {
    // clause: K26
    FakePlatform platform;
    TestMachine app;
    Loop loop(platform, app);
    TestMachine child;
    app.add_child(child);
    platform.time = Instant(123'456);
    // The clock advances while machines tick; now() is the same during the whole turn.
    app.on_tick = [&] { platform.time = Instant(999'999); };
    app.tick_again();
    child.tick_again();
    loop.turn();
    EXPECT_EQ(app.ticks, std::vector<Instant>{Instant(123'456)});
    EXPECT_EQ(child.ticks, std::vector<Instant>{Instant(123'456)});
    app.remove_child(child);
}

TEST(Port, has_four_queues_each_first_in_first_out) {
    // clause: K02
    FakePlatform platform;
    TestMachine app;
    Loop loop(platform, app);
    std::array<CustomOp, 5> ops;
    for (CustomOp& op : ops) app.submit(op);
    EXPECT_EQ(app.out().count(Lane::submissions), 5u);
    EXPECT_TRUE(app.out().empty(Lane::cancellations));
    EXPECT_TRUE(app.out().empty(Lane::completions));
    EXPECT_TRUE(app.out().empty(Lane::notifications));
    loop.turn();
    std::vector<Op*> order;
    for (CustomOp& op : ops) order.push_back(&op);
    EXPECT_EQ(platform.held, order);
    for (CustomOp& op : ops) app.cancel(op);
    EXPECT_EQ(app.out().count(Lane::cancellations), 5u);
    loop.turn();
    EXPECT_EQ(platform.cancellations, order);
    EXPECT_EQ(app.completed, order);
}

TEST(Port, keeps_the_order_of_doorbells_and_completions_too) {
    // clause: K02
    FakePlatform platform;
    TestMachine app;
    Loop loop(platform, app);
    std::array<CustomStandingOp, 5> ops;
    for (CustomStandingOp& op : ops) app.submit(op);
    loop.turn();
    for (CustomStandingOp& op : ops) platform.notify(op);
    EXPECT_EQ(platform.out().count(Lane::notifications), 5u);
    EXPECT_TRUE(platform.out().empty(Lane::completions));
    loop.turn();
    for (CustomStandingOp& op : ops) platform.finish(op, 0);
    EXPECT_EQ(platform.out().count(Lane::completions), 5u);
    EXPECT_TRUE(platform.out().empty(Lane::notifications));
    loop.turn();
    ASSERT_EQ(app.notified.size(), ops.size());
    ASSERT_EQ(app.completed.size(), ops.size());
    for (std::size_t i = 0; i < ops.size(); ++i) {
        EXPECT_EQ(app.notified[i], &ops[i]);
        EXPECT_EQ(app.completed[i], &ops[i]);
    }
}

template <class M>
concept CanWriteInPort = requires(M& machine, Op& op) { machine.receive(nullptr, {}, op); };
template <class P>
concept CanPush = requires(P& port, Op& op) { port.push(Lane::submissions, op); };

TEST(Machine, ports_have_a_single_writer) {
    // clause: K05
    static_assert(!CanWriteInPort<Machine>, "nobody outside may write an in port");
    static_assert(!CanPush<Port>, "a port has no public way in");
    static_assert(!CanPush<const Port>);

    Family family;
    // Only the parent may write a child's in port: the loop delivers to the root.
    TestMachine server{"server"};
    family.parent.add_child(server);
    std::vector<std::string> path;
    const auto note = [&path](TestMachine& to, Op&, Lane) { path.emplace_back(to.name()); };
    family.app.on_input_of_child = [&](TestMachine& to, Op& op, Lane lane) {
        note(to, op, lane);
        family.app.pass_down(to, op, lane);
    };
    family.parent.on_input_of_child = [&](TestMachine& to, Op& op, Lane lane) {
        note(to, op, lane);
        family.parent.pass_down(to, op, lane);
    };
    CustomOp op;
    op.set_destination(server.ref());
    family.child.submit(op);
    family.loop.turn();
    family.loop.turn();
    EXPECT_EQ(path, (std::vector<std::string>{"parent", "server"}));
    ASSERT_EQ(server.held.size(), 1u);
    server.finish(op, 0);
    family.loop.turn();
    family.loop.turn();
    EXPECT_EQ(path, (std::vector<std::string>{"parent", "server", "parent", "child"}));
    family.parent.remove_child(server);
}

TEST(MachineDeathTest, a_foreign_parent_cannot_write_a_childs_in_port) {
    // clause: K05
    Family family;
    TestMachine stranger{"stranger"};
    family.app.add_child(stranger);
    CustomOp op;
    EXPECT_DEATH(stranger.pass_down(family.child, op, Lane::submissions),
                 "the in port of child is written by stranger: only its parent may");
    family.app.remove_child(stranger);
}

TEST(Machine, default_destination_is_app_to_platform_and_back) {
    // clause: K18
    FakePlatform platform;
    TestMachine app;
    Loop loop(platform, app);
    CustomOp to_platform;
    app.submit(to_platform);
    CustomOp to_app;
    platform.submit(to_app);
    // A destination that is set takes precedence over the default.
    CustomOp to_itself;
    to_itself.set_destination(app.ref());
    app.submit(to_itself);
    loop.turn();
    EXPECT_EQ(platform.held, std::vector<Op*>{&to_platform});
    EXPECT_EQ(app.held, (std::vector<Op*>{&to_itself, &to_app}));
    platform.finish(to_platform, 0);
    app.finish(to_app, 0);
    app.finish(to_itself, 0);
    loop.run();
    EXPECT_EQ(app.completed, (std::vector<Op*>{&to_platform, &to_itself}));
    EXPECT_EQ(platform.completed, std::vector<Op*>{&to_app});
}

TEST(MachineDeathTest, a_child_without_a_destination_is_told_so) {
    // clause: K18
    EXPECT_DEATH(
        {
            Family family;
            CustomOp op;
            family.child.submit(op);
            family.loop.turn();
            family.loop.turn();
        },
        "op [0-9]+ \\(custom\\) of child machine [0-9]+ \\(child\\) has no destination: only the "
        "app "
        "and the platform have a default; call set_destination");
}

TEST(Machine, a_childs_timer_needs_no_destination) {
    Family family;
    TimerOp timer(Instant(5'000));
    family.child.submit(timer);
    family.loop.run();
    EXPECT_EQ(family.child.completed, std::vector<Op*>{&timer});
    EXPECT_EQ(family.child.ticks.back(), Instant(5'000));
}

TEST(Machine, a_reference_to_a_machine_that_is_gone_gets_an_error_not_another_machine) {
    FakePlatform platform;
    TestMachine app;
    Loop loop(platform, app);
    MachineRef old;
    {
        TestMachine gone;
        app.add_child(gone);
        old = gone.ref();
    }
    TestMachine newer;
    app.add_child(newer);
    ASSERT_NE(newer.ref(), old);
    CustomOp op;
    op.set_destination(old);
    app.submit(op);
    loop.run();
    EXPECT_EQ(op.result(), failure(std::errc::no_such_device_or_address));
    EXPECT_TRUE(newer.held.empty());
}

TEST(MachineDeathTest, destroyed_with_ops_in_flight_says_how_many) {
    // clause: K04
    EXPECT_DEATH(
        {
            FakePlatform platform;
            TestMachine app{"app"};
            Loop loop(platform, app);
            auto child = std::make_unique<TestMachine>("child");
            app.add_child(*child);
            TimerOp timer(Instant(9'000));
            child->submit(timer);
            loop.turn();
            child.reset();
        },
        "machine child is destroyed with 1 ops in flight");
}

TEST(MachineDeathTest, destroyed_before_its_children_or_its_loop_says_so) {
    // clause: K20
    EXPECT_DEATH(
        {
            TestMachine child("child");
            TestMachine* parent = new TestMachine("parent");
            parent->add_child(child);
            delete parent;
        },
        "machine parent is destroyed before its children");
    EXPECT_DEATH(
        {
            FakePlatform platform;
            TestMachine* app = new TestMachine("app");
            Loop loop(platform, *app);
            delete app;
        },
        "root machine app is destroyed before its loop");
}

TEST(MachineDeathTest, the_limit_of_machines_is_named) {
    EXPECT_DEATH(
        {
            FakePlatform platform;
            TestMachine app;
            Loop loop(platform, app, {.machine_count_max = 2});
            TestMachine child;
            app.add_child(child);
        },
        "machine_count_max = 2 machines: raise the option");
}

}  // namespace
}  // namespace gyre
