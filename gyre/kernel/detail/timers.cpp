// SPDX-License-Identifier: Apache-2.0
#include "gyre/kernel/detail/timers.hpp"

#include <algorithm>
#include <bit>
#include <new>
#include <utility>

#include "gyre/base/detail/compiler.hpp"

namespace gyre {

// Prefetches a slot's list from both ends.
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
        // Links and deadline may be on different cache lines.
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

// Never negative, since a negative result is an error. The number wraps: two timers of one instant
// keep their order unless 2^30 others were started between them.
void Timers::number(TimerOp& op) noexcept {
    last_number_ = (last_number_ + 1) & 0x7fff'ffffU;
    op.result_ = static_cast<std::int32_t>(last_number_);
}

bool Timers::is_before(const TimerOp& a, const TimerOp& b) noexcept {
    const std::uint32_t distance =
        static_cast<std::uint32_t>(a.result_) - static_cast<std::uint32_t>(b.result_);
    return (distance & 0x4000'0000U) != 0;
}

bool Timers::is_earlier(const TimerOp& a, const TimerOp& b) noexcept {
    return a.deadline != b.deadline ? a.deadline < b.deadline : is_before(a, b);
}

// Requires the wheel, and a deadline later than its time.
GYRE_ALWAYS_INLINE void Timers::place(TimerOp& op, std::uint64_t deadline) noexcept {
    const auto highest_bit = static_cast<std::size_t>(63 - std::countl_zero(deadline ^ time_));
    const unsigned level = timer_level_of_bit[highest_bit];
    const TimerLevel& at = timer_levels[level];
    const std::size_t digit = at.digit_of(deadline);
    Wheel& wheel = *wheel_;
    wheel.slots[at.first_slot + digit].push_back(op);
    wheel.occupied[at.first_word + digit / 64] |= std::uint64_t{1} << (digit % 64);
    levels_occupied_ |= 1u << level;
}

void Timers::insert(TimerOp& op) noexcept {
    ++count_;
    number(op);
    const std::uint64_t deadline = op.deadline.nanoseconds();
    if (deadline <= time_) {
        overdue_.push_back(op);
    } else if (wheel_ != nullptr) {
        place(op, deadline);
    } else {
        insert_in_list(op);
    }
}

void Timers::insert_in_list(TimerOp& op) noexcept {
    if (count_ > few) make_wheel();
    if (wheel_ != nullptr) {
        place(op, op.deadline.nanoseconds());
    } else {
        sorted_.insert_sorted(op, [](const Op& a, const Op& b) {
            return is_earlier(static_cast<const TimerOp&>(a), static_cast<const TimerOp&>(b));
        });
    }
}

void Timers::make_wheel() noexcept {
    GYRE_ASSERT(wheel_ == nullptr, "a wheel is made for timers that have one");
    wheel_.reset(new (std::nothrow) Wheel);
    if (wheel_ == nullptr) return;
    while (Op* op = sorted_.pop_front()) {
        auto& timer_op = static_cast<TimerOp&>(*op);
        place(timer_op, timer_op.deadline.nanoseconds());
    }
    GYRE_ASSERT(sorted_.empty(), "a timer is left in the list beside the wheel");
}

void Timers::remove(TimerOp& op) noexcept {
    GYRE_ASSERT(op.is_linked(), "timer op %llu is not among the timers", printable(op.id()));
    op.unlink();
    --count_;
}

void Timers::move(TimerOp& op, Instant deadline) noexcept {
    const bool is_in_a_slot = wheel_ != nullptr && op.deadline.nanoseconds() > time_;
    if (is_in_a_slot && deadline >= op.deadline) {
        op.deadline = deadline;
        number(op);
        return;
    }
    remove(op);
    op.deadline = deadline;
    insert(op);
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
            std::uint64_t& occupied = wheel_->occupied[at.first_word + word];
            while (occupied != 0) {
                const std::uint64_t digit =
                    word * 64 + static_cast<std::size_t>(std::countr_zero(occupied));
                if (!wheel_->slots[at.first_slot + digit].empty()) {
                    const std::uint64_t starts_at =
                        at.higher_digits_of(time_) | (digit << at.shift);
                    const std::uint64_t span = std::uint64_t{1} << at.shift;
                    place = {level, at.first_slot + digit, starts_at, starts_at + (span - 1)};
                    return true;
                }
                occupied &= occupied - 1;
            }
        }
        levels_occupied_ &= levels_occupied_ - 1;
    }
    return false;
}

bool Timers::take_due_of_some(std::uint64_t now, OpQueue& due, std::size_t count_max) noexcept {
    const std::size_t count_before = count_;
    const auto is_enough = [&] { return count_before - count_ >= count_max; };
    while (!overdue_.empty()) {
        if (is_enough()) return false;
        fire(static_cast<TimerOp&>(*overdue_.pop_front()), due);
    }
    while (!sorted_.empty() && timer(sorted_.front()).deadline.nanoseconds() <= now) {
        if (is_enough()) return false;
        fire(timer(sorted_.pop_front()), due);
    }
    Place earliest{};
    while (find_earliest(earliest) && earliest.starts_at <= now) {
        if (is_enough()) return false;
        empty_slot(earliest, now, due, count_max);
    }
    time_ = now;
    return true;
}

// Advances the wheel to the slot's start: no timer is earlier. Due timers go to `due`, the others
// to lower levels.
void Timers::empty_slot(const Place& at, std::uint64_t now, OpQueue& due,
                        std::size_t count_max) noexcept {
    OpQueue taken;
    taken.take_all(wheel_->slots[at.slot]);
    time_ = at.starts_at;
    // Timers rescheduled beyond this slot come after all timers between.
    const std::uint64_t until = std::min(now, at.ends_at);
    if (fire_in_order(taken, until, due, count_max)) return;
    if (at.level > 0 && fire_few(taken, until, due)) return;
    cascade(taken, at, due);
}

// Timers started one after the other with the same delay are in the order of their deadlines: if
// all of them are due, the list is moved as a whole. For most lists in another order the last
// element or the first few show it.
bool Timers::fire_in_order(OpQueue& slot, std::uint64_t until, OpQueue& due,
                           std::size_t count_max) noexcept {
    if (timer(slot.head_.prev_).deadline.nanoseconds() > until) return false;
    const TimerOp* latest = &timer(slot.head_.next_);
    std::size_t size = 1;
    for (Node* node = slot.head_.next_->next_; node != &slot.head_; node = node->next_) {
        const TimerOp& op = timer(node);
        if (is_earlier(op, *latest) || ++size > count_max) return false;
        latest = &op;
    }
    due.take_all(slot);
    count_ -= size;
    return true;
}

bool Timers::fire_few(OpQueue& slot, std::uint64_t until, OpQueue& due) noexcept {
    std::array<TimerOp*, few> sorted;
    std::size_t size = 0;
    for (Node* node = slot.head_.next_; node != &slot.head_; node = node->next_) {
        if (size == few) return false;
        TimerOp& op = timer(node);
        std::size_t at = size++;
        for (; at > 0 && is_earlier(op, *sorted[at - 1]); --at) sorted[at] = sorted[at - 1];
        sorted[at] = &op;
    }
    for (std::size_t i = 0; i < size; ++i) {
        TimerOp& op = *sorted[i];
        const std::uint64_t deadline = op.deadline.nanoseconds();
        op.unlink();
        if (deadline <= until) {
            fire(op, due);
        } else {
            place(op, deadline);  // Not equal to the wheel's time: such a timer would be due.
        }
    }
    return true;
}

// The slot `distance` places later on the same level, or null.
OpQueue* Timers::slot_after(const Place& at, std::size_t distance) noexcept {
    const TimerLevel& level = timer_levels[at.level];
    const std::size_t slot = at.slot + distance;
    return slot < std::size_t{level.first_slot} + level.slot_count() ? &wheel_->slots[slot]
                                                                     : nullptr;
}

// A slot's list is scattered in memory, and a cache miss takes longer than all other work on a
// timer. A list can be followed from its two ends only. So while one slot is emptied, two others
// are prefetched: the rest of the next one, and both ends of the one after it.
void Timers::cascade(OpQueue& slot, const Place& at, OpQueue& due) noexcept {
    Scout next(slot_after(at, 1));
    Scout after_next(slot_after(at, 2));
    for (; scouted_ > 0; --scouted_) next.hop();  // Nodes prefetched before are still in the cache.
    OpQueue first;
    bool is_sorted = true;
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
            if (!first.empty() && is_before(timer_op, timer(first.head_.prev_))) is_sorted = false;
            fire(timer_op, first);
        } else {
            place(timer_op, deadline);
        }
    }
    if (!is_sorted) sort_by_start(first);
    due.take_all(first);
}

void Timers::merge(OpQueue& into, OpQueue& from) noexcept {
    OpQueue merged;
    while (!into.empty() && !from.empty()) {
        const bool is_from = is_before(timer(from.front()), timer(into.front()));
        merged.push_back(*(is_from ? from : into).pop_front());
    }
    merged.take_all(into);
    merged.take_all(from);
    into.take_all(merged);
}

// Needed only if timers of one instant reached the slot by different routes. The run at index i has
// 2^i timers.
void Timers::sort_by_start(OpQueue& ops) noexcept {
    std::array<OpQueue, 32> runs;
    while (Op* op = ops.pop_front()) {
        OpQueue run;
        run.push_back(*op);
        std::size_t at = 0;
        for (; at + 1 < runs.size() && !runs[at].empty(); ++at) merge(run, runs[at]);
        merge(runs[at], run);
    }
    for (OpQueue& run : runs) merge(ops, run);
}

Instant Timers::next_deadline_of_some() noexcept {
    if (!overdue_.empty()) return Instant(time_);
    if (!sorted_.empty()) return timer(sorted_.front()).deadline;
    Place at{};
    while (find_earliest(at)) {
        OpQueue& ops = wheel_->slots[at.slot];
        std::uint64_t earliest = at.ends_at;
        bool is_here = false;
        std::size_t seen = 0;
        for (Node* node = ops.head_.next_; node != &ops.head_;) {
            if (++seen > few) return Instant(at.starts_at);
            TimerOp& op = timer(std::exchange(node, node->next_));
            const std::uint64_t deadline = op.deadline.nanoseconds();
            if (deadline <= at.ends_at) {
                earliest = std::min(earliest, deadline);
                is_here = true;
            } else {
                op.unlink();
                place(op, deadline);  // Rescheduled: move it to its new slot.
            }
        }
        if (is_here) return Instant(earliest);
    }
    return Instant::never();
}

}  // namespace gyre
