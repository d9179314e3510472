// SPDX-License-Identifier: Apache-2.0
// Timers: the pending timer ops of one loop, a hierarchical timing wheel with nanosecond
// resolution. Insert and remove are O(1); the number of timers is unlimited. Only the loop's thread.
//
// A loop with a few timers keeps them in a sorted list. The wheel, of 48 KB, is allocated when there
// are more, and kept from then on; if the system refuses the memory, the list grows, and the next
// timer tries again.
//
// In the wheel a timer is stored at the level of the highest digit (see TimerLevel) in which its
// deadline differs from the wheel's time, in the slot of that digit. So the lowest occupied level
// holds the earliest timers, and moving a slot down a level keeps their order. A deadline that has
// already passed at insertion counts as due now, behind the timers inserted before it.
//
// A timer that is rescheduled to a later deadline stays in its old slot until that slot is emptied:
// most rescheduled timers are rescheduled again before that. It may therefore arrive in its new
// slot behind a timer that was started later, so ties fire in the order of start numbers. A pending
// timer stores its start number in the result field.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>

#include "gyre/kernel/op.hpp"

namespace gyre {

// How a time is split: into digits of different widths, each a level of the wheel. Moving a timer
// down a level costs a cache miss, so most timers should move once: the two wide digits span 33 us
// to 17 ms and 17 ms to 34 s, the range of typical timeouts. The timers in one slot of the upper
// wide digit should also fit in the cache until they have fired: at a hundred thousand timers a
// second, a slot holds those of 17 ms. Higher digits are narrow, since slots cost memory in every
// loop.
//
// The position of a digit in a time, and the first of its slots and of its occupancy words (64
// slots a word).
struct TimerLevel {
    std::uint8_t shift = 0;
    std::uint8_t bits = 0;
    std::uint16_t first_slot = 0;
    std::uint16_t first_word = 0;
    std::uint16_t word_count = 0;

    [[nodiscard]] constexpr std::uint16_t slot_count() const noexcept {
        return static_cast<std::uint16_t>(1u << bits);
    }
    [[nodiscard]] constexpr std::size_t digit_of(std::uint64_t time) const noexcept {
        return (time >> shift) & (slot_count() - 1u);
    }
    // The digits above this one. In two steps, since a shift by the whole width is undefined.
    [[nodiscard]] constexpr std::uint64_t higher_digits_of(std::uint64_t time) const noexcept {
        return time >> shift >> bits << bits << shift;
    }
    // The next higher level.
    [[nodiscard]] constexpr TimerLevel next(std::uint8_t its_bits) const noexcept {
        TimerLevel level;
        level.shift = static_cast<std::uint8_t>(shift + bits);
        level.bits = its_bits;
        level.first_slot = static_cast<std::uint16_t>(first_slot + (bits == 0 ? 0 : slot_count()));
        level.first_word = static_cast<std::uint16_t>(first_word + word_count);
        level.word_count = static_cast<std::uint16_t>((level.slot_count() + 63) / 64);
        return level;
    }
};

inline constexpr std::array<std::uint8_t, 10> timer_digit_bits = {4, 6, 5, 9, 11, 6, 6, 6, 6, 5};

inline constexpr auto timer_levels = [] {
    std::array<TimerLevel, timer_digit_bits.size()> levels;
    TimerLevel below;
    for (std::size_t i = 0; i < levels.size(); ++i) {
        below = levels[i] = below.next(timer_digit_bits[i]);
    }
    return levels;
}();
static_assert(timer_levels.back().shift + timer_levels.back().bits == 64);

inline constexpr std::size_t timer_slot_count = timer_levels.back().next(0).first_slot;
inline constexpr std::size_t timer_word_count = timer_levels.back().next(0).first_word;

// Maps a bit of a time to the level of its digit.
inline constexpr auto timer_level_of_bit = [] {
    std::array<std::uint8_t, 64> level_of_bit{};
    for (std::size_t bit = 0; bit < 64; ++bit) {
        for (const TimerLevel& level : timer_levels) {
            if (level.shift + level.bits <= bit) ++level_of_bit[bit];
        }
    }
    return level_of_bit;
}();

class Timers {
public:
    explicit Timers(Instant now) noexcept : time_(now.nanoseconds()) {}

    void insert(TimerOp& op) noexcept;
    void remove(TimerOp& op) noexcept;
    // Reschedules a pending timer, as if it were started now.
    void move(TimerOp& op, Instant deadline) noexcept;

    // Moves every timer due at `now` to the end of `due`, earliest first, ties in start order.
    // False if some may be left because `count_max` (or slightly more) were moved: call it again.
    // Handling many timers in batches that stay in the cache takes half the time.
    bool take_due(Instant now, OpQueue& due,
                  std::size_t count_max = std::numeric_limits<std::size_t>::max()) noexcept {
        // If the clock went back, no further timer is due.
        if (now.nanoseconds() < time_) return true;
        if (count_ != 0) return take_due_of_some(now.nanoseconds(), due, count_max);
        time_ = now.nanoseconds();
        return true;
    }

    // Not later than the earliest deadline, and exact if few timers share its slot; `never` if
    // there is no timer.
    [[nodiscard]] Instant next_deadline() noexcept {
        return count_ == 0 ? Instant::never() : next_deadline_of_some();
    }

    [[nodiscard]] std::size_t count() const noexcept { return count_; }
    // For tests.
    [[nodiscard]] bool has_wheel() const noexcept { return wheel_ != nullptr; }

    // Visits timers in no particular order, for reports.
    template <class Visitor>
    void for_each(Visitor visit) const {
        const auto visit_op = [&visit](const Op& op) { visit(static_cast<const TimerOp&>(op)); };
        overdue_.for_each(visit_op);
        sorted_.for_each(visit_op);
        if (wheel_ == nullptr) return;
        for (const OpQueue& slot : wheel_->slots) slot.for_each(visit_op);
    }

private:
    // So many timers need no wheel. A slot with at most this many is sorted and fired instead of
    // being moved down level by level.
    static constexpr std::size_t few = 16;

    using Node = Link<OpLinks>;
    class Scout;
    struct Wheel {
        // The slots that may be occupied. A bit is cleared when its slot is found empty, not when it
        // becomes empty.
        std::array<std::uint64_t, timer_word_count> occupied{};
        std::array<OpQueue, timer_slot_count> slots;
    };
    struct Place {
        std::size_t level;
        std::size_t slot;
        std::uint64_t starts_at;
        std::uint64_t ends_at;  // the last instant
    };

    static TimerOp& timer(Node* node) noexcept;
    // is_before compares start numbers; is_earlier compares deadlines first.
    [[nodiscard]] static bool is_before(const TimerOp& a, const TimerOp& b) noexcept;
    [[nodiscard]] static bool is_earlier(const TimerOp& a, const TimerOp& b) noexcept;
    static void merge(OpQueue& into, OpQueue& from) noexcept;
    static void sort_by_start(OpQueue& ops) noexcept;
    bool take_due_of_some(std::uint64_t now, OpQueue& due, std::size_t count_max) noexcept;
    [[nodiscard]] Instant next_deadline_of_some() noexcept;
    [[gnu::cold]] void make_wheel() noexcept;
    void number(TimerOp& op) noexcept;
    // Without a wheel: into the list, or into the wheel that it makes when there are more than few.
    [[gnu::noinline]] void insert_in_list(TimerOp& op) noexcept;
    void place(TimerOp& op, std::uint64_t deadline) noexcept;
    void fire(TimerOp& op, OpQueue& due) noexcept;
    [[nodiscard]] bool find_earliest(Place& place) noexcept;
    void empty_slot(const Place& at, std::uint64_t now, OpQueue& due,
                    std::size_t count_max) noexcept;
    bool fire_in_order(OpQueue& slot, std::uint64_t until, OpQueue& due,
                       std::size_t count_max) noexcept;
    bool fire_few(OpQueue& slot, std::uint64_t until, OpQueue& due) noexcept;
    void cascade(OpQueue& slot, const Place& at, OpQueue& due) noexcept;
    [[nodiscard]] OpQueue* slot_after(const Place& at, std::size_t distance) noexcept;

    std::uint64_t time_;
    std::size_t count_ = 0;
    std::uint32_t last_number_ = 0;
    OpQueue overdue_;
    OpQueue sorted_;                // without a wheel: the timers that are not overdue
    std::unique_ptr<Wheel> wheel_;  // null: not needed yet
    std::size_t scouted_ = 0;       // nodes prefetched of the slot after the next one to be emptied
    std::uint32_t levels_occupied_ = 0;
};

}  // namespace gyre
