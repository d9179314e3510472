// SPDX-License-Identifier: Apache-2.0
#include "gyre/sim/timeline.hpp"

#include "gyre/base/assert.hpp"

namespace gyre::sim {

void Happening::happen_at(Instant when) {
    GYRE_ASSERT(!is_expected(), "a happening waits for one moment at a time: withdraw it first");
    GYRE_ASSERT(when != Instant::never(), "what never happens is not put on the timeline");
    when_ = when;
    lot_ = timeline_.random_.next();
    number_ = ++timeline_.last_number_;
    timeline_.expected_.insert(Timeline::entry_of(*this));
}

void Happening::withdraw() noexcept {
    if (!is_expected()) return;
    timeline_.expected_.erase(Timeline::entry_of(*this));
    when_ = Instant::never();
}

bool Timeline::run_due(Instant now) noexcept {
    bool ran = false;
    while (!expected_.empty() && expected_.begin()->when <= now) {
        Happening& first = *expected_.begin()->what;
        first.withdraw();
        first.happen();
        ran = true;
    }
    return ran;
}

}  // namespace gyre::sim
