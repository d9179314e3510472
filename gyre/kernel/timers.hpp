// SPDX-License-Identifier: Apache-2.0
// Timers: the pending timer ops of one loop, a hierarchical wheel with nanosecond slots. Insert and
// remove are O(1) and allocate nothing; any number may be active. Only the loop's thread.
//
// A timer stands at the level of the highest digit (8 bits) in which its deadline differs from the
// wheel's time, in the slot of that digit. So the lowest occupied level holds the earliest timers,
// equal deadlines always share a slot, and moving a slot down a level keeps their order: ties fire
// in start order without a sequence number. A deadline that has passed already when it is inserted
// counts as due now, behind those inserted before it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "gyre/kernel/timer_op.hpp"

namespace gyre {

class Timers {
public:
    explicit Timers(Instant now) noexcept : time_(now.nanoseconds()) {}

    void insert(TimerOp& op) noexcept;
    void remove(TimerOp& op) noexcept;

    // Moves every timer due at `now` to the end of `due`, earliest first, ties in start order.
    void take_due(Instant now, OpQueue& due) noexcept;

    // Not later than the earliest deadline, and exact where few timers share its slot; `never` when
    // there is none.
    [[nodiscard]] Instant next_deadline() noexcept;

    [[nodiscard]] std::size_t count() const noexcept { return count_; }

    // In no particular order: for reports.
    template <class Visitor>
    void for_each(Visitor visit) const {
        const auto visit_op = [&visit](const Op& op) { visit(static_cast<const TimerOp&>(op)); };
        overdue_.for_each(visit_op);
        for (const Level& level : levels_) {
            for (const OpQueue& slot : level.slots) slot.for_each(visit_op);
        }
    }

private:
    static constexpr unsigned digit_bits = 8;
    static constexpr std::size_t slot_count = std::size_t{1} << digit_bits;
    static constexpr std::size_t level_count = 64 / digit_bits;
    // A slot with at most this many is sorted and fired instead of being moved down level by level.
    static constexpr std::size_t few = 16;

    using Node = Link<OpLinks>;
    struct Slot {
        std::size_t level;
        std::size_t digit;
        std::uint64_t starts_at;
    };
    struct Level {
        std::array<OpQueue, slot_count> slots;
        // Which slots may hold something. Cleaned when a slot is found empty, not when it gets so.
        std::array<std::uint64_t, slot_count / 64> occupied{};
    };

    static TimerOp& timer(Node* node) noexcept;
    void place(TimerOp& op) noexcept;
    [[nodiscard]] bool find_earliest(Slot& slot) noexcept;
    void empty_slot(const Slot& slot, std::uint64_t now, OpQueue& due) noexcept;
    bool fire_few(OpQueue& slot, std::uint64_t now, OpQueue& due) noexcept;
    void cascade(OpQueue& slot, OpQueue& due) noexcept;

    std::uint64_t time_;
    std::size_t count_ = 0;
    OpQueue overdue_;
    std::uint32_t levels_occupied_ = 0;
    std::array<Level, level_count> levels_;
};

}  // namespace gyre
