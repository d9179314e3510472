// SPDX-License-Identifier: Apache-2.0
// TurnQueue: what a Vela program has ready to run, first in, first out. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "lang/vela/run/internal/heap.hpp"

namespace gyre::vela::vm {

enum class TurnKind : std::uint8_t { task, message, call };

struct Turn {
    TurnKind kind = TurnKind::task;
    Thing* what = nullptr;    // the task, the actor that has a message, or the function
    std::string_view name{};  // of a call, for reports
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
    void trace(Marker& marker) const {
        for (std::size_t i = next_; i < turns_.size(); ++i) marker.mark(turns_[i].what);
    }

private:
    // Turns that were taken stay in place up to this many, or as many as are left.
    static constexpr std::size_t taken_max = 1024;
    std::vector<Turn> turns_;
    std::size_t next_ = 0;
};

}  // namespace gyre::vela::vm
