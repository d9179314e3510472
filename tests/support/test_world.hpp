// SPDX-License-Identifier: Apache-2.0
// TestWorld<App, Outside>: a loop with its app machine and the platform below it, closed at the end
// of the test. Outside says which platform: VirtualTime is the simulation, NamedPlatform
// (named_platform.hpp) is any platform by its name. The fixtures of the modules derive from it. One
// thread; lives as long as the test.
//
//     TestWorld<TestApp> world({.seed = 7});
//     EXPECT_EQ(world.run(op), 0);
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "gyre/kernel/loop.hpp"
#include "gyre/sim/platform.hpp"
#include "gyre/sim/virtual_clock.hpp"

namespace gyre::test {

class VirtualTime {
public:
    using Options = sim::SimOptions;

    explicit VirtualTime(const sim::SimOptions& options = {}) : platform_(clock, options) {}

    [[nodiscard]] sim::SimPlatform& platform() noexcept { return platform_; }
    [[nodiscard]] Offload* offload() noexcept { return &platform_.offload(); }

    sim::VirtualClock clock;

private:
    sim::SimPlatform platform_;
};

template <class App, class Outside = VirtualTime>
class TestWorld {
public:
    // An offload that the options of the loop name comes before that of the platform.
    template <class... AppArguments>
    explicit TestWorld(const typename Outside::Options& options = {}, LoopOptions loop_options = {},
                       AppArguments&&... arguments)
        : outside(options),
          app(std::forward<AppArguments>(arguments)...),
          loop(outside.platform(), app, with_offload(loop_options)) {}
    TestWorld(const TestWorld&) = delete;
    TestWorld& operator=(const TestWorld&) = delete;
    ~TestWorld() { loop.close(); }

    // Of a TestApp: turns until the op is back, and returns its result.
    std::int32_t finish(Op& op) {
        while (op.is_in_flight()) loop.turn();
        return op.result();
    }
    std::int32_t run(Op& op) {
        app.start(op);
        return finish(op);
    }
    std::int32_t cancel(Op& op) {
        app.stop(op);
        return finish(op);
    }

    // Of an Executor: starts an async function in the root scope.
    template <class F, class... Arguments>
    auto spawn(F function, Arguments... arguments) {
        return app.root().spawn(std::move(function), std::move(arguments)...);
    }
    // Runs everything to its end; returns the function's value or throws.
    template <class F, class... Arguments>
        requires(!std::is_base_of_v<Op, F>)
    auto run(F function, Arguments... arguments) {
        auto handle = spawn(std::move(function), std::move(arguments)...);
        static_cast<void>(loop.run());
        return handle.outcome().take();
    }

    Outside outside;
    App app;
    Loop loop;

private:
    LoopOptions with_offload(LoopOptions options) {
        if (options.offload == nullptr) options.offload = outside.offload();
        return options;
    }
};

}  // namespace gyre::test
