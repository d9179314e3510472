// SPDX-License-Identifier: Apache-2.0
// JobTime: how a profile counts time. Node counts whole milliseconds, so that timers of one
// millisecond come due together; a timer that began within a millisecond must not come early for
// that, so all of them wait for the latest fraction with which one began. The seed counts
// nanoseconds. A value of its scheduler.
#pragma once

#include <algorithm>
#include <cstdint>

#include "gyre/job/options.hpp"
#include "gyre/kernel/clock.hpp"

namespace gyre::job {

class JobTime {
public:
    JobTime(Profile profile, Instant begins_at) noexcept
        : begins_at_(begins_at), unit_(profile == Profile::node ? 1'000'000 : 1) {}

    // The tick in which a timer begins. `is_only` when no other is pending.
    [[nodiscard]] std::int64_t start(Instant now, bool is_only) noexcept {
        const std::int64_t passed = (now - begins_at_).count();
        fraction_ = std::max(is_only ? 0 : fraction_, passed % unit_);
        return passed / unit_;
    }

    // The tick whose timers are due at `now`: none of them is early.
    [[nodiscard]] std::int64_t due(Instant now) const noexcept {
        const std::int64_t passed = (now - begins_at_).count() - fraction_;
        return passed < 0 ? -1 : passed / unit_;
    }
    // When a tick's timers become due.
    [[nodiscard]] Instant instant_of(std::int64_t tick) const noexcept {
        return begins_at_ + Duration(tick * unit_ + fraction_);
    }

private:
    const Instant begins_at_;
    const std::int64_t unit_;
    std::int64_t fraction_ = 0;
};

}  // namespace gyre::job
