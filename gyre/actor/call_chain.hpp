// SPDX-License-Identifier: Apache-2.0
// CallChain: the exclusive actors that wait, each for the next one's answer, up to who asks now. An
// ask carries it along, so that one which would come back to such an actor is found before it is
// sent. Immutable and shared; any thread.
#pragma once

#include <memory>
#include <string>

#include "gyre/actor/any_ref.hpp"

namespace gyre {
class Task;
}

namespace gyre::actor {

struct Caller;
using CallChain = std::shared_ptr<const Caller>;
struct Caller {
    Caller(AnyRef who, CallChain chain) noexcept
        : actor(std::move(who)), before(std::move(chain)) {}
    AnyRef actor;
    CallChain before;
};

// Whether it holds the actor.
[[nodiscard]] bool holds(const CallChain& chain, const Cell& actor) noexcept;
// "a -> b -> a", from the actor on.
[[nodiscard]] std::string path_back_to(const CallChain& chain, const Cell& actor);
// Of what the task asks: the chain of the message that it, or the task whose scope it is in,
// handles, and the handling actor itself, where that is exclusive.
[[nodiscard]] CallChain chain_of(Task& task);

}  // namespace gyre::actor
