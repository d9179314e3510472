// SPDX-License-Identifier: Apache-2.0
// TimerQueue: the answers that are given at a time, earliest first, those of one instant in the
// order in which they were started. A heap in which each knows its place, so that one can be taken
// out. Only the scheduler's thread; it owns nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "gyre/effect/completion.hpp"

namespace gyre::effect {

class TimerQueue {
public:
    [[nodiscard]] bool empty() const noexcept { return heap_.empty(); }
    [[nodiscard]] Instant next_deadline() const noexcept { return heap_.front()->deadline; }

    void add(AnswerTimer& timer) {
        timer.sequence = ++last_sequence_;
        heap_.push_back(&timer);
        rise(heap_.size() - 1);
    }
    void remove(AnswerTimer& timer) noexcept {
        const std::size_t at = std::exchange(timer.place, AnswerTimer::not_there);
        AnswerTimer& last = *heap_.back();
        heap_.pop_back();
        if (&last == &timer) return;
        put(last, at);
        rise(at);
        sink(last.place);
    }
    // Null when none is due.
    [[nodiscard]] AnswerTimer* take_due(Instant now) noexcept {
        if (heap_.empty() || heap_.front()->deadline > now) return nullptr;
        AnswerTimer* first = heap_.front();
        remove(*first);
        return first;
    }

private:
    [[nodiscard]] static bool is_before(const AnswerTimer& left,
                                        const AnswerTimer& right) noexcept {
        return left.deadline != right.deadline ? left.deadline < right.deadline
                                               : left.sequence < right.sequence;
    }
    void put(AnswerTimer& timer, std::size_t at) noexcept {
        heap_[at] = &timer;
        timer.place = at;
    }
    void rise(std::size_t at) noexcept {
        AnswerTimer& timer = *heap_[at];
        while (at > 0 && is_before(timer, *heap_[(at - 1) / 2])) {
            put(*heap_[(at - 1) / 2], at);
            at = (at - 1) / 2;
        }
        put(timer, at);
    }
    void sink(std::size_t at) noexcept {
        AnswerTimer& timer = *heap_[at];
        for (std::size_t child = 2 * at + 1; child < heap_.size(); child = 2 * at + 1) {
            if (child + 1 < heap_.size() && is_before(*heap_[child + 1], *heap_[child])) ++child;
            if (!is_before(*heap_[child], timer)) break;
            put(*heap_[child], at);
            at = child;
        }
        put(timer, at);
    }

    std::vector<AnswerTimer*> heap_;
    std::uint64_t last_sequence_ = 0;
};

}  // namespace gyre::effect
