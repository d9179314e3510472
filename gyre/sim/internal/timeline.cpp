// SPDX-License-Identifier: Apache-2.0
#include "gyre/sim/internal/timeline.hpp"

#include "gyre/base/assert.hpp"

namespace gyre::sim {

void TimelineEvent::schedule_at(Instant when) {
    GYRE_ASSERT(!is_scheduled(), "the event is scheduled already: withdraw it first");
    GYRE_ASSERT(when != Instant::never(),
                "an event cannot be scheduled for Instant::never(): leave it out");
    when_ = when;
    draw_ = timeline_.random_.next();
    number_ = ++timeline_.last_number_;
    timeline_.scheduled_.insert(Timeline::entry_of(*this));
}

void TimelineEvent::withdraw() noexcept {
    if (!is_scheduled()) return;
    timeline_.scheduled_.erase(Timeline::entry_of(*this));
    when_ = Instant::never();
}

bool Timeline::run_due(Instant now) noexcept {
    bool ran = false;
    while (!scheduled_.empty() && scheduled_.begin()->when <= now) {
        TimelineEvent& first = *scheduled_.begin()->event;
        first.withdraw();
        first.fire();
        ran = true;
    }
    return ran;
}

}  // namespace gyre::sim
