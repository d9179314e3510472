// SPDX-License-Identifier: Apache-2.0
// TurnQueue: what a Vela program has ready to run, first in, first out. One thread.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "lang/vela/run/internal/heap.hpp"

namespace gyre::vela::vm {

// What it is for says its kind: a task goes on, a handle starts its task, an actor has a message, and
// a function is called.
struct Turn {
    Thing* what = nullptr;
    const char* name = nullptr;  // of a call, for reports
};

class TurnQueue {
public:
    [[nodiscard]] bool is_empty() const noexcept { return next_ == turns_.size(); }
    void push(const Turn& turn) { turns_.push_back(turn); }
    [[nodiscard]] Turn pop() noexcept {
        const Turn turn = turns_[next_++];
        if (next_ == turns_.size()) {
            turns_.clear();
            next_ = 0;
        } else if (next_ >= taken_max && next_ * 2 >= turns_.size()) {
            turns_.erase(turns_.begin(), turns_.begin() + static_cast<std::ptrdiff_t>(next_));
            next_ = 0;
        }
        return turn;
    }
    [[nodiscard]] std::span<const Turn> all() const noexcept {
        return std::span(turns_).subspan(next_);
    }
    void trace(Marker& marker) const {
        for (const Turn& turn : all()) marker.mark(turn.what);
    }

private:
    // Turns that were taken stay in place up to this many, or as many as are left.
    static constexpr std::size_t taken_max = 1024;
    std::vector<Turn> turns_;
    std::size_t next_ = 0;
};

}  // namespace gyre::vela::vm
