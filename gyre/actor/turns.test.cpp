// SPDX-License-Identifier: Apache-2.0
// How many messages the actors of a loop handle before its other tasks have their turn.
#include <gtest/gtest.h>

#include "gyre/actor/actor_world.test.hpp"

namespace gyre::actor {
namespace {

struct Hops {
    int left;
};

// Has a message for itself until the hops are done.
class Hopper : public Actor<Hopper> {
public:
    explicit Hopper(int* handled) : handled_(handled) {}
    void handle(Hops hops) {
        ++*handled_;
        if (hops.left > 0) {
            EXPECT_TRUE(self().send(Hops{hops.left - 1}));
        }
    }

private:
    int* handled_;
};

TEST_F(Actors, A17_that_always_have_a_message_let_the_other_tasks_of_the_loop_in) {
    int handled = 0;
    int handled_in_ten_turns = 0;
    SystemOptions options;
    options.messages_per_actor_max = 4;
    options.messages_per_turn_max = 8;
    run(
        [&](System&) -> Future<void> {
            const Ref<Hopper> hopper = spawn_actor<Hopper>(&handled);
            EXPECT_TRUE(hopper.send(Hops{999}));
            for (int i = 0; i < 10; ++i) co_await yield();
            handled_in_ten_turns = handled;
            co_await sleep(1ms);
        },
        options);
    EXPECT_EQ(handled, 1000);
    EXPECT_GT(handled_in_ten_turns, 0);
    EXPECT_LT(handled_in_ten_turns, 200);
}

}  // namespace
}  // namespace gyre::actor
