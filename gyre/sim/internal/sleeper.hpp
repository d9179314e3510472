// SPDX-License-Identifier: Apache-2.0
// Sleeper: when a loop of a host can turn, as far as is known now. A sleeping loop is woken as late as the
// faults of its host say. One thread; part of what turns the loop.
#pragma once

#include <algorithm>
#include <utility>

#include "gyre/sim/internal/sim_context.hpp"

namespace gyre::sim {

class Sleeper {
public:
    struct Waits {
        bool has_input = false;
        Instant input_at;  // of a level-triggered op: the loop looks again, without a sleep
        Instant deadline;  // of its timers
        Instant paused_until;
    };

    [[nodiscard]] Instant ready_at(SimContext& context, const Waits& waits) noexcept {
        const Instant now = context.now();
        const bool has_input = waits.has_input || waits.input_at <= now;
        const Instant wanted = has_input ? now : std::min(waits.input_at, waits.deadline);
        if (wanted > now) {
            is_asleep_ = waits.input_at == Instant::never();
            return std::max(wanted, waits.paused_until);
        }
        if (std::exchange(is_asleep_, false)) {
            const SystemFaults& faults = context.system;
            wakes_at_ =
                now + context.draw_delay(has_input ? faults.wake_delay : faults.timer_delay);
        }
        return std::max({now, wakes_at_, waits.paused_until});
    }

private:
    bool is_asleep_ = false;  // it had nothing to do when it was last looked at
    Instant wakes_at_;
};

}  // namespace gyre::sim
