// SPDX-License-Identifier: Apache-2.0
// For the tests of tasks: an executor on a loop in virtual time. One test, one thread.
#pragma once

#include "gyre/task/core/scope.hpp"
#include "tests/support/test_world.hpp"

namespace gyre {

struct TaskWorld : test::TestWorld<Executor> {
    explicit TaskWorld(ExecutorOptions options = {}) : TestWorld({}, {}, options) {}

    sim::VirtualClock& clock = outside.clock;
    sim::SimPlatform& platform = outside.platform();
    Executor& executor = app;
};

}  // namespace gyre
