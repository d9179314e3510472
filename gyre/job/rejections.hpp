// SPDX-License-Identifier: Apache-2.0
// Rejections: promises that were rejected while nobody handled them. One is reported at the end of
// the checkpoint unless it is handled by then, and withdrawn when it is handled later. Belongs to
// the pump's thread; lives in a scheduler.
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

    // The promise is gone. A report that is due is still made.
    void forget(PromiseId promise) noexcept {
        const auto found = states_.find(promise);
        if (found != states_.end() && found->second == State::reported) states_.erase(found);
    }

    // Tells the host of all that is due now. False: there was nothing. An error of the host leaves
    // the rest for the next time.
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
