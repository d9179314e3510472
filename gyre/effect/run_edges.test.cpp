// SPDX-License-Identifier: Apache-2.0
// Runs at the edges: turns of a run whose tasks wait, cancels that meet a run that has settled or is
// gone, a reply that its handler keeps although it throws.
#include <gtest/gtest.h>

#include <optional>
#include <stdexcept>
#include <vector>

#include "gyre/effect/effect_world.test.hpp"

namespace gyre::effect {
namespace {

using script::give;
using script::perform;

TEST(RunEdges, V18_a_run_whose_tasks_wait_one_after_the_other_takes_turns_with_others) {
    EffectWorld world;
    std::vector<int> order;
    world.handlers.on(Async::await, [&](int n) {
        order.push_back(n);
        return resume(n).after(1s);
    });
    world.handlers.on(Async::other, [&](int n) {
        order.push_back(n);
        return resume(n);
    });
    ScriptedGuest guest(async_ops());
    guest.add("child", {perform(0, {1})});
    guest.add("many", {script::spawn("child"), script::spawn("child"), script::spawn("child"),
                       perform(0, {1})});
    guest.add("one", {perform(1, {2}), perform(1, {2}), perform(1, {2})});
    static_cast<void>(world.scheduler.start(guest, world.handlers, "many"));
    static_cast<void>(world.scheduler.start(guest, world.handlers, "one"));
    world.loop.turn();
    EXPECT_EQ(order, (std::vector{1, 2, 1, 2, 1, 2, 1}));
    static_cast<void>(world.loop.run());
}

TEST(RunEdges, V20_a_cancel_of_a_run_that_has_settled_ends_its_detached_tasks) {
    EffectWorld world;
    world.handlers.on(Async::await, [](int n) { return resume(n).after(1h); });
    ScriptedGuest guest(async_ops());
    guest.add("child", {perform(0, {1})});
    guest.add("main", {script::detach("child"), give(7)});
    auto run = world.scheduler.start<int>(guest, world.handlers, "main");
    world.loop.turn();
    ASSERT_TRUE(run.is_terminal());
    EXPECT_EQ(world.scheduler.run_count(), 1u);
    EXPECT_EQ(guest.held_count(), 1u);
    world.scheduler.cancel(run.id(), "too late for its outcome");
    EXPECT_EQ(world.scheduler.run_count(), 0u);
    EXPECT_EQ(guest.held_count(), 0u);
    EXPECT_EQ(run.outcome().value(), 7);
}

TEST(RunEdges, V20_cancel_all_goes_on_where_the_end_of_one_run_has_ended_another) {
    EffectWorld world;
    std::optional<RunId> second_id;
    world.handlers.on(Async::await, [&](Context& context, int n) -> Future<Answer> {
        if (n == 1) {
            context.on_end([&] { world.scheduler.cancel(*second_id, "with the first"); });
        }
        co_await sleep(1h);
        co_return resume(n);
    });
    ScriptedGuest guest(async_ops());
    guest.add("first", {perform(0, {1}), give(1)}).add("second", {perform(0, {2}), give(2)});
    auto first = world.scheduler.start<int>(guest, world.handlers, "first");
    auto second = world.scheduler.start<int>(guest, world.handlers, "second");
    second_id = second.id();
    world.loop.turn();
    world.scheduler.cancel_all("all of them");
    ASSERT_TRUE(first.is_terminal());
    ASSERT_TRUE(second.is_terminal());
    EXPECT_EQ(first.outcome().reason().why, "all of them");
    EXPECT_EQ(second.outcome().reason().why, "with the first");
    EXPECT_EQ(world.scheduler.run_count(), 0u);
}

TEST(RunEdges, a_reply_kept_by_a_handler_that_throws_is_withdrawn) {
    EffectWorld world;
    std::vector<Reply> kept;
    world.handlers.on(Async::await, [&](Reply reply, int) {
        kept.push_back(std::move(reply));
        throw std::runtime_error("not now");
    });
    ScriptedGuest guest(async_ops());
    guest.add("main", {perform(0, {1}), give(1)});
    auto run = world.scheduler.start<int>(guest, world.handlers, "main");
    static_cast<void>(world.loop.run());
    ASSERT_EQ(kept.size(), 1u);
    EXPECT_FALSE(kept.front().answer(resume(1)));
    EXPECT_EQ(world.scheduler.counts().late_completions, 1u);
    ASSERT_EQ(run.outcome().kind(), RunEndKind::failed);
    EXPECT_EQ(run.outcome().error().message, "not now");
}

}  // namespace
}  // namespace gyre::effect
