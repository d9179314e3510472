// SPDX-License-Identifier: Apache-2.0
// Cycles of asks between exclusive actors are refused.
#include "gyre/actor/internal/call_waits.hpp"

#include "gyre/actor/actor_world.test.hpp"
#include "gyre/task/combine/all.hpp"

namespace gyre::actor {
namespace {

struct Call {
    int depth;
};
class Chained : public Actor<Chained> {
public:
    Future<int> handle(Call call) {
        if (call.depth == 0) co_return 1;
        auto one = ask_next(call.depth);
        auto both = co_await all(std::move(one), ask_next(0));
        co_return std::get<0>(both);
    }
    void handle(Ref<Chained> next) { next_ = std::move(next); }

private:
    Future<int> ask_next(int depth) {
        if (depth == 0) co_return 0;
        co_return co_await next_.ask(Call{depth - 1});
    }
    Ref<Chained> next_;
};

TEST_F(Actors, that_are_exclusive_and_would_wait_for_themselves_are_reported) {
    run([](System& system) -> Future<void> {
        const ActorOptions exclusive{.order = Order::exclusive};
        auto named = [&](std::string name) {
            ActorOptions options = exclusive;
            options.name = std::move(name);
            return options;
        };
        const auto one = system.spawn_with<Chained>(named("one"));
        const auto two = system.spawn<Chained>();  // interleaved, between two exclusive actors
        const auto three = system.spawn_with<Chained>(named("three"));
        EXPECT_TRUE(one.send(two));
        EXPECT_TRUE(two.send(three));
        EXPECT_TRUE(three.send(one));
        EXPECT_EQ(co_await one.ask(Call{2}), 1);
        try {
            static_cast<void>(co_await one.ask(Call{3}));
            ADD_FAILURE() << "the cycle was not found";
        } catch (const CallCycle& e) {
            EXPECT_STREQ(e.what(), "these actors would wait for each other: three -> one -> three");
        }
    });
}

struct Begin {};
struct Get {};
class Crossing : public Actor<Crossing> {
public:
    Future<int> handle(Begin) {
        co_await sleep(1ms);
        try {
            co_return co_await other_.ask(Get{});
        } catch (const CallCycle&) {
            co_return -1;
        }
    }
    int handle(Get) { return 5; }
    void handle(Ref<Crossing> other) { other_ = std::move(other); }

private:
    Ref<Crossing> other_;
};

TEST_F(Actors, that_are_exclusive_and_ask_each_other_are_reported_to_one_of_them) {
    run([](System& system) -> Future<void> {
        const auto one = system.spawn_with<Crossing>({.order = Order::exclusive});
        const auto two = system.spawn_with<Crossing>({.order = Order::exclusive});
        EXPECT_TRUE(one.send(two));
        EXPECT_TRUE(two.send(one));
        const auto ask = [](Ref<Crossing> to) -> Future<int> {
            co_return co_await to.ask(Begin{});
        };
        const auto answers = co_await all(ask(one), ask(two));
        EXPECT_EQ(std::get<0>(answers), 5);
        EXPECT_EQ(std::get<1>(answers), -1);
        EXPECT_EQ(co_await ask(two), 5);  // The refused ask left no entry.
    });
}

TEST_F(Actors, that_interleave_may_be_asked_back) {
    const int answer = run([](System& system) -> Future<int> {
        const auto one = system.spawn<Chained>();
        const auto two = system.spawn_with<Chained>({.order = Order::exclusive});
        EXPECT_TRUE(one.send(two));
        EXPECT_TRUE(two.send(one));
        co_return co_await one.ask(Call{2});
    });
    EXPECT_EQ(answer, 1);
}

}  // namespace
}  // namespace gyre::actor
