// SPDX-License-Identifier: Apache-2.0
// TimerLists: timers in Node's order. Timers of one duration form a list, oldest first, so that
// starting and clearing one is a link; a heap holds the lists by the expiry of their heads, older
// lists first among equals. A list's place is corrected only when its turn comes: that, too, is
// part of the order. Profile js2il gives each timer a list of its own, which makes it one heap by
// due time. Belongs to the pump's thread; the timers are its scheduler's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "gyre/job/job.hpp"
#include "gyre/job/options.hpp"

namespace gyre::job {

class TimerLists {
public:
    explicit TimerLists(Profile profile) noexcept : shares_lists_(profile == Profile::node) {}

    // From job.start and job.duration.
    void insert(Job& job);
    // A timer that is cleared, whether it is in its list or running.
    void remove(Job& job) noexcept;

    [[nodiscard]] bool empty() const noexcept { return heap_.empty(); }
    // When the first list wants to be looked at; not when empty.
    [[nodiscard]] std::int64_t next_expiry() const noexcept { return heap_.front()->expiry; }
    [[nodiscard]] bool has_due_list(std::int64_t now) const noexcept {
        return !heap_.empty() && heap_.front()->expiry <= now;
    }
    // Of the first list, in profile node; not when empty.
    [[nodiscard]] std::int64_t first_duration() const noexcept { return heap_.front()->key; }
    // The first timer of the first due list. Null when that list has none that is due: then its
    // place is corrected, and another list may be the first.
    [[nodiscard]] Job* due_head(std::int64_t now) noexcept;
    // Takes it out of its list.
    [[nodiscard]] Job* take_due(std::int64_t now) noexcept;

private:
    struct List {
        JobQueue timers;
        std::int64_t expiry = 0;
        std::uint64_t age = 0;
        std::int64_t key = 0;  // its duration, or a number of its own
        std::size_t place = 0;
    };
    // Nodes of lists that are gone are kept for those that come: no allocation in steady state.
    using Map = std::unordered_map<std::int64_t, List>;

    [[nodiscard]] List& list_of(Job& job);
    [[nodiscard]] List& add_list(std::int64_t key, std::int64_t expiry);
    void remove_list(List& list) noexcept;
    [[nodiscard]] static bool is_before(const List& left, const List& right) noexcept;
    void put(List& list, std::size_t place) noexcept;
    void move_up(std::size_t place) noexcept;
    void move_down(std::size_t place) noexcept;

    const bool shares_lists_;
    std::uint64_t last_age_ = 0;
    Map lists_;
    std::vector<Map::node_type> spare_;
    std::vector<List*> heap_;
};

}  // namespace gyre::job
