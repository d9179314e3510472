// SPDX-License-Identifier: Apache-2.0
// What an example's main picks: the platform that GYRE_PLATFORM names (by default the best there
// is; `sim` for a simulated one in virtual time), and where blocking work runs. Belongs to main,
// and outlives the machines and the loop.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "gyre/kernel/loop.hpp"
#include "gyre/platform/choose.hpp"
#include "gyre/platform/fork_watch.hpp"
#include "gyre/platform/system_clock.hpp"
#include "gyre/platform/thread.hpp"
#include "gyre/pool/pools.hpp"
#include "gyre/sim/platform.hpp"

namespace examples {

class Outside {
public:
    Outside() {
        const char* name = std::getenv("GYRE_PLATFORM");
        if (name != nullptr && std::string_view(name) == "sim") {
            auto simulated = std::make_unique<gyre::sim::SimPlatform>(virtual_clock_);
            offload_ = &simulated->offload();
            platform_ = std::move(simulated);
            return;
        }
        auto made = gyre::platform::make_platform(system_clock_);
        if (!made) {
            std::fprintf(stderr, "%s\n", made.error().message.c_str());
            std::exit(2);
        }
        platform_ = std::move(*made);
        pools_ = std::make_unique<gyre::pool::Pools>(
            gyre::pool::with_environment({.name_thread = gyre::platform::name_this_thread,
                                          .clock = &system_clock_,
                                          .process_id = gyre::platform::process_generation}));
        offload_ = pools_.get();
    }

    [[nodiscard]] gyre::Platform& platform() noexcept { return *platform_; }
    [[nodiscard]] gyre::LoopOptions options() noexcept { return {.offload = offload_}; }

private:
    gyre::platform::SystemClock system_clock_;
    gyre::sim::VirtualClock virtual_clock_;
    std::unique_ptr<gyre::pool::Pools> pools_;
    std::unique_ptr<gyre::Platform> platform_;
    gyre::Offload* offload_ = nullptr;
};

}  // namespace examples
