// SPDX-License-Identifier: Apache-2.0
// For the tests of tasks: an executor on a loop in virtual time. One test, one thread.
#pragma once

#include <utility>

#include "gyre/sim/platform.hpp"
#include "gyre/sim/virtual_clock.hpp"
#include "gyre/task/core/scope.hpp"

namespace gyre {

struct TaskWorld {
    sim::VirtualClock clock;
    sim::SimPlatform platform{clock};
    Executor executor;
    Loop loop{platform, executor, {.offload = &platform.offload()}};

    TaskWorld() = default;
    explicit TaskWorld(ExecutorOptions options) : executor(options) {}
    TaskWorld(const TaskWorld&) = delete;
    TaskWorld& operator=(const TaskWorld&) = delete;
    ~TaskWorld() { loop.close(); }

    // Spawns the function in the root scope.
    template <class F, class... Args>
    auto spawn(F function, Args... args) {
        return executor.root().spawn(std::move(function), std::move(args)...);
    }
    // Spawns the function, runs the loop to its end, and gives the value or throws.
    template <class F, class... Args>
    auto run(F function, Args... args) {
        auto handle = spawn(std::move(function), std::move(args)...);
        static_cast<void>(loop.run());
        return handle.outcome().take();
    }
};

}  // namespace gyre
