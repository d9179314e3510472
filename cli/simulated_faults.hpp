// SPDX-License-Identifier: Apache-2.0
// The faults of a program that `gyre run --sim` runs, and the points in its own code. The main thread;
// outlives the run of the program, and ends before its Program.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/run.hpp"
#include "gyre/sim/chance.hpp"
#include "gyre/sim/platform_plan.hpp"

namespace gyre {
class Program;
}

namespace gyre::cli {

// How long the faults of a plan that is drawn happen: after it, a program must come to rest.
inline constexpr Duration faults_last = std::chrono::seconds(10);

// Throws a UsageError for a seed that is no number.
[[nodiscard]] std::uint64_t seed_of(std::string_view text);
// A list of events, for these hosts. Throws a UsageError for one that cannot be read.
[[nodiscard]] sim::Plan read_events(const std::string& text, const std::vector<std::string>& hosts);
// The plan of a level, or of a list of events. Throws a UsageError for one that cannot be read.
[[nodiscard]] sim::Plan plan_of(const std::string& text, std::uint64_t seed);

// Does nothing in real time.
class SimulatedFaults {
public:
    // Throws a UsageError for a plan that cannot be read.
    SimulatedFaults(const RunRequest& request, gyre::Program& program);
    // The host functions of gyre:sim.
    template <class Script>
    void add_points(Script& script) const {
        script.add_direct_function("gyre:sim/chance", &draw_chance);
        script.add_direct_function("gyre:sim/delay", &draw_delay);
    }

private:
    // Arguments and results are JSON.
    static std::string draw_chance(std::string_view arguments);
    static std::string draw_delay(std::string_view arguments);

    std::optional<sim::ChancePoints> points_;
    std::optional<sim::ChancePoints::Use> use_;
    std::optional<sim::PlatformPlan> plan_;
};

}  // namespace gyre::cli
