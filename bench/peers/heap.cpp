// SPDX-License-Identifier: Apache-2.0
// A bare 4-ary heap of intrusive timers, ordered by (deadline, sequence): what timers cost without
// a loop around them. It stands here for the decision "a wheel, not a heap".
//
// The key is kept in the heap's array beside the pointer, so that sifting touches no timer but to
// write its index. One thread; time is an argument.
#include "bench/timer_cases.hpp"

namespace gyre::bench {
namespace {

struct HeapTimer {
    void (*on_fire)(HeapTimer& timer, void* context) = nullptr;
    std::size_t index = 0;
};

class TimerHeap {
public:
    void push(HeapTimer& timer, std::int64_t deadline_ns) {
        entries_.emplace_back();
        sift_up(entries_.size() - 1, {deadline_ns, next_sequence_++, &timer});
    }

    void remove(const HeapTimer& timer) {
        const std::size_t hole = timer.index;
        const Entry last = entries_.back();
        entries_.pop_back();
        if (hole == entries_.size()) return;
        if (hole > 0 && last.is_before(entries_[(hole - 1) / arity])) return sift_up(hole, last);
        sift_down(hole, last);
    }

    // The first timer that is due, taken out; null when there is none.
    HeapTimer* pop_due(std::int64_t now_ns) {
        if (entries_.empty() || entries_[0].deadline_ns > now_ns) return nullptr;
        HeapTimer* const first = entries_[0].timer;
        remove(*first);
        return first;
    }

private:
    static constexpr std::size_t arity = 4;

    struct Entry {
        std::int64_t deadline_ns;
        std::uint64_t sequence;
        HeapTimer* timer;

        [[nodiscard]] bool is_before(const Entry& other) const noexcept {
            if (deadline_ns != other.deadline_ns) return deadline_ns < other.deadline_ns;
            return sequence < other.sequence;
        }
    };

    void put(std::size_t index, const Entry& entry) {
        entries_[index] = entry;
        entry.timer->index = index;
    }

    void sift_up(std::size_t hole, const Entry entry) {
        while (hole > 0) {
            const std::size_t parent = (hole - 1) / arity;
            if (!entry.is_before(entries_[parent])) break;
            put(hole, entries_[parent]);
            hole = parent;
        }
        put(hole, entry);
    }

    void sift_down(std::size_t hole, const Entry entry) {
        for (;;) {
            const std::size_t first = hole * arity + 1;
            if (first >= entries_.size()) break;
            const std::size_t end = std::min(first + arity, entries_.size());
            std::size_t least = first;
            for (std::size_t child = first + 1; child < end; ++child) {
                if (entries_[child].is_before(entries_[least])) least = child;
            }
            if (!entries_[least].is_before(entry)) break;
            put(hole, entries_[least]);
            hole = least;
        }
        put(hole, entry);
    }

    std::vector<Entry> entries_;
    std::uint64_t next_sequence_ = 0;
};

class HeapTimers {
public:
    HeapTimers(std::size_t count, Fired& fired) : fired_(fired), timers_(count) {
        for (HeapTimer& timer : timers_) timer.on_fire = on_fire;
    }

    void start(std::size_t i, std::int64_t delay_ns) { heap_.push(timers_[i], now_ns_ + delay_ns); }
    void cancel(std::size_t i) { heap_.remove(timers_[i]); }
    void rearm(std::size_t i, std::int64_t delay_ns) {
        cancel(i);
        start(i, delay_ns);
    }
    void turn_at(std::int64_t time_ns) {
        now_ns_ = time_ns;
        while (HeapTimer* const timer = heap_.pop_due(now_ns_)) timer->on_fire(*timer, this);
    }

private:
    static void on_fire(HeapTimer& timer, void* context) {
        auto& self = *static_cast<HeapTimers*>(context);
        self.fired_.on_fire(static_cast<std::size_t>(&timer - self.timers_.data()), self);
    }

    Fired& fired_;
    std::int64_t now_ns_ = 0;
    TimerHeap heap_;
    std::vector<HeapTimer> timers_;
};

}  // namespace
}  // namespace gyre::bench

int main(int argument_count, char** arguments) {
    using namespace gyre::bench;
    return run_program(argument_count, arguments, {timer_entries<HeapTimers>()});
}
