// SPDX-License-Identifier: Apache-2.0
// Timers: the pending timer ops of one loop, a hierarchical wheel with nanosecond slots. Insert and
// remove are O(1) and allocate nothing; any number may be active. Only the loop's thread.
//
// A timer stands at the level of the highest digit (see TimerLevel) in which its deadline
// differs from the wheel's time, in the slot of that digit. So the lowest occupied level holds the
// earliest timers, and moving a slot down a level keeps their order. A deadline that has passed
// already when it is inserted counts as due now, behind those inserted before it.
//
// A timer that is moved to a later deadline stays where it stands, until its old slot is emptied:
// most timers that are moved are moved again before that. So it may get to its slot behind one that
// was started later, and ties are fired by their start numbers. A timer that waits has that number
// where its result will be.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "gyre/kernel/op.hpp"

namespace gyre {

// How a time is read: as digits of different widths, each a level of the wheel. Moving a timer down
// a level costs a cache miss, so most timers should move once: the two wide digits span 33 us to
// 17 ms and 17 ms to 34 s, where timeouts are. And what one slot of the upper one holds should stay
// in the cache until it has fired: with a hundred thousand timers a second that is 17 ms of them.
// Above that, digits are narrow: slots cost memory in every loop.
//
// Where a digit stands in a time, and where its slots and its marks (64 slots a word) begin.
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
    // The level above.
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

// The level of the digit in which a bit stands.
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
    // A timer that is here, as if it were started now.
    void move(TimerOp& op, Instant deadline) noexcept;

    // Moves every timer due at `now` to the end of `due`, earliest first, ties in start order.
    // False when some may be left, because it has moved `count_max`, or a few more: call it again.
    // Of a great number, portions that are worked on while they are in the cache take half the
    // time.
    bool take_due(Instant now, OpQueue& due,
                  std::size_t count_max = std::numeric_limits<std::size_t>::max()) noexcept {
        // A clock that went back: nothing is due that was not before.
        if (now.nanoseconds() < time_) return true;
        if (count_ != 0) return take_due_of_some(now.nanoseconds(), due, count_max);
        time_ = now.nanoseconds();
        return true;
    }

    // Not later than the earliest deadline, and exact where few timers share its slot; `never` when
    // there is none.
    [[nodiscard]] Instant next_deadline() noexcept {
        return count_ == 0 ? Instant::never() : next_deadline_of_some();
    }

    [[nodiscard]] std::size_t count() const noexcept { return count_; }

    // In no particular order: for reports.
    template <class Visitor>
    void for_each(Visitor visit) const {
        const auto visit_op = [&visit](const Op& op) { visit(static_cast<const TimerOp&>(op)); };
        overdue_.for_each(visit_op);
        for (const OpQueue& slot : slots_) slot.for_each(visit_op);
    }

private:
    // A slot with at most this many is sorted and fired instead of being moved down level by level.
    static constexpr std::size_t few = 16;

    using Node = Link<OpLinks>;
    class Scout;
    struct Place {
        std::size_t level;
        std::size_t slot;
        std::uint64_t starts_at;
        std::uint64_t ends_at;  // the last instant
    };

    static TimerOp& timer(Node* node) noexcept;
    // By start number, and by deadline before that.
    [[nodiscard]] static bool is_before(const TimerOp& a, const TimerOp& b) noexcept;
    [[nodiscard]] static bool is_earlier(const TimerOp& a, const TimerOp& b) noexcept;
    static void merge(OpQueue& into, OpQueue& from) noexcept;
    static void sort_by_start(OpQueue& ops) noexcept;
    bool take_due_of_some(std::uint64_t now, OpQueue& due, std::size_t count_max) noexcept;
    [[nodiscard]] Instant next_deadline_of_some() noexcept;
    void number(TimerOp& op) noexcept;
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
    std::size_t scouted_ = 0;  // hops into the slot after the one to be emptied next
    std::uint32_t levels_occupied_ = 0;
    // Which slots may hold something. Cleaned when a slot is found empty, not when it gets so.
    std::array<std::uint64_t, timer_word_count> occupied_{};
    std::array<OpQueue, timer_slot_count> slots_;
};

}  // namespace gyre
