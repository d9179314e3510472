// SPDX-License-Identifier: Apache-2.0
#include "gyre/actor/internal/call_waits.hpp"

#include "gyre/actor/detail/cell.hpp"
#include "gyre/task/core/scope.hpp"

namespace gyre::actor {

std::string CallWaits::begin(const Cell& by, const Cell& of, CallWait& wait) {
    const std::lock_guard lock(mutex_);
    const std::string back = path(of, by, waits_.size() + 1);
    if (!back.empty()) return by.name() + " -> " + back;
    GYRE_ASSERT(wait.by == nullptr, "an answer is waited for once: make another Reply");
    wait = {&by, ++last_number_};
    waits_.emplace(std::pair(&by, wait.number), &of);
    return {};
}

void CallWaits::end(const CallWait& wait) noexcept {
    const std::lock_guard lock(mutex_);
    waits_.erase({wait.by, wait.number});
}

// The noted waits have no cycle, so the recursion ends.
std::string CallWaits::path(const Cell& from, const Cell& to, std::size_t depth_max) const {
    if (!from.is_exclusive() || depth_max == 0) return {};
    if (&from == &to) return from.name();
    for (auto at = waits_.lower_bound({&from, 0}); at != waits_.end() && at->first.first == &from;
         ++at) {
        const std::string rest = path(*at->second, to, depth_max - 1);
        if (!rest.empty()) return from.name() + " -> " + rest;
    }
    return {};
}

AnyRef waiting_actor_of(Task& task) {
    for (Task* at = &task; at != nullptr; at = at->scope().owner()) {
        if (const auto* work = dynamic_cast<Work*>(at)) return work->waiting_actor();
    }
    return {};
}

}  // namespace gyre::actor
