// SPDX-License-Identifier: Apache-2.0
// MpmcRing: a bounded multi-producer, multi-consumer queue that can be closed. No lock, no
// allocation after construction; a push to a full ring fails. It must outlive all its users.
//
// Protocol: `pushed_` and `popped_` only increase; a thread claims a place by incrementing one of
// them. The sequence of the cell of place p says which thread may use it:
//
//   p             free: for the pusher that claims p
//   p + 1         there is an item: for the popper that claims p
//   p + capacity  free again, for the pusher of the next round
//
// The lowest bit of `pushed_` marks the ring as closed: once it is set no place can be claimed, so
// the ring is drained when `popped_` has reached the count in `pushed_`. A producer that has
// claimed its place but not filled it delays the consumers of later places, and no other thread.
//
// A thread that is about to sleep because the ring is full or empty registers as a sleeper first
// and then checks again with may_push or may_pop; a thread that has pushed, popped or closed checks
// for sleepers afterwards. Both checks and all accesses to the variables they read are sequentially
// consistent, so one of the two threads sees the other.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "gyre/base/assert.hpp"
#include "gyre/base/detail/atomic.hpp"

namespace gyre {

template <class T>
class MpmcRing {
    static_assert(std::is_nothrow_move_constructible_v<T>, "an item must move without a throw");

public:
    enum class Pushed : std::uint8_t { done, full, closed };
    enum class Popped : std::uint8_t { done, empty, closed };

    // The capacity is a power of two, at least 2: with 1 a full cell would look like a free one.
    explicit MpmcRing(std::size_t capacity)
        : mask_(capacity - 1), cells_(std::make_unique<Cell[]>(capacity)) {
        GYRE_ASSERT(capacity > 1, "a ring between threads has room for 2 items at least");
        GYRE_ASSERT(std::has_single_bit(capacity), "capacity %zu is no power of two: round it up",
                    capacity);
        for (std::size_t i = 0; i < capacity; ++i) {
            // Relaxed: no other thread has access to the ring yet.
            cells_[i].sequence.store(i, std::memory_order_relaxed);
        }
    }

    [[nodiscard]] std::size_t capacity() const noexcept { return mask_ + 1; }

    // Moves from the item only if the push succeeds.
    [[nodiscard]] Pushed push(T& item) noexcept {
        // Relaxed: only a guess; the cell's sequence and the compare-exchange validate it.
        std::size_t word = pushed_.load(std::memory_order_relaxed);
        for (;;) {
            if ((word & closed) != 0) return Pushed::closed;
            const std::size_t place = word / step;
            Cell& cell = cells_[place & mask_];
            // Acquire: the consumer has moved the previous item out.
            const std::size_t sequence = cell.sequence.load(std::memory_order_acquire);
            if (sequence == place) {
                if (!pushed_.compare_exchange_weak(word, word + step)) continue;
                cell.item.emplace(std::move(item));
                cell.sequence.store(place + 1);
                return Pushed::done;
            }
            // Relaxed: a guess, as above.
            const std::size_t now = pushed_.load(std::memory_order_relaxed);
            if (now == word && sequence < place) return Pushed::full;
            word = now;
        }
    }

    // Returns `closed` only if the ring is also empty.
    [[nodiscard]] Popped pop(std::optional<T>& into) noexcept {
        // Relaxed: only a guess; the cell's sequence and the compare-exchange validate it.
        std::size_t place = popped_.load(std::memory_order_relaxed);
        for (;;) {
            Cell& cell = cells_[place & mask_];
            // Acquire: the item is complete as its producer wrote it.
            const std::size_t sequence = cell.sequence.load(std::memory_order_acquire);
            if (sequence == place + 1) {
                if (!popped_.compare_exchange_weak(place, place + 1)) continue;
                into.emplace(std::move(*cell.item));
                cell.item.reset();
                cell.sequence.store(place + capacity());
                return Popped::done;
            }
            if (sequence <= place) {
                const std::size_t word = pushed_.load();
                // Relaxed: a guess, as above.
                const std::size_t now = popped_.load(std::memory_order_relaxed);
                if (now == place) return is_drained(word, place) ? Popped::closed : Popped::empty;
            }
            // Relaxed: a guess, as above.
            place = popped_.load(std::memory_order_relaxed);
        }
    }

    // Whether a push would not return `full`, or a pop not `empty`, at the moment of the call.
    [[nodiscard]] bool may_push() const noexcept {
        const std::size_t word = pushed_.load();
        const std::size_t place = word / step;
        return (word & closed) != 0 || cells_[place & mask_].sequence.load() >= place;
    }
    [[nodiscard]] bool may_pop() const noexcept {
        const std::size_t place = popped_.load();
        return cells_[place & mask_].sequence.load() > place || is_drained(pushed_.load(), place);
    }

    void close() noexcept { pushed_.fetch_or(closed); }
    [[nodiscard]] bool is_closed() const noexcept { return (pushed_.load() & closed) != 0; }

private:
    static constexpr std::size_t cache_line_bytes = 64;
    static constexpr std::size_t closed = 1;
    static constexpr std::size_t step = 2;  // of the count in pushed_, above the bit

    struct Cell {
        Atomic<std::size_t> sequence{0};
        std::optional<T> item;
    };

    [[nodiscard]] static bool is_drained(std::size_t word, std::size_t place) noexcept {
        return (word & closed) != 0 && word / step == place;
    }

    const std::size_t mask_;
    const std::unique_ptr<Cell[]> cells_;
    alignas(cache_line_bytes) Atomic<std::size_t> pushed_{0};
    alignas(cache_line_bytes) Atomic<std::size_t> popped_{0};
};

}  // namespace gyre
