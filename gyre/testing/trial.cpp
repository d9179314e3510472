// SPDX-License-Identifier: Apache-2.0
// One run of a scenario, and the shrinking of its plan.
#include <algorithm>
#include <utility>

#include "gyre/base/assert.hpp"
#include "gyre/testing/internal/search_options.hpp"
#include "gyre/testing/search.hpp"

namespace gyre::testing {
namespace {

constexpr int looks = 100;

// What the tasks of the hosts wait for.
std::string tasks_of(Simulation& simulation) {
    std::string text;
    for (const auto& host : simulation.world().hosts()) {
        text += "host " + host->name() + (host->is_running() ? ":\n" : " is down\n");
        for (std::size_t i = 0; i < host->loop_count(); ++i) {
            text += static_cast<Executor&>(host->app(i)).dump_tasks();
        }
    }
    return text;
}

std::unique_ptr<Trial> make_trial(const Scenario& scenario) {
    return scenario.make ? scenario.make() : scenario.make_sized(scenario.sizes);
}

// Runs for this time, and looks again and again whether something that must never be so is so.
std::string run_checked(Simulation& simulation, Trial& trial, Duration duration, bool until_rest) {
    for (int i = 0; i < looks; ++i) {
        const sim::World::End end = simulation.run_for(duration / looks);
        if (end == sim::World::End::turn_limit) return "the turn limit of the world is reached";
        if (std::string why = trial.check_always(simulation); !why.empty()) return why;
        if (until_rest && trial.is_at_rest(simulation)) return {};
    }
    return until_rest ? "it does not come to rest after the faults" : "";
}

std::string run_phases(const Scenario& scenario, Simulation& simulation, Trial& trial,
                       const sim::Plan& plan) {
    const Duration faulty = std::max(scenario.faults_last, plan.end());
    std::string why = run_checked(simulation, trial, faulty, false);
    if (!why.empty()) return why;
    simulation.world().heal();
    for (const auto& host : simulation.world().hosts()) {
        if (!host->is_running()) host->start();
    }
    why = run_checked(simulation, trial, scenario.rests_within, true);
    if (!why.empty()) return why;
    if (!scenario.tasks_may_fail && !simulation.failures().empty()) {
        return "a task failed: " + simulation.failures().front();
    }
    return trial.check(simulation);
}

}  // namespace

std::uint64_t Sizes::operator[](std::string_view name) const {
    const auto found = std::ranges::find(all, name, &Size::name);
    GYRE_ASSERT(found != all.end(), "the scenario has no size '%.*s'",
                static_cast<int>(name.size()), name.data());
    return found->value;
}

TrialResult run_trial(const Scenario& scenario, std::uint64_t seed, const sim::Plan& plan) {
    TrialResult result;
    const std::unique_ptr<Trial> trial = make_trial(scenario);
    Simulation simulation({.seed = seed});
    trial->set_up(simulation);
    simulation.start_all();
    const sim::PlanRun faults(plan, simulation.world());
    result.why = run_phases(scenario, simulation, *trial, plan);
    result.trace_hash = simulation.world().trace_hash();
    result.simulated = simulation.elapsed();
    for (std::size_t kind = 0; kind < sim::fault_kind_count; ++kind) {
        result.faults[kind] = faults.count(static_cast<sim::FaultKind>(kind));
    }
    const auto& points = simulation.world().chance_points().counts();
    result.points.assign(points.begin(), points.end());
    if (!result.why.empty()) {
        result.history = trial->history();
        result.tasks = tasks_of(simulation);
    }
    return result;
}

// A turn has its loop and time in the hash, so the first hash that differs is the first turn that does.
TraceOfRun trace_of(const Scenario& scenario, std::uint64_t seed, const sim::Plan& plan) {
    TraceOfRun lines;
    const std::unique_ptr<Trial> trial = make_trial(scenario);
    Simulation simulation({.seed = seed});
    trial->set_up(simulation);
    simulation.world().set_turn_listener([&](const sim::Host* host, Instant now) {
        lines.push_back((host == nullptr ? std::string("a loop") : "host " + host->name()) +
                        " at " + std::to_string(now.nanoseconds()) + " ns");
    });
    simulation.start_all();
    const sim::PlanRun faults(plan, simulation.world());
    (void)run_phases(scenario, simulation, *trial, plan);
    return lines;
}

std::vector<std::string> host_names(const Scenario& scenario) {
    const std::unique_ptr<Trial> trial = make_trial(scenario);
    Simulation simulation;
    trial->set_up(simulation);
    std::vector<std::string> names;
    for (const auto& host : simulation.world().hosts()) names.push_back(host->name());
    return names;
}

sim::Plan shrink_plan(const Scenario& scenario, std::uint64_t seed, sim::Plan plan) {
    return sim::shrink(std::move(plan), [&](const sim::Plan& candidate) {
        return !run_trial(scenario, seed, candidate).why.empty();
    });
}

Scenario shrink_sizes(Scenario scenario, std::uint64_t seed, sim::Plan& plan) {
    // Whether it still fails with this value, which it then keeps.
    const auto try_value = [&](std::size_t which, std::uint64_t value) {
        Scenario smaller = scenario;
        smaller.sizes.all[which].value = value;
        const std::vector<std::string> hosts = host_names(smaller);
        const auto is_gone = [&hosts](const std::string& name) {
            return !name.empty() && std::ranges::find(hosts, name) == hosts.end();
        };
        sim::Plan left = plan;
        std::erase_if(left.events, [&is_gone](const sim::PlanEvent& event) {
            return is_gone(event.host) || is_gone(event.other);
        });
        if (run_trial(smaller, seed, left).why.empty()) return false;
        scenario = std::move(smaller);
        plan = std::move(left);
        return true;
    };
    for (std::size_t which = 0; which < scenario.sizes.all.size(); ++which) {
        const std::uint64_t least = scenario.sizes.all[which].least;
        const auto above = [&] { return scenario.sizes.all[which].value - least; };
        while (above() > 1 && try_value(which, least + above() / 2)) {
        }
        while (above() > 0 && try_value(which, least + above() - 1)) {
        }
    }
    return scenario;
}

}  // namespace gyre::testing
