// SPDX-License-Identifier: Apache-2.0
// For the tests of the simulation: an app machine with a loop. One thread; lives as long as its
// test.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "gyre/io/environment.hpp"
#include "gyre/kernel/loop.hpp"
#include "gyre/kernel/op.hpp"
#include "gyre/sim/platform.hpp"
#include "tests/support/test_app.hpp"
#include "tests/support/test_world.hpp"

namespace gyre::sim {

// Leaves its ops to the platform when the loop closes: that is what is tested.
class TestApp : public test::TestApp {
public:
    TestApp() noexcept { cancels_at_close = false; }
};

struct Rig : test::TestWorld<TestApp> {
    explicit Rig(const SimOptions& options = {}, Observer* observer = nullptr)
        : TestWorld(options, {.observer = observer}) {}

    // Runs until this op is completed.
    std::int32_t result_of(Op& op) {
        constexpr std::uint64_t turn_count_max = 10'000;
        const std::uint64_t first_turn = loop.turn_count();
        app.start(op);
        while (op.is_in_flight()) {
            loop.turn();
            GYRE_ASSERT(loop.turn_count() - first_turn < turn_count_max,
                        "the op does not come back");
        }
        return op.result();
    }
    [[nodiscard]] Sockets& sockets() { return platform.environment()->sockets(); }

    VirtualClock& clock = outside.clock;
    SimPlatform& platform = outside.platform();
};

}  // namespace gyre::sim
