// SPDX-License-Identifier: Apache-2.0
// Gate: lets messages of other threads through to a loop until it closes. Any thread may enter; the
// loop's own thread closes it, and goes when nothing is on its way any more. So a reference may
// outlive the loop it leads to: what comes too late is refused here, and touches nothing there.
//
// One word: a bit that says closed, and above it how many are inside. A message is inside from
// before its post until its arrival, its sender until its post has returned.
#pragma once

#include <cstdint>

#include "gyre/base/atomic.hpp"

namespace gyre::actor {

class Gate {
public:
    // A message and its sender. False: closed.
    [[nodiscard]] bool enter() noexcept {
        // Acquire: who is refused sees what the loop did before it closed.
        if ((word_.fetch_add(2 * one, std::memory_order_acquire) & closed) == 0) return true;
        leave(2);
        return false;
    }
    void leave(std::uint64_t count = 1) noexcept {
        // Release: pairs with the look of the loop that waits for an empty gate.
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
