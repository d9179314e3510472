// SPDX-License-Identifier: Apache-2.0
// SpscRing<T>: a bounded single-producer, single-consumer queue: one thread pushes, one thread pops
// (they may be the same). No lock, no allocation after construction; a push to a full ring fails.
//
//     SpscRing<int> ring(1024);
//     if (!ring.push(42)) count_lost();
//
// Thread: one thread pushes, one thread pops.
// Lifetime: outlives both threads' use of it.
//
// Protocol: only the producer writes pushed_, only the consumer writes popped_; both count up and
// wrap. The slots of the counts from popped_ up to pushed_ belong to the consumer, all others to
// the producer. Each side keeps a stale copy of the other's count and reads the count again only if
// the copy says full or empty, so that a stream of items rarely moves a cache line.
#pragma once

#include <bit>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include "gyre/base/assert.hpp"
#include "gyre/base/detail/atomic.hpp"

namespace gyre {

template <class T>
class SpscRing {
public:
    // The capacity is a power of two.
    explicit SpscRing(std::size_t capacity)
        : mask_(capacity - 1), slots_(std::make_unique<T[]>(capacity)) {
        GYRE_ASSERT(std::has_single_bit(capacity), "capacity %zu is no power of two: round it up",
                    capacity);
    }

    [[nodiscard]] std::size_t capacity() const noexcept { return mask_ + 1; }

    // Producer only. False if full: the item is not moved from.
    [[nodiscard]] bool push(T&& item) noexcept {
        // Relaxed: the producer reads its own count.
        const std::size_t pushed = pushed_.load(std::memory_order_relaxed);
        if (pushed - popped_seen_ > mask_) {
            // Acquire: the consumer has finished reading the slot before it is overwritten.
            popped_seen_ = popped_.load(std::memory_order_acquire);
            if (pushed - popped_seen_ > mask_) return false;
        }
        slots_[pushed & mask_] = std::move(item);
        // Release: the item is written before the count is.
        pushed_.store(pushed + 1, std::memory_order_release);
        return true;
    }
    [[nodiscard]] bool push(const T& item) noexcept { return push(T(item)); }

    // Consumer only. Empty if the ring is empty.
    [[nodiscard]] std::optional<T> pop() noexcept {
        // Relaxed: the consumer reads its own count.
        const std::size_t popped = popped_.load(std::memory_order_relaxed);
        if (popped == pushed_seen_) {
            // Acquire: pairs with the release in push, so that the item is seen.
            pushed_seen_ = pushed_.load(std::memory_order_acquire);
            if (popped == pushed_seen_) return std::nullopt;
        }
        std::optional<T> item(std::move(slots_[popped & mask_]));
        // Release: the slot is read before the producer may overwrite it.
        popped_.store(popped + 1, std::memory_order_release);
        return item;
    }

private:
    static constexpr std::size_t cache_line_bytes = 64;

    const std::size_t mask_;
    const std::unique_ptr<T[]> slots_;
    alignas(cache_line_bytes) Atomic<std::size_t> pushed_{0};
    std::size_t popped_seen_ = 0;  // producer's copy
    alignas(cache_line_bytes) Atomic<std::size_t> popped_{0};
    std::size_t pushed_seen_ = 0;  // consumer's copy
};

}  // namespace gyre
