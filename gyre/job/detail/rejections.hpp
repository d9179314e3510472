// SPDX-License-Identifier: Apache-2.0
// Rejections: the promises that were rejected without a handler. A rejection is reported at the end
// of the checkpoint unless the promise has a handler by then; a handler that comes later is
// reported too. Belongs to a scheduler and the pump's thread.
#pragma once

#include <any>
#include <deque>
#include <unordered_map>
#include <utility>

#include "gyre/job/host.hpp"

namespace gyre::job {

class Rejections {
public:
    void add(PromiseId promise, std::any reason) {
        states_[promise] = State::pending;
        pending_.emplace_back(promise, std::move(reason));
    }

    void handle(PromiseId promise) {
        const auto found = states_.find(promise);
        if (found == states_.end()) return;
        if (found->second == State::reported) handled_.push_back(promise);
        states_.erase(found);
    }

    // The promise was destroyed. A report that is due is still made.
    void forget(PromiseId promise) noexcept {
        const auto found = states_.find(promise);
        if (found != states_.end() && found->second == State::reported) states_.erase(found);
    }

    // Reports all due rejections to the host. False when there were none. When the host throws, the
    // rest is reported next time.
    bool report(Host& host) {
        bool has_reported = false;
        while (!handled_.empty()) {
            const PromiseId promise = handled_.front();
            handled_.pop_front();
            has_reported = true;
            host.on_rejection_handled(promise);
        }
        for (std::size_t left = pending_.size(); left > 0; --left) {
            const auto [promise, reason] = std::move(pending_.front());
            pending_.pop_front();
            const auto found = states_.find(promise);
            if (found == states_.end()) continue;
            found->second = State::reported;
            has_reported = true;
            host.on_rejection(promise, reason);
        }
        return has_reported;
    }

    [[nodiscard]] bool has_due() const noexcept { return !pending_.empty() || !handled_.empty(); }

private:
    enum class State { pending, reported };

    std::unordered_map<PromiseId, State> states_;
    std::deque<std::pair<PromiseId, std::any>> pending_;
    std::deque<PromiseId> handled_;
};

}  // namespace gyre::job
