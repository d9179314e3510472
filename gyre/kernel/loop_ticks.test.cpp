// SPDX-License-Identifier: Apache-2.0
// Which machines a turn ticks, in which order and how many of them.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <deque>
#include <memory>

#include "gyre/kernel/loop.hpp"
#include "gyre/kernel/recorder.test.hpp"
#include "tests/support/fake_platform.hpp"
#include "tests/support/test_machine.hpp"

namespace gyre {
namespace {

using std::chrono::microseconds;
using test::CustomOp;
using test::FakePlatform;
using test::Recorder;
using test::TestMachine;

TEST(Loop, visits_only_machines_with_something_to_do) {
    // clause: K17
    FakePlatform platform;
    TestMachine app("app");
    Recorder recorder;
    Loop loop(platform, app, {.observer = &recorder});
    std::deque<TestMachine> idle(1000);
    for (TestMachine& machine : idle) app.add_child(machine);
    TimerOp timer(Instant(2'000));
    idle[500].submit(timer);
    loop.run();
    std::size_t ticks = 0;
    for (const TestMachine& machine : idle) ticks += machine.ticks.size();
    EXPECT_EQ(ticks, 1u);
    EXPECT_EQ(idle[500].ticks.size(), 1u);
    // The app passes the timer on, and down again when it is due.
    EXPECT_EQ(std::count(recorder.steps.begin(), recorder.steps.end(), "tick app"), 2);
    for (TestMachine& machine : idle) app.remove_child(machine);
}

TEST(Loop, touches_no_idle_machine) {
    // clause: K17
    constexpr std::size_t idle_count = 64;
    constexpr std::size_t size_bytes = idle_count * sizeof(TestMachine);
    void* const memory =
        ::mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(memory, MAP_FAILED);
    auto* const idle = static_cast<TestMachine*>(memory);
    std::uninitialized_default_construct_n(idle, idle_count);
    FakePlatform platform;
    platform.answers_at_once = true;
    TestMachine app("app");
    TestMachine busy("busy");
    Loop loop(platform, app);
    for (std::size_t i = 0; i < idle_count; ++i) app.add_child(idle[i]);
    app.add_child(busy);

    // Whoever looks at one of them now, if only to see that there is nothing to do, is shot.
    ASSERT_EQ(::mprotect(memory, size_bytes, PROT_NONE), 0);
    TimerOp timer(Instant(2'000));
    CustomOp op;
    CustomOp posted;
    op.set_destination(loop.platform_ref());
    posted.set_destination(busy.ref());
    busy.on_submission = [&busy](Op& got) { busy.complete(got, 0); };
    busy.submit(timer);
    busy.submit(op);
    ASSERT_TRUE(loop.post(posted));
    loop.run();
    EXPECT_EQ(busy.completed.size(), 2u);
    EXPECT_FALSE(posted.is_in_flight());
    ASSERT_EQ(::mprotect(memory, size_bytes, PROT_READ | PROT_WRITE), 0);

    app.remove_child(busy);
    for (std::size_t i = 0; i < idle_count; ++i) app.remove_child(idle[i]);
    std::destroy_n(idle, idle_count);
    ::munmap(memory, size_bytes);
}

TEST(Loop, ticks_machines_in_the_order_they_got_ready) {
    // The seed pushes at the front, which is last in, first out.
    FakePlatform platform;
    TestMachine app("app");
    Loop loop(platform, app);
    std::deque<TestMachine> children(4);
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < children.size(); ++i) {
        app.add_child(children[i]);
        children[i].on_tick = [&order, i] { order.push_back(i); };
    }
    for (const std::size_t i : {2u, 0u, 3u, 1u}) children[i].tick_again();
    loop.turn();
    EXPECT_EQ(order, (std::vector<std::size_t>{2, 0, 3, 1}));
    for (TestMachine& child : children) app.remove_child(child);
}

TEST(Loop, a_machine_that_always_has_work_starves_neither_timers_nor_others) {
    FakePlatform platform;
    TestMachine app("app");
    Loop loop(platform, app, {.ticks_per_turn_max = 8});
    TestMachine greedy("greedy");
    app.add_child(greedy);
    greedy.on_tick = [&] { greedy.tick_again(); };
    platform.on_wait = [&] { platform.time = platform.time + microseconds(1); };
    TimerOp timer(Instant(10'000));
    app.submit(timer);
    greedy.tick_again();
    for (int turn = 0; turn < 20; ++turn) loop.turn();
    EXPECT_EQ(app.completed.size(), 1u);
    EXPECT_GE(greedy.ticks.size(), 20u);
    greedy.on_tick = nullptr;
    loop.turn();
    app.remove_child(greedy);
}

TEST(Loop, machines_over_the_budget_go_first_in_the_next_turn) {
    FakePlatform platform;
    TestMachine app("app");
    Loop loop(platform, app, {.ticks_per_turn_max = 2, .rounds_per_turn_max = 1});
    std::deque<TestMachine> children(4);
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < children.size(); ++i) {
        app.add_child(children[i]);
        children[i].on_tick = [&, i] {
            order.push_back(i);
            if (order.size() == 1) children[0].tick_again();
        };
        children[i].tick_again();
    }
    loop.turn();
    EXPECT_EQ(order, (std::vector<std::size_t>{0, 1}));
    loop.turn();
    EXPECT_EQ(order, (std::vector<std::size_t>{0, 1, 2, 3}));
    loop.turn();
    EXPECT_EQ(order, (std::vector<std::size_t>{0, 1, 2, 3, 0}));
    for (TestMachine& child : children) app.remove_child(child);
}

}  // namespace
}  // namespace gyre
