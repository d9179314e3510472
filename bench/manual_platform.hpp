// SPDX-License-Identifier: Apache-2.0
// ManualPlatform: a platform that serves nothing and never waits, and whose time is a number that
// the case sets: what is left to measure is the loop. Belongs to one loop's thread and outlives it.
#pragma once

#include "gyre/kernel/platform.hpp"

namespace gyre::bench {

class ManualPlatform final : public Platform {
public:
    ManualPlatform() : Platform("manual") {}

    Instant wait(Instant) noexcept override { return time; }
    void wake() noexcept override {}
    Instant now() noexcept override { return time; }
    bool is_simulated() const noexcept override { return true; }

    Instant time;

protected:
    void tick(Instant) override {}
};

}  // namespace gyre::bench
