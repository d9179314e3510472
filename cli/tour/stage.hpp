// SPDX-License-Identifier: Apache-2.0
// What the scenes of `gyre tour` share. A scene tells what it does, does it, tells what it saw, and
// returns whether that is as it should be. All of them run on main's thread, one after the other.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "cli/page.hpp"
#include "gyre/kernel/loop.hpp"
#include "gyre/trace/trace.hpp"

namespace gyre::cli {

struct Stage {
    Page& page;
    Clock& clock;
    std::uint64_t seed;
    std::string platform_name;  // empty: the best there is
    trace::TraceFile& trace;

    // Throws std::runtime_error, with what to do, where there is none.
    [[nodiscard]] std::unique_ptr<Platform> make_platform() const;

    // For a loop of this scene, if the tour leaves a trace.
    [[nodiscard]] LoopOptions loop_options(const char* scene) const {
        return {.observer = trace.add_loop({.loop = "loop", .world = scene})};
    }
};

[[nodiscard]] bool show_family(const Stage& stage);
[[nodiscard]] bool show_timers(const Stage& stage);
[[nodiscard]] bool show_loops(const Stage& stage);
[[nodiscard]] bool show_echo(const Stage& stage);
[[nodiscard]] bool show_day(const Stage& stage);
[[nodiscard]] bool show_failure(const Stage& stage);

}  // namespace gyre::cli
