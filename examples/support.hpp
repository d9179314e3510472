// SPDX-License-Identifier: Apache-2.0
// The set-up of an example's main: the platform named by GYRE_PLATFORM (default: the best
// available; `sim`: simulated, in virtual time), the threads for blocking work, and a trace file if
// GYRE_TRACE names one. Belongs to main, and outlives the machines and the loop.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "gyre/kernel/loop.hpp"
#include "gyre/platform/choose.hpp"
#include "gyre/platform/process.hpp"
#include "gyre/platform/system_clock.hpp"
#include "gyre/platform/thread.hpp"
#include "gyre/pool/pools.hpp"
#include "gyre/sim/platform.hpp"
#include "gyre/trace/trace.hpp"

namespace examples {

class Outside {
public:
    Outside() {
        const char* name = std::getenv("GYRE_PLATFORM");
        const bool is_simulated = name != nullptr && std::string_view(name) == "sim";
        open_trace(is_simulated);
        if (is_simulated) {
            auto simulated = std::make_unique<gyre::sim::SimPlatform>(virtual_clock_);
            offload_ = &simulated->offload();
            platform_ = std::move(simulated);
            return;
        }
        auto made = gyre::platform::make_platform(system_clock_);
        if (!made) refuse(made.error().message);
        platform_ = std::move(*made);
        pools_ = std::make_unique<gyre::pool::Pools>(
            gyre::pool::with_environment({.name_thread = gyre::platform::name_this_thread,
                                          .clock = &system_clock_,
                                          .process_id = gyre::platform::process_generation}));
        offload_ = pools_.get();
    }

    [[nodiscard]] gyre::Platform& platform() noexcept { return *platform_; }
    // For one loop.
    [[nodiscard]] gyre::LoopOptions options() {
        return {.offload = offload_, .observer = trace_->add_loop({.loop = "loop"})};
    }

private:
    void open_trace(bool is_simulated) {
        gyre::trace::TraceOptions options;
        if (is_simulated) {
            options.simulated_start = virtual_clock_.peek();
        } else {
            options.clock = &system_clock_;
        }
        auto made =
            gyre::trace::TraceFile::make(*files_, gyre::trace::path_from_environment(), options);
        if (!made) refuse(made.error());
        trace_ = std::move(*made);
    }
    [[noreturn]] static void refuse(const std::string& why) {
        std::fprintf(stderr, "%s\n", why.c_str());
        std::exit(2);
    }

    gyre::platform::SystemClock system_clock_;
    gyre::sim::VirtualClock virtual_clock_;
    // For the trace, of simulated programs too.
    const std::unique_ptr<gyre::FileTree> files_ = gyre::platform::make_file_tree();
    std::unique_ptr<gyre::trace::TraceFile> trace_;
    std::unique_ptr<gyre::pool::Pools> pools_;
    std::unique_ptr<gyre::Platform> platform_;
    gyre::Offload* offload_ = nullptr;
};

}  // namespace examples
