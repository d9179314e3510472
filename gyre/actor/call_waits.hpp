// SPDX-License-Identifier: Apache-2.0
// CallWaits: which exclusive actor waits for whose answer. One that waits handles nothing else, so
// a circle of them would wait for ever: the ask that would close it is found before it is sent. Any
// thread; used only where there are exclusive actors.
//
// An actor that interleaves is never stuck by itself: it only passes on who waits for what it does.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "gyre/actor/any_ref.hpp"

namespace gyre {
class Task;
}

namespace gyre::actor {

class CallWaits {
public:
    struct Key {
        const Cell* by = nullptr;
        std::uint64_t number = 0;
    };

    // `by` waits for `of` from now on. Where that closes a circle, gives it as "a -> b -> a", and
    // notes nothing.
    [[nodiscard]] std::string begin(const Cell& by, const Cell& of, Key& key);
    void end(const Key& key) noexcept;

private:
    // From `from` on to `to`; empty: there is no way.
    [[nodiscard]] std::string path(const Cell& from, const Cell& to, std::size_t depth_max) const;

    std::mutex mutex_;
    std::map<std::pair<const Cell*, std::uint64_t>, const Cell*> waits_;
    std::uint64_t last_number_ = 0;
};

// The exclusive actor that waits for what the task does: that whose handler it is, or belongs to,
// or the one that asked for it.
[[nodiscard]] AnyRef waiting_actor_of(Task& task);

}  // namespace gyre::actor
