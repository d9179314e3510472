// SPDX-License-Identifier: Apache-2.0
// Stage: what the scenes of `gyre tour` share. A scene prints what it does, does it, prints the
// result, and returns whether that is correct. Scenes run on the main thread, one after the other.
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
    std::string platform_name;  // empty: the best available
    trace::TraceFile& trace;

    // Throws UsageError if there is no such platform.
    [[nodiscard]] std::unique_ptr<Platform> make_platform() const;

    // With an observer if the tour writes a trace.
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
[[nodiscard]] bool show_script(const Stage& stage);
[[nodiscard]] bool show_wasm(const Stage& stage);
[[nodiscard]] bool show_languages(const Stage& stage);

}  // namespace gyre::cli
