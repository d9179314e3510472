// SPDX-License-Identifier: Apache-2.0
// A real loop for a scenario of the model checker, on a platform that only sleeps and is woken. It
// belongs to the scenario; one of its threads turns the loop.
#pragma once

#include <cstdlib>

#include "gyre/kernel/loop.hpp"
#include "model.hpp"

namespace model {

// Time stands still: nothing but a wake ends a wait.
class SleepingPlatform : public gyre::Platform {
public:
    SleepingPlatform() : Platform("sleeping platform") {}
    gyre::Instant wait(gyre::Instant deadline) noexcept override {
        if (deadline > time) parker_.park();
        return time;
    }
    void wake() noexcept override { parker_.unpark(); }
    gyre::Instant now() noexcept override { return time; }
    bool is_simulated() const noexcept override { return true; }
    void tick(gyre::Instant) override {}

private:
    static constexpr gyre::Instant time{1000};
    Parker parker_;
};

// A loop with its platform and its app machine. Allocate it: a loop is too large for the stack of a
// fiber.
template <class App>
struct LoopNode {
    template <class... Arguments>
    explicit LoopNode(gyre::LoopOptions options, Arguments... arguments)
        : app(arguments...), loop(platform, app, options) {}
    SleepingPlatform platform;
    App app;
    gyre::Loop loop;
};

}  // namespace model
