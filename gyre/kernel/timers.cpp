// SPDX-License-Identifier: Apache-2.0
#include "gyre/kernel/timers.hpp"

#include <algorithm>
#include <bit>

namespace gyre {

TimerOp& Timers::timer(Node* node) noexcept {
    return static_cast<TimerOp&>(static_cast<Op&>(*node));
}

void Timers::insert(TimerOp& op) noexcept {
    ++count_;
    if (op.deadline.nanoseconds() <= time_) {
        overdue_.push_back(op);
    } else {
        place(op);
    }
}

void Timers::remove(TimerOp& op) noexcept {
    GYRE_ASSERT(op.is_linked(), "timer op %llu is not among the timers",
                static_cast<unsigned long long>(op.id()));
    op.unlink();
    --count_;
}

// The deadline is later than the wheel's time.
void Timers::place(TimerOp& op) noexcept {
    const std::uint64_t deadline = op.deadline.nanoseconds();
    const auto highest_bit = static_cast<unsigned>(63 - std::countl_zero(deadline ^ time_));
    const unsigned level = highest_bit / digit_bits;
    const std::size_t digit = (deadline >> (level * digit_bits)) & (slot_count - 1);
    levels_[level].slots[digit].push_back(op);
    levels_[level].occupied[digit / 64] |= std::uint64_t{1} << (digit % 64);
    levels_occupied_ |= 1u << level;
}

bool Timers::find_earliest(Slot& slot) noexcept {
    while (levels_occupied_ != 0) {
        const auto level = static_cast<std::size_t>(std::countr_zero(levels_occupied_));
        Level& at = levels_[level];
        for (std::size_t word = 0; word < at.occupied.size(); ++word) {
            while (at.occupied[word] != 0) {
                const std::size_t digit =
                    word * 64 + static_cast<std::size_t>(std::countr_zero(at.occupied[word]));
                if (!at.slots[digit].empty()) {
                    const unsigned shift = static_cast<unsigned>(level) * digit_bits;
                    // Twice, since a shift by the whole width is undefined.
                    const std::uint64_t higher = time_ >> shift >> digit_bits << digit_bits
                                                                              << shift;
                    slot = {level, digit, higher | (static_cast<std::uint64_t>(digit) << shift)};
                    return true;
                }
                at.occupied[word] &= at.occupied[word] - 1;
            }
        }
        levels_occupied_ &= levels_occupied_ - 1;
    }
    return false;
}

void Timers::take_due(Instant now_instant, OpQueue& due) noexcept {
    const std::uint64_t now = now_instant.nanoseconds();
    if (now < time_) return;  // A clock that went back: nothing is due that was not due before.
    while (Op* op = overdue_.pop_front()) {
        due.push_back(*op);
        --count_;
    }
    Slot slot{};
    while (find_earliest(slot) && slot.starts_at <= now) empty_slot(slot, now, due);
    time_ = now;
}

// Moves the wheel to the slot's start: nothing is earlier. What is due there goes to `due`, the
// rest to lower levels.
void Timers::empty_slot(const Slot& at, std::uint64_t now, OpQueue& due) noexcept {
    OpQueue taken;
    taken.take_all(levels_[at.level].slots[at.digit]);
    time_ = at.starts_at;
    if (at.level > 0 && fire_few(taken, now, due)) return;
    cascade(taken, due);
}

bool Timers::fire_few(OpQueue& slot, std::uint64_t now, OpQueue& due) noexcept {
    std::array<TimerOp*, few> sorted{};
    std::size_t size = 0;
    for (Node* node = slot.head_.next_; node != &slot.head_; node = node->next_) {
        if (size == few) return false;
        TimerOp* op = &timer(node);
        std::size_t at = size++;
        for (; at > 0 && op->deadline < sorted[at - 1]->deadline; --at) sorted[at] = sorted[at - 1];
        sorted[at] = op;
    }
    for (std::size_t i = 0; i < size; ++i) {
        TimerOp& op = *sorted[i];
        op.unlink();
        if (op.deadline.nanoseconds() <= now) {
            due.push_back(op);
            --count_;
        } else {
            place(op);  // Not at the wheel's time: that one would be due.
        }
    }
    return true;
}

void Timers::cascade(OpQueue& slot, OpQueue& due) noexcept {
    // The list hops through memory. A second walk from its end brings the later half into the cache
    // while the first half is worked on.
    Node* ahead = slot.head_.prev_;
    while (Op* op = slot.pop_front()) {
        if (ahead != &slot.head_) {
            __builtin_prefetch(ahead->prev_);
            ahead = ahead == static_cast<Node*>(op) ? &slot.head_ : ahead->prev_;
        }
        auto& timer_op = static_cast<TimerOp&>(*op);
        if (timer_op.deadline.nanoseconds() == time_) {
            due.push_back(timer_op);
            --count_;
        } else {
            place(timer_op);
        }
    }
}

Instant Timers::next_deadline() noexcept {
    if (!overdue_.empty()) return Instant(time_);
    Slot slot{};
    if (!find_earliest(slot)) return Instant::never();
    OpQueue& ops = levels_[slot.level].slots[slot.digit];
    Instant earliest = Instant::never();
    std::size_t seen = 0;
    for (Node* node = ops.head_.next_; node != &ops.head_; node = node->next_) {
        if (++seen > few) return Instant(slot.starts_at);
        earliest = std::min(earliest, timer(node).deadline);
    }
    return earliest;
}

}  // namespace gyre
