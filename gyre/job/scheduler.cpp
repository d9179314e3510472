// SPDX-License-Identifier: Apache-2.0
#include "gyre/job/scheduler.hpp"

#include <algorithm>
#include <cmath>

#include "gyre/job/pump.hpp"

namespace gyre::job {
namespace {

constexpr std::int64_t node_delay_ms_max = (std::int64_t{1} << 31) - 1;

// A job of the host in an engine's queue. Its context is dropped once, also when it does not run.
class EngineJob {
public:
    EngineJob(Scheduler& scheduler, JobCallbackHooks* hooks, Callback<> callback)
        : scheduler_(&scheduler),
          hooks_(hooks),
          callback_(std::move(callback)),
          context_(scheduler.make_context()) {}
    EngineJob(EngineJob&& other) noexcept
        : scheduler_(std::exchange(other.scheduler_, nullptr)),
          hooks_(other.hooks_),
          callback_(std::move(other.callback_)),
          context_(other.context_) {}
    EngineJob& operator=(EngineJob&&) = delete;
    ~EngineJob() {
        if (scheduler_ != nullptr) scheduler_->drop_context(context_);
    }
    void operator()() {
        scheduler_->set_context(context_);
        hooks_ == nullptr ? callback_.call_unshared() : hooks_->call(callback_, context_);
    }

private:
    Scheduler* scheduler_;
    JobCallbackHooks* hooks_;
    Callback<> callback_;
    Context context_;
};

}  // namespace

Scheduler::Scheduler(Clock& clock, Host& host, SchedulerOptions options)
    : clock_(clock),
      host_(host),
      options_(options),
      ticks_(options.queue_size_max),
      microtasks_(options.queue_size_max),
      callbacks_(options.queue_size_max),
      pool_(options.job_count_max),
      timers_(options.profile),
      time_(options.profile, clock.now()) {
    GYRE_ASSERT(options_.slice > 0, "a slice of 0 jobs runs none: pass at least 1");
}

Scheduler::~Scheduler() {
    GYRE_ASSERT(pump_ == nullptr, "destroy the pump before its scheduler");
    drop_all(ticks_);
    drop_all(microtasks_);
    drop_all(callbacks_);
    for (const JobCallback& closing : closings_) drop_context(closing.context);
    pool_.for_each_in_use([this](Job& job) {
        if (job.is_linked()) job.unlink();
        drop_context(job.call.context);
    });
}

void Scheduler::drop_all(JobRing& ring) noexcept {
    while (!ring.empty()) {
        const JobCallback job = ring.pop();
        if (job.callback) drop_context(job.context);
    }
}

void Scheduler::ask_for_tick() {
    if (pump_ != nullptr) pump_->ask_for_tick();
}

void Scheduler::queue_close(Callback<> callback) {
    if (options_.profile == Profile::js2il) return queue_callback(std::move(callback));
    GYRE_ASSERT(callback, "an empty callback cannot be queued");
    if (closings_.size() >= options_.queue_size_max) {
        throw LimitError("queue a close callback", "queue_size_max", options_.queue_size_max);
    }
    closings_.push_back({std::move(callback), make_context()});
    if (!is_pumping_) ask_for_tick();
}

void Scheduler::push_to_engine(JobSource& engine, Callback<> callback) {
    engine.queue(EngineJob(*this, options_.hooks, std::move(callback)));
}

AfterError Scheduler::report_error(std::exception_ptr error) noexcept {
    GYRE_ASSERT(pump_ != nullptr, "an error of a job is reported while it runs");
    return pump_->report_error(std::move(error));
}

// Null at the limit.
Job* Scheduler::new_job(Callback<>&& callback, Job::Kind kind) {
    Job* job = pool_.take(kind);
    if (job == nullptr) return nullptr;
    job->call.callback = std::move(callback);
    job->call.context = make_context();
    count_ref(*job, +1);
    return job;
}

JobId Scheduler::set_immediate(Callback<> callback) {
    Job* job = new_job(std::move(callback), Job::Kind::immediate);
    if (job == nullptr) return 0;
    immediates_.push_back(*job);
    if (!is_pumping_) ask_for_tick();
    return JobPool::id_of(*job);
}

JobId Scheduler::start_timer(Callback<>&& callback, Duration delay, Job::Kind kind) {
    Job* job = new_job(std::move(callback), kind);
    if (job == nullptr) return 0;
    job->duration = ticks_of(delay);
    job->start = start_tick();
    timers_.insert(*job);
    ++timer_count_;
    if (!is_pumping_) ask_for_tick();
    return JobPool::id_of(*job);
}

std::int64_t Scheduler::start_tick() noexcept {
    return time_.start(clock_.now(), timer_count_ == 0);
}

std::int64_t Scheduler::ticks_of(Duration delay) const noexcept {
    if (options_.profile == Profile::js2il) return std::max<std::int64_t>(delay.count(), 0);
    const std::int64_t ms = std::chrono::duration_cast<std::chrono::milliseconds>(delay).count();
    return ms < 1 || ms > node_delay_ms_max ? 1 : ms;
}

Duration Scheduler::delay_of(double milliseconds) noexcept {
    constexpr double longest = 9e18;
    if (std::isnan(milliseconds)) return Duration(0);
    return Duration(static_cast<std::int64_t>(std::clamp(milliseconds * 1e6, -longest, longest)));
}

void Scheduler::clear_timeout(JobId id) {
    Job* job = find(id);
    if (job != nullptr && job->kind != Job::Kind::immediate) clear(*job);
}

void Scheduler::clear_interval(JobId id) {
    Job* job = find(id);
    if (job == nullptr || job->kind == Job::Kind::immediate) return;
    if (options_.profile == Profile::js2il && job->kind != Job::Kind::interval) return;
    clear(*job);
}

void Scheduler::clear_immediate(JobId id) {
    Job* job = find(id);
    if (job != nullptr && job->kind == Job::Kind::immediate) clear(*job);
}

void Scheduler::clear(Job& job) noexcept {
    if (job.is_cleared) return;
    if (job.kind == Job::Kind::immediate) {
        if (job.is_linked()) job.unlink();
    } else {
        if (job.is_linked()) --timer_count_;
        timers_.remove(job);
    }
    if (!job.is_running) return end(job);
    // Its callback is running: the pump ends it.
    job.is_cleared = true;
}

bool Scheduler::refresh(JobId id) {
    Job* job = find(id);
    if (job == nullptr || job->kind == Job::Kind::immediate || job->is_cleared) return false;
    if (!job->is_linked() && !job->is_running)
        return false;  // It is due and waits among the callbacks (js2il).
    withdraw(*job);
    start_again(*job, start_tick());
    if (!is_pumping_) ask_for_tick();
    return true;
}

// Removes a timer from its list. The list stays, as in Node: its position is part of the order.
void Scheduler::withdraw(Job& timer) noexcept {
    if (!timer.is_linked()) return;
    timer.unlink();
    --timer_count_;
}

// A running job keeps its reference until its end: its callback may change it with set_ref.
void Scheduler::end(Job& job) noexcept {
    count_ref(job, -1);
    drop_context(job.call.context);
    if (job.posted_id != 0) posted_jobs_.erase(job.posted_id);
    pool_.put_back(job);
}

void Scheduler::start_again(Job& timer, std::int64_t start) {
    timer.start = start;
    timers_.insert(timer);
    ++timer_count_;
}

// In profile js2il a due timer joins the host callbacks. An interval restarts before its callback;
// an interval without a period does not.
void Scheduler::promote(Job& timer) {
    --timer_count_;
    callbacks_.push(Callback<>(), reinterpret_cast<Context>(JobPool::id_of(timer)));
    if (timer.kind != Job::Kind::interval) return;
    if (timer.duration == 0) {
        timer.kind = Job::Kind::timeout;
    } else {
        start_again(timer, time_.due(clock_.now()));
    }
}

// Null when it was cleared meanwhile.
Job* Scheduler::promoted(const JobCallback& callback) const noexcept {
    return pool_.find(reinterpret_cast<JobId>(callback.context));
}

// After an error that the host accepted: causes an iteration, which continues the checkpoint.
void Scheduler::queue_nothing() {
    if (options_.immediates != nullptr) return options_.immediates->queue_nothing();
    set_immediate({});
}

void Scheduler::count_ref(const Job& job, int by) noexcept {
    if (!job.has_ref) return;
    std::size_t& count = job.kind == Job::Kind::immediate ? immediate_refs_ : timer_refs_;
    count += static_cast<std::size_t>(by);
}

void Scheduler::set_ref(JobId id, bool has_ref) {
    Job* job = find(id);
    if (job == nullptr || job->has_ref == has_ref) return;
    count_ref(*job, -1);
    job->has_ref = has_ref;
    count_ref(*job, +1);
    if (!is_pumping_) ask_for_tick();
}

bool Scheduler::has_ref(JobId id) const noexcept {
    const Job* job = find(id);
    return job != nullptr && job->has_ref;
}

void Scheduler::change_holds(int by) {
    GYRE_ASSERT(by > 0 || holds_ > 0, "release without a hold");
    holds_ += static_cast<std::size_t>(by);
    if (!is_pumping_) ask_for_tick();
}

void Scheduler::enqueue_promise_job(Callback<> job, Context context) {
    GYRE_ASSERT(options_.microtasks == nullptr, "an engine keeps the promise jobs: queue it there");
    microtasks_.push(std::move(job), context);
    if (!is_pumping_) request_checkpoint();
}

void Scheduler::track_rejected(PromiseId promise, std::any reason) {
    rejections_.add(promise, std::move(reason));
    if (!is_pumping_) request_checkpoint();
}

void Scheduler::track_handled(PromiseId promise) {
    rejections_.handle(promise);
    if (!is_pumping_) request_checkpoint();
}

}  // namespace gyre::job
