// SPDX-License-Identifier: Apache-2.0
#include "gyre/actor/call_chain.hpp"

#include "gyre/actor/cell.hpp"
#include "gyre/task/scope.hpp"

namespace gyre::actor {

bool holds(const CallChain& chain, const Cell& actor) noexcept {
    for (const Caller* at = chain.get(); at != nullptr; at = at->before.get()) {
        if (at->actor.cell() == &actor) return true;
    }
    return false;
}

std::string path_back_to(const CallChain& chain, const Cell& actor) {
    std::string path = actor.name();
    for (const Caller* at = chain.get(); at != nullptr; at = at->before.get()) {
        path.insert(0, at->actor.name() + " -> ");
        if (at->actor.cell() == &actor) break;
    }
    return path;
}

CallChain chain_of(Task& task) {
    for (Task* at = &task; at != nullptr; at = at->scope().owner()) {
        if (const auto* work = dynamic_cast<Work*>(at)) return work->chain();
    }
    return nullptr;
}

}  // namespace gyre::actor
