// SPDX-License-Identifier: Apache-2.0
#include "gyre/job/detail/timer_lists.hpp"

#include <algorithm>
#include <utility>

namespace gyre::job {

// In profile js2il the slot of a job is the key of its list: no two pending timers share one.
TimerLists::List& TimerLists::list_of(Job& job) {
    const std::int64_t key = shares_lists_ ? job.duration : std::int64_t{job.slot};
    const auto found = lists_.find(key);
    return found != lists_.end() ? found->second : add_list(key, job.start + job.duration);
}

void TimerLists::insert(Job& job) {
    GYRE_ASSERT(!job.is_linked(), "a timer is in one list: unlink it first");
    list_of(job).timers.push_back(job);
}

void TimerLists::remove(Job& job) noexcept {
    if (job.is_linked()) job.unlink();
    // As in Node: the list of an unreferenced timer stays and keeps its position.
    if (shares_lists_ && !job.has_ref) return;
    const auto found = lists_.find(shares_lists_ ? job.duration : std::int64_t{job.slot});
    if (found != lists_.end() && found->second.timers.empty()) remove_list(found->second);
}

// It has no due timer: it is removed, or gets the expiry of its first timer.
void TimerLists::correct_first_list(std::int64_t now) noexcept {
    List& list = heap_.front();
    const Job* head = list.timers.front();
    if (head == nullptr) {
        remove_list(list);
        return;
    }
    list.expiry = std::max(head->start + head->duration, now + 1);
    list.age = ++last_age_;
    heap_.update_front();
}

Job* TimerLists::take_due(std::int64_t now) noexcept {
    Job* head = due_head(now);
    if (head == nullptr) return nullptr;
    head->unlink();
    if (!shares_lists_) remove_list(heap_.front());
    return head;
}

TimerLists::List& TimerLists::add_list(std::int64_t key, std::int64_t expiry) {
    heap_.reserve_one();
    if (spare_.empty()) {
        // Reserves room for its node: removing the list must not throw.
        if (spare_.capacity() < lists_.size() + 1) spare_.reserve(2 * (lists_.size() + 1));
        lists_.try_emplace(key);
    } else {
        spare_.back().key() = key;
        lists_.insert(std::move(spare_.back()));
        spare_.pop_back();
    }
    List& list = lists_.find(key)->second;
    list.key = key;
    list.expiry = expiry;
    list.age = ++last_age_;
    armed_ = std::min(armed_, expiry);
    heap_.add(list);
    return list;
}

void TimerLists::remove_list(List& list) noexcept {
    GYRE_ASSERT(list.timers.empty(), "a list is removed when its last timer has left it");
    heap_.remove(list);
    spare_.push_back(lists_.extract(list.key));
}

}  // namespace gyre::job
