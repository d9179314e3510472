// SPDX-License-Identifier: Apache-2.0
#include "cli/simulated_faults.hpp"

#include <charconv>
#include <chrono>
#include <nlohmann/json.hpp>

#include "cli/usage.hpp"
#include "gyre/app/program.hpp"
#include "gyre/sim/host.hpp"

namespace gyre::cli {

std::uint64_t seed_of(std::string_view text) {
    std::uint64_t seed = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
    if (error != std::errc() || end != text.data() + text.size()) {
        throw UsageError("--sim=" + std::string(text) + ": the seed is a number");
    }
    return seed;
}

sim::Plan read_events(const std::string& text, const std::vector<std::string>& hosts) {
    const bool is_list = text.empty() || text.find_first_of(" \n#") != text.npos;
    if (!is_list) throw UsageError("--plan: " + sim::parse_level(text).error() + ", or events");
    auto plan = sim::parse_plan(text, hosts);
    if (!plan) throw UsageError("--plan, " + plan.error());
    return *std::move(plan);
}

sim::Plan plan_of(const std::string& text, std::uint64_t seed) {
    if (const auto level = sim::parse_level(text)) {
        return sim::PlatformPlan::draw(*level, seed, faults_last);
    }
    sim::Plan plan = read_events(text, sim::PlatformPlan::hosts());
    for (const sim::PlanEvent& event : plan.events) {
        if (sim::PlatformPlan::can_happen(event.kind)) continue;
        throw UsageError("--plan: '" + std::string(sim::word_of(event.kind)) +
                         "' is there for the hosts of gyre sim --host");
    }
    return plan;
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
    if (sim::Host::current() != nullptr) return;  // They are those of its world.
    const std::uint64_t seed = request.seed.value_or(1);
    points_.emplace(seed);
    use_.emplace(&*points_);
    plan_.emplace(plan_of(request.plan, seed), *platform);
}

}  // namespace gyre::cli
