// SPDX-License-Identifier: Apache-2.0
// The path of every job, to be inlined where the order is: in its context, to its end, its error
// told to the host. For the files of the pump alone.
#pragma once

#include "gyre/job/pump.hpp"

namespace gyre::job {

template <class Body>
[[gnu::always_inline]] inline bool Pump::guarded(Body body) {
    --slice_left_;
    is_running_job_ = true;
    try {
        body();
        is_running_job_ = false;
        return true;
    } catch (...) {
        is_running_job_ = false;
        report_error();
        return false;
    }
}

[[gnu::always_inline]] inline bool Pump::call(Callback<>& callback, Context context) {
    scheduler_.context_ = context;
    return guarded([&] {
        if (scheduler_.options_.hooks == nullptr) {
            callback.call_unshared();
        } else {
            scheduler_.options_.hooks->call(callback, context);
        }
    });
}

[[gnu::always_inline]] inline bool Pump::run_first(JobRing& ring) {
    JobCallback& job = ring.begin_first();
    const bool is_fine = call(job.callback, job.context);
    if (scheduler_.options_.hooks != nullptr) scheduler_.drop_context(job.context);
    ring.end_first(job);
    return is_fine;
}

inline bool Pump::run_next_tick() {
    return run_first(scheduler_.ticks_);
}

inline bool Pump::run_next_microtask() {
    JobSource* const engine = scheduler_.options_.microtasks;
    if (engine == nullptr) return run_first(scheduler_.microtasks_);
    return guarded([engine] { engine->run_one(); });
}

}  // namespace gyre::job
