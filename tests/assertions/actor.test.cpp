// SPDX-License-Identifier: Apache-2.0
// Assertions of gyre/actor.
#include <gtest/gtest.h>

#include "gyre/actor/actor.hpp"
#include "gyre/actor/any_ref.hpp"
#include "gyre/actor/system.hpp"

namespace gyre::actor {
namespace {

struct Note {};
class Listener : public Actor<Listener> {
public:
    void handle(Note /*note*/) {}
};

TEST(ActorAssertionDeathTest, an_empty_reference_has_no_mailbox) {
    EXPECT_DEATH(static_cast<void>(AnyRef().mailbox_length()),
                 "an empty AnyRef has no mailbox: check it first");
}

TEST(ActorAssertionDeathTest, an_actor_that_is_made_without_spawn) {
    EXPECT_DEATH(static_cast<void>(Listener()),
                 "make an actor by spawn, not as an object of its own: its class derives from");
}

}  // namespace
}  // namespace gyre::actor
