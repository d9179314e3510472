// SPDX-License-Identifier: Apache-2.0
// The memory of an idle loop: a process may have one for each core, or thousands in a simulation.
#include <gtest/gtest.h>

#include "gyre/sim/platform.hpp"
#include "tests/allocation/counting.hpp"
#include "tests/allocation/steady_machines.hpp"

namespace gyre::allocation {
namespace {

TEST(LoopMemory, is_at_most_64_kilobytes_with_all_that_it_allocates) {
    sim::VirtualClock clock;
    sim::SimPlatform platform(clock);
    Server app;
    const Since since;
    const Loop loop(platform, app);
    EXPECT_LE(sizeof(Loop) + since.size_bytes(), 65'536u);
    EXPECT_LE(since.count(), 4u);
}

TEST(LoopMemory, of_an_op_is_the_op_itself) {
    // clause: K02, K15
    sim::VirtualClock clock;
    sim::SimPlatform platform(clock);
    Family family;
    Loop loop(platform, family.app);
    const Since since;
    family.client.begin(family.server.ref(), family.server.ref());
    EXPECT_EQ(since.count(), 0u);
    loop.close();
}

}  // namespace
}  // namespace gyre::allocation
