// SPDX-License-Identifier: Apache-2.0
#include "gyre/effect/handlers.hpp"

#include <gtest/gtest.h>

#include "gyre/effect/effect_world.test.hpp"

namespace gyre::effect {
namespace {

TEST(Handlers, are_found_by_effect_op_and_signature) {
    // clause: V29
    static constexpr ResumeOp<int(int)> numbers{"e", "op"};
    static constexpr ResumeOp<std::string(std::string)> texts{"e", "op"};
    static constexpr ResumeOp<int(int)> other_effect{"f", "op"};
    static constexpr ResumeOp<int(int, int)> more{"e", "op"};
    Handlers handlers;
    handlers.on(numbers, [](int n) { return n; });
    handlers.on(texts, [](std::string text) { return text; });
    EXPECT_NE(handlers.find(numbers.info), nullptr);
    EXPECT_NE(handlers.find(texts.info), nullptr);
    EXPECT_NE(handlers.find(numbers.info), handlers.find(texts.info));
    EXPECT_EQ(handlers.find(other_effect.info), nullptr);
    EXPECT_EQ(handlers.find(more.info), nullptr);
    EXPECT_TRUE(handlers.has_other_signature(more.info));
    EXPECT_FALSE(handlers.has_other_signature(other_effect.info));
    // any_signature is used only when no handler has that signature.
    handlers.on("e", "op", any_signature, [](Context&, Arguments) { return resume(); });
    EXPECT_NE(handlers.find(more.info), nullptr);
    EXPECT_NE(handlers.find(more.info), handlers.find(numbers.info));
    EXPECT_EQ(handlers.find(other_effect.info), nullptr);
}

TEST(Handlers, stay_found_when_there_are_many) {
    Handlers handlers;
    std::vector<std::string> names;
    for (int i = 0; i < 500; ++i) names.push_back("op" + std::to_string(i));
    for (const std::string& name : names) {
        handlers.on("e", name, any_signature, [](Context&, Arguments) { return resume(); });
    }
    EXPECT_EQ(handlers.size(), 500u);
    for (const std::string& name : names) {
        EXPECT_NE(handlers.find(OpInfo("e", name, ResumeKind::tail, 7)), nullptr) << name;
        EXPECT_EQ(handlers.find(OpInfo("f", name, ResumeKind::tail, 7)), nullptr) << name;
    }
}

TEST(Handlers, of_every_shape_answer_by_the_kind_of_their_op) {
    static constexpr ResumeOp<int(int, std::string)> two{"e", "two"};
    static constexpr TailOp<void()> none{"e", "none"};
    static constexpr TailOp<int(int)> later{"e", "later"};
    static constexpr ResumeOp<double(double)> real{"e", "real"};
    EffectWorld world;
    Instant seen;
    world.handlers.on(two, [&](Context& context, int n, const std::string& text) {
        seen = context.now();
        return n + static_cast<int>(text.size());
    });
    world.handlers.on(none, [] {});
    world.handlers.on(later, [](Context&, int n) -> Future<int> {
        co_await sleep(2ms);
        co_return n + 1;
    });
    world.handlers.on(real, [](Context&, Reply reply, double n) { reply.answer(resume(n / 2)); });
    CoroutineGuest guest;
    guest.add("main", []() -> Effectful<double> {
        const int first = co_await perform(two, 1, "four");
        co_await perform(none);
        const int second = co_await perform(later, first);
        co_return co_await perform(real, second);
    });
    EXPECT_EQ(world.run<double>(guest).value(), 3.0);
    EXPECT_EQ(seen, world.begin);
    EXPECT_EQ(world.passed_ms(), 2);
}

TEST(Handlers, see_time_that_never_goes_back_and_deadlines_in_its_order) {
    // clause: V27
    EffectWorld world;
    std::vector<Instant> seen;
    std::vector<int> order;
    world.handlers.on(Async::await, [](Context&, int n) {
        return resume(n).after(std::chrono::milliseconds(n));
    });
    world.handlers.on(Async::now, [&](Context& context, int n) {
        seen.push_back(context.now());
        order.push_back(n);
        return tail(n);
    });
    CoroutineGuest guest;
    guest.add("main", [](int n) -> Effectful<int> {
        const int waited = co_await perform(Async::await, n);
        co_return co_await perform(Async::now, waited);
    });
    for (const int n : {30, 10, 20}) {
        static_cast<void>(world.scheduler.start(guest, world.handlers, "main", {n}));
    }
    static_cast<void>(world.loop.run());
    EXPECT_EQ(order, (std::vector<int>{10, 20, 30}));
    ASSERT_EQ(seen.size(), 3u);
    EXPECT_EQ(seen[0], world.begin + 10ms);
    EXPECT_EQ(seen[2] - seen[0], 20ms);
    EXPECT_TRUE(std::ranges::is_sorted(seen));
}

}  // namespace
}  // namespace gyre::effect
