// SPDX-License-Identifier: Apache-2.0
// Metronome: a timer that is due every millisecond, and how late it was at worst. On its loop's thread; outlives the loop.
#pragma once

#include <algorithm>

#include "gyre/kernel/loop.hpp"

namespace gyre::attack {

class Metronome final : public Machine {
public:
    // Not counted: the engines start in their first job.
    static constexpr Duration warm_up = std::chrono::milliseconds(100);

    Metronome() : Machine("metronome") { timer_.set_background(true); }
    void start() {
        if (first_ == Instant()) first_ = loop().now();
        timer_.deadline = loop().now() + std::chrono::milliseconds(1);
        submit(timer_);
    }
    [[nodiscard]] Duration worst() const noexcept { return worst_; }
    void forget() noexcept { worst_ = Duration(0); }

private:
    void tick(Instant now) override {
        while (next_completion() != nullptr) {
            if (timer_.deadline > first_ + warm_up) {
                worst_ = std::max(worst_, now - timer_.deadline);
            }
            if (!is_over_) start();
        }
    }
    void on_close() override {
        is_over_ = true;
        cancel(timer_);
    }

    TimerOp timer_;
    bool is_over_ = false;
    Instant first_;
    Duration worst_{0};
};

}  // namespace gyre::attack
