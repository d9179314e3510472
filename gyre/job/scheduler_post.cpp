// SPDX-License-Identifier: Apache-2.0
// The posts of other threads: they wait in `arrivals_`, under a mutex, until the pump takes them in
// the order of their coming. A posted job has an id of its own from the start, 2^52 or more; once
// it is taken, posted_jobs_ leads from there to the job.
#include <string>

#include "gyre/job/pump.hpp"
#include "gyre/job/scheduler.hpp"

namespace gyre::job {

bool Scheduler::post(Callback<> callback) {
    JobId id = 0;
    return add_arrival({.kind = Arrival::Kind::callback, .callback = std::move(callback)}, id);
}

JobId Scheduler::post_timeout(Callback<> callback, Duration delay) {
    return add_posted_job(Arrival::Kind::timeout, std::move(callback), delay);
}

JobId Scheduler::post_interval(Callback<> callback, Duration period) {
    return add_posted_job(Arrival::Kind::interval, std::move(callback), period);
}

JobId Scheduler::post_immediate(Callback<> callback) {
    return add_posted_job(Arrival::Kind::immediate, std::move(callback), Duration(0));
}

JobId Scheduler::post_microtask(Callback<> callback) {
    return add_posted_job(Arrival::Kind::microtask, std::move(callback), Duration(0));
}

bool Scheduler::post_clear(JobId id) {
    return add_arrival({.kind = Arrival::Kind::clear, .callback = {}, .id = id}, id);
}

void Scheduler::wake() {
    const std::lock_guard lock(arrivals_mutex_);
    is_woken_ = true;
    if (bell_ != nullptr) bell_->ring();
}

JobId Scheduler::add_posted_job(Arrival::Kind kind, Callback<>&& callback, Duration delay) {
    JobId id = 0;
    Arrival arrival{.kind = kind, .callback = std::move(callback), .delay = delay};
    return add_arrival(std::move(arrival), id) ? id : 0;
}

// Gives an id to an arrival that has none.
bool Scheduler::add_arrival(Arrival arrival, JobId& id) {
    const std::lock_guard lock(arrivals_mutex_);
    if (arrivals_.size() >= options_.post_count_max) return false;
    if (arrival.id == 0) arrival.id = ++last_posted_id_;
    id = arrival.id;
    arrivals_.push_back(std::move(arrival));
    // Rings under the lock: the pump cannot be destroyed meanwhile.
    if (bell_ != nullptr) bell_->ring();
    return true;
}

bool Scheduler::has_arrivals() const {
    const std::lock_guard lock(arrivals_mutex_);
    return is_woken_ || !arrivals_.empty();
}

void Scheduler::take_arrivals() {
    {
        const std::lock_guard lock(arrivals_mutex_);
        taken_.swap(arrivals_);
        is_woken_ = false;
        if (is_stop_asked_) pump_->stop_now();
    }
    context_ = nullptr;
    for (Arrival& arrival : taken_) take(arrival);
    taken_.clear();
}

// Jobs of other threads have no context.
void Scheduler::take(Arrival& arrival) {
    JobId id = 0;
    switch (arrival.kind) {
        case Arrival::Kind::callback:
            if (arrival.callback) callbacks_.push(std::move(arrival.callback), make_context());
            return;
        case Arrival::Kind::microtask:
            return take_microtask(arrival);
        case Arrival::Kind::clear:
            return clear_posted(arrival.id);
        case Arrival::Kind::immediate:
            id = set_immediate(std::move(arrival.callback));
            break;
        case Arrival::Kind::timeout:
            id = start_timer(std::move(arrival.callback), arrival.delay, Job::Kind::timeout);
            break;
        case Arrival::Kind::interval:
            id = start_timer(std::move(arrival.callback), arrival.delay, Job::Kind::interval);
            break;
    }
    Job* job = pool_.find(id);
    if (job == nullptr) return report_full();
    job->posted_id = arrival.id;
    posted_jobs_.emplace(arrival.id, id);
}

void Scheduler::report_full() noexcept {
    report_error(std::make_exception_ptr(
        LimitError("start a posted job", "job_count_max", options_.job_count_max)));
}

void Scheduler::take_microtask(Arrival& arrival) {
    posted_microtasks_.insert(arrival.id);
    queue_microtask([this, id = arrival.id, body = std::move(arrival.callback)]() mutable {
        if (posted_microtasks_.erase(id) > 0) body.call_unshared();
    });
}

void Scheduler::clear_posted(JobId id) {
    posted_microtasks_.erase(id);
    if (Job* job = find(id)) clear(*job);
}

Job* Scheduler::find(JobId id) const noexcept {
    if (id >> 52u == 0) [[likely]]
        return pool_.find(id);
    const auto found = posted_jobs_.find(id);
    return found == posted_jobs_.end() ? nullptr : pool_.find(found->second);
}

}  // namespace gyre::job
