// SPDX-License-Identifier: Apache-2.0
#include "cli/simulated_faults.hpp"

#include <charconv>
#include <chrono>
#include <nlohmann/json.hpp>

#include "cli/usage.hpp"
#include "gyre/app/program.hpp"
#include "gyre/sim/platform.hpp"

namespace gyre::cli {

std::uint64_t seed_of(std::string_view text) {
    std::uint64_t seed = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
    if (error != std::errc() || end != text.data() + text.size()) {
        throw UsageError("--sim=" + std::string(text) + ": the seed is a number");
    }
    return seed;
}

sim::Plan plan_of(const std::string& text, std::uint64_t seed) {
    const auto level = sim::parse_level(text);
    if (level) return sim::PlatformPlan::draw(*level, seed, faults_last);
    const bool is_list = text.find_first_of(" \n#") != text.npos;
    if (!is_list && !text.empty()) throw UsageError("--plan: " + level.error() + ", or events");
    auto plan = sim::parse_plan(text, sim::PlatformPlan::hosts());
    if (!plan) throw UsageError("--plan, " + plan.error());
    for (const sim::PlanEvent& event : plan->events) {
        if (sim::PlatformPlan::can_happen(event.kind)) continue;
        throw UsageError("--plan: '" + std::string(sim::word_of(event.kind)) +
                         "' needs several hosts, and a program is one");
    }
    return *std::move(plan);
}

std::string SimulatedFaults::draw_chance(std::string_view arguments) {
    const nlohmann::json given = nlohmann::json::parse(arguments);
    const bool is_taken =
        sim::chance(given.at(0).get<std::string>(), given.at(1).get<std::uint64_t>(),
                    given.at(2).get<std::uint64_t>());
    return is_taken ? "true" : "false";
}

std::string SimulatedFaults::draw_delay(std::string_view arguments) {
    const nlohmann::json given = nlohmann::json::parse(arguments);
    const Duration delay = sim::delay_at(given.at(0).get<std::string>());
    return std::to_string(delay / std::chrono::milliseconds(1));
}

SimulatedFaults::SimulatedFaults(const RunRequest& request, gyre::Program& program) {
    sim::SimPlatform* const platform = program.simulation();
    if (platform == nullptr) return;
    const std::uint64_t seed = request.seed.value_or(1);
    points_.emplace(seed);
    use_.emplace(&*points_);
    plan_.emplace(plan_of(request.plan, seed), *platform);
}

}  // namespace gyre::cli
