// SPDX-License-Identifier: Apache-2.0
// Delayed: the moment at which a file op of a SimPlatform is done. Lives until the op is completed.
#pragma once

#include "gyre/sim/platform.hpp"

namespace gyre::sim {

class SimPlatform::Delayed : public Happening {
public:
    Delayed(SimPlatform& platform, Hold& hold) noexcept
        : Happening(platform.medium_.timeline), platform_(platform), hold_(hold) {}

private:
    void happen() noexcept override { platform_.run_delayed(hold_); }

    SimPlatform& platform_;
    Hold& hold_;
};

}  // namespace gyre::sim
