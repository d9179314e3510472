// SPDX-License-Identifier: Apache-2.0
// Which order a scheduler and its pump keep, and their limits. Plain values, set once.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "gyre/kernel/clock.hpp"

namespace gyre::job {

class JobCallbackHooks;
class JobSource;

// `node`: Node's order, exactly. `js2il`: the bounded iteration of JS2IL, in which a tick is a
// microtask. docs/guide/give-your-language-an-event-loop.md shows both.
enum class Profile : std::uint8_t { node, js2il };

struct SchedulerOptions {
    Profile profile = Profile::node;
    // Make and call hooks; without them a job runs in the context it was queued in.
    JobCallbackHooks* hooks = nullptr;
    // The microtasks of an engine that keeps its own queue; without it the scheduler has one.
    JobSource* microtasks = nullptr;

    // Jobs after which the loop may do everything that runs no script. In profile js2il the number
    // of immediates an iteration runs, and of microtasks a checkpoint runs.
    std::uint32_t slice = 1024;
    // Jobs of one checkpoint after which host callbacks get in all the same (profile node). 0:
    // never.
    std::uint64_t starvation_limit = 10'000'000;
    // What wait_time says at most in profile js2il. The loop itself waits for the next timer.
    Duration wait_max = std::chrono::milliseconds(50);
    // Jobs that may wait in one queue; a power of two.
    std::size_t queue_size_max = std::size_t{1} << 26u;
};

}  // namespace gyre::job
