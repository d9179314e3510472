// SPDX-License-Identifier: Apache-2.0
// How a Pump runs one job of each kind, and reports errors and rejections.
#include "gyre/job/internal/pump_run.hpp"

#include <utility>

#include "gyre/base/log.hpp"

namespace gyre::job {

bool Pump::run(JobCallback job) {
    const bool is_fine = call(job.callback, job.context, scheduler_.options_.hooks);
    if (scheduler_.options_.hooks != nullptr) scheduler_.drop_context(job.context);
    return is_fine;
}

bool Pump::run_immediate(Job& job) {
    job.is_running = true;
    const bool is_fine = call(job.call.callback, job.call.context, scheduler_.options_.hooks);
    scheduler_.end(job);
    return is_fine;
}

// Runs a timer that was removed from its list. The next period of an interval counts from the start
// of this run.
bool Pump::run_timer(Job& job) {
    --scheduler_.timer_count_;
    job.is_running = true;
    const bool is_interval = job.kind == Job::Kind::interval;
    const std::int64_t start =
        is_interval ? scheduler_.time_.due(scheduler_.clock_.now()) : std::int64_t{0};
    const bool is_fine = call(job.call.callback, job.call.context, scheduler_.options_.hooks);
    job.is_running = false;
    if (is_interval && !job.is_cleared) {
        scheduler_.withdraw(job);
        scheduler_.start_again(job, start);
    } else if (!job.is_linked()) {  // Otherwise the callback refreshed it.
        scheduler_.end(job);
    }
    return is_fine;
}

// In profile js2il.
bool Pump::run_callback_or_timer(JobCallback next) {
    if (next.callback) return run(std::move(next));
    Job* timer = scheduler_.promoted(next);
    if (timer == nullptr) return true;
    timer->is_running = true;
    const bool is_fine = call(timer->call.callback, timer->call.context, scheduler_.options_.hooks);
    timer->is_running = false;
    if (!timer->is_linked()) scheduler_.end(*timer);
    return is_fine;
}

bool Pump::report_rejections() {
    if (!scheduler_.rejections_.has_due()) return false;
    bool has_reported = false;
    const bool is_fine =
        guarded([&] { has_reported = scheduler_.rejections_.report(scheduler_.host_); });
    return has_reported || !is_fine;
}

void Pump::report_error() noexcept {
    AfterError after = AfterError::stop;
    try {
        after = scheduler_.host_.on_error(std::current_exception());
        if (after == AfterError::go_on && scheduler_.options_.profile == Profile::node) {
            scheduler_.queue_nothing();
        }
    } catch (...) {
        log(LogLevel::error, "the on_error of the host threw: no job runs any more");
        after = AfterError::stop;
    }
    if (after == AfterError::go_on) return;
    is_stopped_ = true;
    slice_left_ = 0;
}

}  // namespace gyre::job
