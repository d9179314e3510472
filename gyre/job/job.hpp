// SPDX-License-Identifier: Apache-2.0
// Job: a callback that a language's host must run in a fixed order. Ticks, microtasks and host
// callbacks are JobCallbacks in a ring; timers and immediates have an id and stand in a Job of the
// scheduler's pool. All of it belongs to the pump's thread.
#pragma once

#include <cstdint>

#include "gyre/base/callback.hpp"
#include "gyre/base/intrusive.hpp"

namespace gyre::job {

// Names a timer or an immediate from its start to its end and nothing else ever after; 0 names
// none. Always below 2^53, so that it fits a number of JavaScript.
using JobId = std::uint64_t;

// What the host wants to have beside a job when it runs: the async context it was made in.
using Context = void*;

// ECMA-262's JobCallback Record: what to call, and the host-defined value that goes with it.
struct JobCallback {
    Callback<> callback;
    Context context = nullptr;
};

struct JobLinks;

struct Job : Link<JobLinks> {
    enum class Kind : std::uint8_t { none, timeout, interval, immediate };

    JobCallback call;
    std::int64_t start = 0;     // of a timer, in ticks of the scheduler's time
    std::int64_t duration = 0;  // the same
    std::uint32_t slot = 0;
    std::uint32_t generation = 1;
    Kind kind = Kind::none;
    bool has_ref = true;
    bool is_running = false;
    bool is_cleared = false;
};

using JobQueue = Queue<Job, JobLinks>;

}  // namespace gyre::job
