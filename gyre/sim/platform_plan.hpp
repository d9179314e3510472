// SPDX-License-Identifier: Apache-2.0
// PlatformPlan: lets the events of a plan happen to the one computer of a SimPlatform: the faults of
// its disk, and descriptors that run out. Other kinds of events are left out: they need hosts.
//
//     const sim::Plan plan = sim::PlatformPlan::draw(sim::PlanLevel::rough, seed, 10s);
//     sim::PlatformPlan faults(plan, platform);
//
// Thread: that of the simulation.
// Lifetime: ends before the platform.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gyre/sim/plan.hpp"

namespace gyre::sim {

class SimPlatform;

class PlatformPlan {
public:
    // The name of the computer in the text of a plan.
    static constexpr const char* host_name = "program";
    [[nodiscard]] static std::vector<std::string> hosts() { return {host_name}; }
    [[nodiscard]] static bool can_happen(FaultKind kind) noexcept;
    [[nodiscard]] static Plan draw(PlanLevel level, std::uint64_t seed, Duration until);

    // From now on.
    PlatformPlan(const Plan& plan, SimPlatform& platform);
    ~PlatformPlan();
    PlatformPlan(const PlatformPlan&) = delete;
    PlatformPlan& operator=(const PlatformPlan&) = delete;

private:
    class Step;
    std::vector<std::unique_ptr<Step>> steps_;
};

}  // namespace gyre::sim
