// SPDX-License-Identifier: Apache-2.0
#include "gyre/kernel/timers.hpp"

#include <algorithm>
#include <bit>

namespace gyre {

// Walks a slot from both its ends to bring it into the cache.
class Timers::Scout {
public:
    explicit Scout(OpQueue* slot) noexcept {
        if (slot == nullptr || slot->empty()) return;
        front_ = slot->head_.next_;
        back_ = slot->head_.prev_;
    }
    [[nodiscard]] bool is_done() const noexcept { return front_ == nullptr; }
    void hop() noexcept {
        if (is_done()) return;
        // Links and deadline are on different lines.
        __builtin_prefetch(&timer(front_).deadline);
        __builtin_prefetch(&timer(back_).deadline);
        Node* const next = front_->next_;
        const bool have_met = front_ == back_ || next == back_;
        front_ = have_met ? nullptr : next;
        back_ = back_->prev_;
    }

private:
    Node* front_ = nullptr;
    Node* back_ = nullptr;
};

TimerOp& Timers::timer(Node* node) noexcept {
    return static_cast<TimerOp&>(static_cast<Op&>(*node));
}

void Timers::insert(TimerOp& op) noexcept {
    ++count_;
    const std::uint64_t deadline = op.deadline.nanoseconds();
    if (deadline <= time_) {
        overdue_.push_back(op);
    } else {
        place(op, deadline);
    }
}

void Timers::remove(TimerOp& op) noexcept {
    GYRE_ASSERT(op.is_linked(), "timer op %llu is not among the timers", printable(op.id()));
    op.unlink();
    --count_;
}

void Timers::move(TimerOp& op, Instant deadline) noexcept {
    remove(op);
    op.deadline = deadline;
    insert(op);
}

// The deadline is later than the wheel's time.
void Timers::place(TimerOp& op, std::uint64_t deadline) noexcept {
    const auto highest_bit = static_cast<std::size_t>(63 - std::countl_zero(deadline ^ time_));
    const unsigned level = timer_level_of_bit[highest_bit];
    const TimerLevel& at = timer_levels[level];
    const std::size_t digit = at.digit_of(deadline);
    slots_[at.first_slot + digit].push_back(op);
    occupied_[at.first_word + digit / 64] |= std::uint64_t{1} << (digit % 64);
    levels_occupied_ |= 1u << level;
}

void Timers::fire(TimerOp& op, OpQueue& due) noexcept {
    due.push_back(op);
    --count_;
}

bool Timers::find_earliest(Place& place) noexcept {
    while (levels_occupied_ != 0) {
        const auto level = static_cast<std::size_t>(std::countr_zero(levels_occupied_));
        const TimerLevel& at = timer_levels[level];
        for (std::size_t word = 0; word < at.word_count; ++word) {
            std::uint64_t& occupied = occupied_[at.first_word + word];
            while (occupied != 0) {
                const std::uint64_t digit =
                    word * 64 + static_cast<std::size_t>(std::countr_zero(occupied));
                if (!slots_[at.first_slot + digit].empty()) {
                    const std::uint64_t starts_at =
                        at.higher_digits_of(time_) | (digit << at.shift);
                    place = {level, at.first_slot + digit, starts_at};
                    return true;
                }
                occupied &= occupied - 1;
            }
        }
        levels_occupied_ &= levels_occupied_ - 1;
    }
    return false;
}

bool Timers::take_due(Instant now_instant, OpQueue& due, std::size_t count_max) noexcept {
    const std::uint64_t now = now_instant.nanoseconds();
    if (now < time_) return true;  // A clock that went back: nothing is due that was not before.
    if (count_ == 0) {
        time_ = now;
        return true;
    }
    const std::size_t count_before = count_;
    const auto is_enough = [&] { return count_before - count_ >= count_max; };
    while (!overdue_.empty()) {
        if (is_enough()) return false;
        fire(static_cast<TimerOp&>(*overdue_.pop_front()), due);
    }
    Place earliest{};
    while (find_earliest(earliest) && earliest.starts_at <= now) {
        if (is_enough()) return false;
        empty_slot(earliest, now, due, count_max);
    }
    time_ = now;
    return true;
}

// Moves the wheel to the slot's start: nothing is earlier. What is due there goes to `due`, the
// rest to lower levels.
void Timers::empty_slot(const Place& at, std::uint64_t now, OpQueue& due,
                        std::size_t count_max) noexcept {
    OpQueue taken;
    taken.take_all(slots_[at.slot]);
    time_ = at.starts_at;
    if (fire_in_order(taken, now, due, count_max)) return;
    if (at.level > 0 && fire_few(taken, now, due)) return;
    cascade(taken, at, due);
}

// Timers that were started one after the other with the same delay stand in the order of their
// deadlines: where all of them are due, the list goes as it is. Most lists that are not like that
// show it in their last element, or in their first few.
bool Timers::fire_in_order(OpQueue& slot, std::uint64_t now, OpQueue& due,
                           std::size_t count_max) noexcept {
    if (timer(slot.head_.prev_).deadline.nanoseconds() > now) return false;
    std::uint64_t latest = 0;
    std::size_t size = 0;
    for (Node* node = slot.head_.next_; node != &slot.head_; node = node->next_) {
        const std::uint64_t deadline = timer(node).deadline.nanoseconds();
        if (deadline < latest || ++size > count_max) return false;
        latest = deadline;
    }
    due.take_all(slot);
    count_ -= size;
    return true;
}

bool Timers::fire_few(OpQueue& slot, std::uint64_t now, OpQueue& due) noexcept {
    struct Sorted {
        std::uint64_t deadline;
        TimerOp* op;
    };
    std::array<Sorted, few> sorted;
    std::size_t size = 0;
    for (Node* node = slot.head_.next_; node != &slot.head_; node = node->next_) {
        if (size == few) return false;
        TimerOp& op = timer(node);
        const std::uint64_t deadline = op.deadline.nanoseconds();
        std::size_t at = size++;
        for (; at > 0 && deadline < sorted[at - 1].deadline; --at) sorted[at] = sorted[at - 1];
        sorted[at] = {deadline, &op};
    }
    for (std::size_t i = 0; i < size; ++i) {
        TimerOp& op = *sorted[i].op;
        op.unlink();
        if (sorted[i].deadline <= now) {
            fire(op, due);
        } else {
            place(op, sorted[i].deadline);  // Not at the wheel's time: that one would be due.
        }
    }
    return true;
}

// The slot that many later on the same level, if there is one.
OpQueue* Timers::slot_after(const Place& at, std::size_t distance) noexcept {
    const TimerLevel& level = timer_levels[at.level];
    const std::size_t slot = at.slot + distance;
    return slot < std::size_t{level.first_slot} + level.slot_count() ? &slots_[slot] : nullptr;
}

// A slot's list hops through memory, and a hop that misses the cache takes longer than all the work
// on a timer. A list has two ends to be walked from, and no more. So while one slot is emptied, two
// others are walked: the rest of the next one, and the beginnings of the one after it.
void Timers::cascade(OpQueue& slot, const Place& at, OpQueue& due) noexcept {
    Scout next(slot_after(at, 1));
    Scout after_next(slot_after(at, 2));
    for (; scouted_ > 0; --scouted_) next.hop();  // What was walked before is still near.
    Node* ahead = slot.head_.prev_;
    while (Op* op = slot.pop_front()) {
        if (!next.is_done()) {
            next.hop();
            after_next.hop();
            ++scouted_;
        }
        if (ahead != &slot.head_) {
            ahead = ahead == static_cast<Node*>(op) ? &slot.head_ : ahead->prev_;
            __builtin_prefetch(ahead);
            if (ahead != &slot.head_) __builtin_prefetch(&timer(ahead).deadline);
        }
        auto& timer_op = static_cast<TimerOp&>(*op);
        const std::uint64_t deadline = timer_op.deadline.nanoseconds();
        if (deadline == time_) {
            fire(timer_op, due);
        } else {
            place(timer_op, deadline);
        }
    }
}

Instant Timers::next_deadline() noexcept {
    if (count_ == 0) return Instant::never();
    if (!overdue_.empty()) return Instant(time_);
    Place place{};
    if (!find_earliest(place)) return Instant::never();
    OpQueue& ops = slots_[place.slot];
    Instant earliest = Instant::never();
    std::size_t seen = 0;
    for (Node* node = ops.head_.next_; node != &ops.head_; node = node->next_) {
        if (++seen > few) return Instant(place.starts_at);
        earliest = std::min(earliest, timer(node).deadline);
    }
    return earliest;
}

}  // namespace gyre
