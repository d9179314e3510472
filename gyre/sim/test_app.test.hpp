// SPDX-License-Identifier: Apache-2.0
// For the tests of the simulation: an app machine that starts ops and records their completions and
// notifications, with a loop. One thread; lives as long as its test.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "gyre/io/environment.hpp"
#include "gyre/kernel/loop.hpp"
#include "gyre/kernel/op.hpp"
#include "gyre/sim/platform.hpp"

namespace gyre::sim {

class TestApp : public Machine {
public:
    TestApp() noexcept : Machine("app") {}

    void start(Op& op) { submit(op); }
    void stop(Op& op, CancelOp* message = nullptr) { cancel(op, message); }

    std::vector<Op*> done;   // in the order of their completions
    std::vector<Op*> rings;  // in the order of their notifications
    std::function<void(Op&)> on_done = [](Op&) {};
    std::function<void(StandingOp&)> on_ring = [](StandingOp&) {};
    // The result of ops that are submitted to it.
    std::function<std::int32_t(Op&)> on_request = [](Op&) { return 0; };

private:
    void tick(Instant /*now*/) override {
        while (Op* op = next_submission()) complete(*op, on_request(*op));
        while (StandingOp* op = next_notification()) {
            rings.push_back(op);
            on_ring(*op);
        }
        while (Op* op = next_completion()) {
            done.push_back(op);
            on_done(*op);
        }
    }
};

struct Rig {
    explicit Rig(const SimOptions& options = {}, Observer* observer = nullptr)
        : platform(clock, options),
          loop(platform, app, {.offload = &platform.offload(), .observer = observer}) {}
    ~Rig() { loop.close(); }

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

    VirtualClock clock;
    SimPlatform platform;
    TestApp app;
    Loop loop;
};

}  // namespace gyre::sim
