// SPDX-License-Identifier: Apache-2.0
// Gate: counts the messages from other threads that are on their way to a loop, and refuses them
// once it is closed. Any thread may enter; only the loop's own thread closes it, and destroys the
// loop's state when the gate is empty. So a reference may outlive the loop of its actor: a late
// message is refused here and touches no freed memory. It belongs to its ActorHost.
//
// One word: bit 0 is "closed", the bits above count entries. A message counts from before its post
// until its arrival, its sender until the post has returned.
#pragma once

#include <cstdint>

#include "gyre/base/detail/atomic.hpp"

namespace gyre::actor {

class Gate {
public:
    // Counts a message and its sender. False when the gate is closed.
    [[nodiscard]] bool enter() noexcept {
        // Acquire: a refused sender sees the writes of the loop before it closed.
        if ((word_.fetch_add(2 * one, std::memory_order_acquire) & closed) == 0) return true;
        leave(2);
        return false;
    }
    void leave(std::uint64_t count = 1) noexcept {
        // Release: pairs with the acquire of is_empty in the closing loop.
        word_.fetch_sub(count * one, std::memory_order_release);
    }
    void close() noexcept { word_.fetch_or(closed, std::memory_order_acq_rel); }
    [[nodiscard]] bool is_closed() const noexcept {
        return (word_.load(std::memory_order_acquire) & closed) != 0;
    }
    [[nodiscard]] bool is_empty() const noexcept {
        return word_.load(std::memory_order_acquire) < one;
    }

private:
    static constexpr std::uint64_t closed = 1;
    static constexpr std::uint64_t one = 2;

    Atomic<std::uint64_t> word_{0};
};

}  // namespace gyre::actor
