// SPDX-License-Identifier: Apache-2.0
// StealDeque: a bounded work-stealing deque of pointers, after Chase and Lev. The owner thread
// pushes and pops at the bottom; any other thread steals at the top. It must outlive all of them.
//
// Protocol. Items are in [top_, bottom_); both are counters that are never reduced modulo the
// capacity. Only the owner writes bottom_; top_ only grows, by a compare-exchange whose winner gets
// the item.
//   push   writes the slot, then moves bottom_ up.
//   steal  reads top_, then bottom_, then the slot, and takes the item by moving top_ up.
//   pop    moves bottom_ down first, then reads top_. If more than one item is left, no thief can
//          reach this one; the last item goes to the winner of the compare-exchange on top_.
// The accesses are sequentially consistent because all threads must agree that pop's write of
// bottom_ comes before its read of top_, and that steal reads top_ before bottom_: then of an owner
// and a thief that compete for the same item, one sees the other. A slot is overwritten only after
// top_ has passed it, so a thief that read an old slot loses its compare-exchange.
// tests/model/steal_deque.test.cpp runs it under every schedule.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "gyre/base/assert.hpp"
#include "gyre/base/detail/atomic.hpp"

namespace gyre::pool {

template <class T>
class StealDeque {
public:
    // The capacity is a power of two.
    explicit StealDeque(std::size_t capacity)
        : mask_(static_cast<std::int64_t>(capacity) - 1),
          slots_(std::make_unique<Atomic<T*>[]>(capacity)) {
        GYRE_ASSERT(std::has_single_bit(capacity),
                    "capacity %zu is not a power of two: round it up", capacity);
    }

    // Owner only. False if full: the item stays with the caller.
    [[nodiscard]] bool push(T& item) noexcept {
        // Relaxed: the owner reads its own count.
        const std::int64_t bottom = bottom_.load(std::memory_order_relaxed);
        if (bottom - top_seen_ > mask_) {
            // Acquire: thieves have read the slots below top_ before they are written again.
            top_seen_ = top_.load(std::memory_order_acquire);
            if (bottom - top_seen_ > mask_) return false;
        }
        // Relaxed: the store of bottom_ publishes it.
        slot(bottom).store(&item, std::memory_order_relaxed);
        // Sequentially consistent: the owner checks for sleepers next, and a sleeper checks this
        // deque after it has added itself; one of the two sees the other.
        bottom_.store(bottom + 1);
        return true;
    }

    // Owner only: the newest item, or null.
    [[nodiscard]] T* pop() noexcept {
        // Relaxed: the owner reads its own count.
        const std::int64_t bottom = bottom_.load(std::memory_order_relaxed) - 1;
        bottom_.store(bottom);
        std::int64_t top = top_.load();
        if (top > bottom) {
            // Relaxed, here and below: the deque is empty, so no thread reads a slot because of it.
            bottom_.store(bottom + 1, std::memory_order_relaxed);
            return nullptr;
        }
        // Relaxed: the owner reads its own write.
        T* item = slot(bottom).load(std::memory_order_relaxed);
        if (top < bottom) return item;
        const bool is_won = top_.compare_exchange_strong(top, top + 1);
        bottom_.store(bottom + 1, std::memory_order_relaxed);
        return is_won ? item : nullptr;
    }

    // Any other thread: the oldest item; null if there is none or another thread took it.
    [[nodiscard]] T* steal() noexcept {
        std::int64_t top = top_.load();
        if (top >= bottom_.load()) return nullptr;
        // Relaxed: the load of bottom_ saw the push that wrote the slot. If the slot was written
        // again since, top_ has moved and the compare-exchange fails.
        T* item = slot(top).load(std::memory_order_relaxed);
        return top_.compare_exchange_strong(top, top + 1) ? item : nullptr;
    }

    // Any thread. The result may be out of date at once.
    [[nodiscard]] bool looks_empty() const noexcept {
        const std::int64_t top = top_.load();
        return top >= bottom_.load();
    }

private:
    static constexpr std::size_t cache_line_bytes = 64;

    Atomic<T*>& slot(std::int64_t index) noexcept {
        return slots_[static_cast<std::size_t>(index & mask_)];
    }

    const std::int64_t mask_;
    const std::unique_ptr<Atomic<T*>[]> slots_;
    alignas(cache_line_bytes) Atomic<std::int64_t> bottom_{0};
    std::int64_t top_seen_ = 0;  // the owner's copy, never ahead of top_
    alignas(cache_line_bytes) Atomic<std::int64_t> top_{0};
};

}  // namespace gyre::pool
