// SPDX-License-Identifier: Apache-2.0
// Timers: the pending timer ops of one loop, a hierarchical wheel with nanosecond slots. Insert and
// remove are O(1) and allocate nothing; any number may be active. Only the loop's thread.
//
// A timer stands at the level of the highest digit (see timer_levels.hpp) in which its deadline
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

#include "gyre/kernel/timer_levels.hpp"
#include "gyre/kernel/timer_op.hpp"

namespace gyre {

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
