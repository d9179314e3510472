// SPDX-License-Identifier: Apache-2.0
// The order in which a Pump runs jobs in profile js2il.
#include <utility>

#include "gyre/job/pump.hpp"

namespace gyre::job {

// One iteration of JS2IL, in its numbering: 1. a bounded number of immediates, each with a
// checkpoint; 2. at most one due timer becomes a callback; 3. at most one callback; 4. a
// checkpoint.
void Pump::iterate_as_js2il() {
    const std::uint32_t bound = scheduler_.options_.slice;
    if (std::exchange(phase_, Phase::poll) == Phase::main) {
        run({std::move(main_script_), scheduler_.make_context()});
        return;
    }
    ImmediateSource* const engine = scheduler_.options_.immediates;
    take_batch();
    for (std::uint32_t i = 0; i < bound && has_batch() && !is_stopped_; ++i) {
        if (engine != nullptr && engine->has_batch()) {
            run_engine_immediates(*engine, 1);
        } else {
            run_immediate(*batch_.pop_front());
        }
        drain_bounded_microtasks();
    }
    batch_.take_all(scheduler_.immediates_);  // The immediates beyond the bound stay first.
    scheduler_.immediates_.take_all(batch_);
    Job* timer = scheduler_.timers_.take_due(scheduler_.time_.due(scheduler_.clock_.now()));
    if (timer != nullptr) scheduler_.promote(*timer);
    if (!scheduler_.callbacks_.empty() && !is_stopped_) {
        run_callback_or_timer(scheduler_.callbacks_.pop());
    }
    drain_bounded_microtasks();
}

bool Pump::run_callback_or_timer(JobCallback next) {
    if (next.callback) return run(std::move(next));
    Job* timer = scheduler_.promoted(next);
    return timer == nullptr || run_promoted(*timer);
}

void Pump::drain_bounded_microtasks() {
    std::uint64_t left = scheduler_.options_.slice;
    while (left > 0 && scheduler_.has_microtask() && !is_stopped_) {
        slice_left_ = scheduler_.options_.slice;
        const std::uint64_t before = left;
        run_microtasks(left);
        if (left == before) break;
    }
    if (!scheduler_.has_microtask() && !is_stopped_) report_rejections();
}

}  // namespace gyre::job
