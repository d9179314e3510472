// SPDX-License-Identifier: Apache-2.0
// TimedPlatform: a platform in virtual time that passes for a real one, so that what measures real time is tested with a clock
// that moves where the test says so. One thread; outlives its loop.
#pragma once

#include "gyre/sim/platform.hpp"

namespace gyre::test {

class TimedPlatform final : public sim::SimPlatform {
public:
    explicit TimedPlatform(sim::VirtualClock& clock, bool is_simulated = false)
        : SimPlatform(clock), is_simulated_(is_simulated) {}
    [[nodiscard]] bool is_simulated() const noexcept override { return is_simulated_; }

private:
    const bool is_simulated_;
};

}  // namespace gyre::test
