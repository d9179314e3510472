// SPDX-License-Identifier: Apache-2.0
// The inline members of Pump that run one job in its context and report its error to the host. Only
// for the sources of Pump; the pump's thread.
#pragma once

#include "gyre/job/pump.hpp"

namespace gyre::job {

template <class Body>
[[gnu::always_inline]] inline bool Pump::guarded(Body body) {
    --slice_left_;
    try {
        body();
        return true;
    } catch (...) {
        report_error();
        return false;
    }
}

[[gnu::always_inline]] inline bool Pump::call(Callback<>& callback, Context context,
                                              JobCallbackHooks* hooks) {
    scheduler_.context_ = context;
    return guarded(
        [&] { hooks == nullptr ? callback.call_unshared() : hooks->call(callback, context); });
}

[[gnu::always_inline]] inline bool Pump::run_first(JobRing& ring, JobCallbackHooks* hooks) {
    JobCallback& job = ring.first();
    const bool is_fine = call(job.callback, job.context, hooks);
    if (hooks != nullptr) hooks->drop(job.context);
    ring.drop_first(job);
    return is_fine;
}

inline bool Pump::run_next_tick(JobCallbackHooks* hooks) {
    return run_first(scheduler_.ticks_, hooks);
}

inline bool Pump::run_next_microtask(JobSource* engine, JobCallbackHooks* hooks) {
    if (engine == nullptr) return run_first(scheduler_.microtasks_, hooks);
    return guarded([engine] { engine->run_one(); });
}

}  // namespace gyre::job
