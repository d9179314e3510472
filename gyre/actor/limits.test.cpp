// SPDX-License-Identifier: Apache-2.0
// The limits of mailboxes that a sender can wait for: each is crossed, and its error names it.
#include "gyre/actor/actor_world.test.hpp"
#include "gyre/base/failure.hpp"
#include "gyre/task/combine/timeout.hpp"

namespace gyre::actor {
namespace {

struct Add {
    int amount;
    Duration delay{0};
};
struct Get {};

class Sum : public Actor<Sum> {
public:
    Future<void> handle(Add add) {
        if (add.delay > Duration(0)) co_await sleep(add.delay);
        sum_ += add.amount;
    }
    int handle(Get) { return sum_; }

private:
    int sum_ = 0;
};

// An actor whose mailbox of one message is full for 2 ms.
Ref<Sum> busy_actor(System& system) {
    const auto actor = system.spawn_with<Sum>(
        {.order = Order::exclusive, .mailbox = {.capacity = 1, .poster_count_max = 3}});
    EXPECT_TRUE(actor.send(Add{1, 2ms}));
    return actor;
}

TEST_F(Actors, K29_let_no_more_tasks_wait_for_room_than_poster_count_max) {
    // clause: K29
    run([](System& system) -> Future<void> {
        const auto actor = busy_actor(system);
        co_await sleep(Duration(1));
        EXPECT_TRUE(actor.send(Add{10}));
        std::vector<std::string> refused;
        co_await with_scope([&](Scope& scope) -> Future<void> {
            for (int i = 0; i < 5; ++i) {
                scope.spawn([&]() -> Future<void> {
                    try {
                        co_await actor.post(Add{100});
                    } catch (const LimitError& error) {
                        refused.emplace_back(error.limit());
                    }
                });
            }
            co_return;
        });
        EXPECT_EQ(refused, (std::vector<std::string>{"poster_count_max", "poster_count_max"}));
        co_await sleep(5ms);
        EXPECT_EQ(co_await actor.ask(Get{}), 311) << "those below the limit are delivered";
    });
}

TEST_F(Actors, K29_do_not_count_posters_that_were_cancelled) {
    // clause: K29
    run([](System& system) -> Future<void> {
        const auto actor = busy_actor(system);
        co_await sleep(Duration(1));
        EXPECT_TRUE(actor.send(Add{10}));
        const auto post = [&]() -> Future<void> { co_await actor.post(Add{100}); };
        for (int i = 0; i < 8; ++i) EXPECT_THROW(co_await timeout(post(), 1us), TimeoutError);
        co_await actor.post(Add{1000});
        co_await sleep(5ms);
        EXPECT_EQ(co_await actor.ask(Get{}), 1011);
    });
}

}  // namespace
}  // namespace gyre::actor
