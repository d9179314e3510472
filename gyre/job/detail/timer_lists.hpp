// SPDX-License-Identifier: Apache-2.0
// TimerLists: timers in Node's order. Timers of one duration form a list, the oldest first, so that
// starting and clearing a timer is a list operation; a heap holds the lists by the expiry of their
// first timers, older lists first among equals. The position of a list is corrected only when it
// comes to the top: this is part of Node's order. In profile js2il each timer has a list of its
// own, which makes it one heap by due time. Also here: JobTime. Both belong to a scheduler and the
// pump's thread; the scheduler owns the timers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <vector>

#include "gyre/base/detail/indexed_heap.hpp"
#include "gyre/job/detail/job.hpp"
#include "gyre/kernel/clock.hpp"

namespace gyre::job {

// How a profile counts time. Node counts whole milliseconds, so that timers of one millisecond are
// due together. A timer that began within a millisecond must not fire early, so all timers wait for
// the largest fraction of a millisecond at which one of them began. Profile js2il counts
// nanoseconds.
class JobTime {
public:
    JobTime(Profile profile, Instant begins_at) noexcept
        : begins_at_(begins_at), unit_(profile == Profile::node ? 1'000'000 : 1) {}

    // The tick in which a timer begins. `is_only`: no other timer is pending.
    [[nodiscard]] std::int64_t start(Instant now, bool is_only) noexcept {
        const std::int64_t passed = (now - begins_at_).count();
        fraction_ = std::max(is_only ? 0 : fraction_, passed % unit_);
        return passed / unit_;
    }

    // The last tick whose timers are due at `now`.
    [[nodiscard]] std::int64_t due(Instant now) const noexcept {
        const std::int64_t passed = (now - begins_at_).count() - fraction_;
        return passed < 0 ? -1 : passed / unit_;
    }
    // When the timers of a tick become due.
    [[nodiscard]] Instant instant_of(std::int64_t tick) const noexcept {
        return begins_at_ + Duration(tick * unit_ + fraction_);
    }

private:
    const Instant begins_at_;
    const std::int64_t unit_;
    std::int64_t fraction_ = 0;
};

class TimerLists {
public:
    explicit TimerLists(Profile profile) noexcept : shares_lists_(profile == Profile::node) {}

    // By job.start and job.duration.
    void insert(Job& job);
    // For a cleared timer, in its list or running.
    void remove(Job& job) noexcept;

    [[nodiscard]] bool empty() const noexcept { return heap_.empty(); }
    // The expiry of the first list; not when empty.
    [[nodiscard]] std::int64_t next_expiry() const noexcept { return heap_.front().expiry; }
    [[nodiscard]] bool has_due_list(std::int64_t now) const noexcept {
        return !heap_.empty() && heap_.front().expiry <= now;
    }
    // When the next timer phase comes, at the expiry of the first list or before: Node arms one
    // timer of libuv, which stays armed when the timers that it was armed for are cleared. That
    // phase is empty, but for its checkpoint.
    [[nodiscard]] std::int64_t armed() const noexcept {
        if (shares_lists_) return armed_;
        return heap_.empty() ? never : next_expiry();
    }
    // At the start and at the end of a timer phase.
    void disarm() noexcept { armed_ = never; }
    void arm() noexcept {
        if (!heap_.empty()) armed_ = next_expiry();
    }
    static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
    // The duration of the first list, in profile node; not when empty.
    [[nodiscard]] std::int64_t first_duration() const noexcept { return heap_.front().key; }
    // The first timer of the first due list. Null when that list has no due timer: then its
    // position is corrected, and another list may be first.
    [[nodiscard]] Job* due_head(std::int64_t now) noexcept {
        if (!has_due_list(now)) return nullptr;
        Job* head = heap_.front().timers.front();
        if (head != nullptr && now - head->start >= head->duration) return head;
        correct_first_list(now);
        return nullptr;
    }
    // As due_head, and removes the timer from its list.
    [[nodiscard]] Job* take_due(std::int64_t now) noexcept;

private:
    struct List {
        JobQueue timers;
        std::int64_t expiry = 0;
        std::uint64_t age = 0;
        std::int64_t key = 0;   // its duration; in profile js2il the slot of its timer
        std::size_t index = 0;  // in the heap
    };
    struct ListOrder {
        static bool is_before(const List& left, const List& right) noexcept {
            return left.expiry != right.expiry ? left.expiry < right.expiry : left.age < right.age;
        }
        static std::size_t& index(List& list) noexcept { return list.index; }
    };
    // Nodes of removed lists are reused: no allocation in steady state.
    using Map = std::unordered_map<std::int64_t, List>;

    [[nodiscard]] List& list_of(Job& job);
    [[nodiscard]] List& add_list(std::int64_t key, std::int64_t expiry);
    void remove_list(List& list) noexcept;
    void correct_first_list(std::int64_t now) noexcept;

    const bool shares_lists_;
    std::uint64_t last_age_ = 0;
    std::int64_t armed_ = never;
    Map lists_;
    std::vector<Map::node_type> spare_;
    IndexedHeap<List, ListOrder> heap_;
};

}  // namespace gyre::job
