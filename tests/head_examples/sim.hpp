// SPDX-License-Identifier: Apache-2.0
// What the examples of gyre/sim take for granted.
#pragma once

#include <cstdio>

#include "gyre/sim/host.hpp"
#include "gyre/sim/plan.hpp"
#include "gyre/sim/platform.hpp"
#include "gyre/sim/world.hpp"
#include "tests/head_examples/common.hpp"

namespace gyre::sim_examples {

extern std::uint64_t seed;
extern sim::HostProgram program;

namespace chance_hpp {
void evict_all();
}
namespace faults_hpp {
extern sim::World& world;
extern sim::Host& a;
extern sim::Host& b;
}  // namespace faults_hpp
namespace host_hpp {
extern sim::World& world;
}
namespace host_memory_hpp {
void run_the_host();
}
namespace plan_hpp {
extern std::vector<std::string> names;
extern sim::World& world;
}  // namespace plan_hpp
namespace platform_plan_hpp {
extern sim::SimPlatform& platform;
}
namespace wall_clock_hpp {
extern sim::Host& host;
extern Instant now;
}  // namespace wall_clock_hpp

}  // namespace gyre::sim_examples
