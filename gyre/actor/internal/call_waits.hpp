// SPDX-License-Identifier: Apache-2.0
// CallWaits: which exclusive actor waits for the answer of which actor. An exclusive actor that
// waits handles nothing else, so a cycle of them would deadlock: the ask that would close a cycle
// is refused before it is sent. Any thread; used only when exclusive actors exist; part of
// SystemState.
//
// An interleaved actor never blocks itself: it passes on the identity of the actor that waits for
// its answer.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "gyre/actor/detail/reply.hpp"

namespace gyre::actor {

class CallWaits {
public:
    // Notes that `by` waits for `of`. When that closes a cycle, returns it as "a -> b -> a" and
    // notes nothing.
    [[nodiscard]] std::string begin(const Cell& by, const Cell& of, CallWait& wait);
    void end(const CallWait& wait) noexcept;

private:
    // The chain of waits from `from` to `to`; empty when there is none.
    [[nodiscard]] std::string path(const Cell& from, const Cell& to, std::size_t depth_max) const;

    std::mutex mutex_;
    std::map<std::pair<const Cell*, std::uint64_t>, const Cell*> waits_;
    std::uint64_t last_number_ = 0;
};

}  // namespace gyre::actor
