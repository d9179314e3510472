// SPDX-License-Identifier: Apache-2.0
// The order in which a Pump runs jobs, in one place: Node's. Each step returns false when the slice
// is over; the next tick then continues at the same place, after the loop has served everything
// that is not script. Also here: how one job runs. pump_js2il.cpp has the order of JS2IL.
#include <algorithm>
#include <utility>

#include "gyre/base/detail/compiler.hpp"
#include "gyre/base/log.hpp"
#include "gyre/job/pump.hpp"

namespace gyre::job {

// One iteration of Node: host callbacks (poll), immediates (check), close callbacks, timers. After
// the main script, and whenever the loop is entered again, due timers come first.
void Pump::iterate_as_node() {
    // The main script ends the tick: whether the loop is entered depends on what is alive then.
    if (phase_ == Phase::main) {
        if (run_main()) enter(Phase::first_timers);
        return;
    }
    if (phase_ == Phase::first_timers) {
        if (!run_due_timers()) return;
        enter(Phase::poll);
        // The loop is entered: an iteration follows, after a wait if something is alive.
        if (has_life() || has_other_life()) return;
    }
    if (phase_ == Phase::poll && run_host_callbacks()) enter(Phase::check);
    if (phase_ == Phase::check && run_immediates()) enter(Phase::close);
    if (phase_ == Phase::close && run_closings()) enter(Phase::timers);
    if (phase_ == Phase::timers && run_due_timers()) enter(Phase::poll);
}

// A checkpoint: all ticks, including those that ticks add; then all microtasks, including those
// that microtasks add; repeated while there are ticks or a rejection was reported. It ends early at
// the starvation limit, and when a tick or the report of a rejection throws: the next checkpoint
// does the rest.
Pump::Step Pump::checkpoint() {
    // In locals: a job takes a few nanoseconds, so loads through the scheduler count.
    JobSource* const ticks = scheduler_.options_.ticks;
    JobSource* const microtasks = scheduler_.options_.microtasks;
    JobCallbackHooks* const hooks = scheduler_.options_.hooks;
    std::uint64_t left = jobs_left_in_checkpoint_;
    for (;;) {
        while (!is_draining_microtasks_ && scheduler_.has_tick(ticks)) {
            if (left == 0) return starve();
            if (is_slice_over()) return slice(left);
            if (!run_jobs(ticks, scheduler_.ticks_, hooks, left))
                return end_checkpoint(Step::threw);
        }
        is_draining_microtasks_ = true;
        while (scheduler_.has_microtask(microtasks)) {
            if (left == 0) return starve();
            if (is_slice_over()) return slice(left);
            // An exception does not stop the others.
            run_jobs(microtasks, scheduler_.microtasks_, hooks, left);
        }
        is_draining_microtasks_ = false;
        if (is_slice_over() && scheduler_.has_checkpoint_work()) return slice(left);
        if (scheduler_.has_tick(ticks)) continue;
        const Report report = report_rejections();
        if (report == Report::threw) return end_checkpoint(Step::threw);
        if (report == Report::none) return end_checkpoint(Step::done);
    }
}

// The next slice continues the checkpoint.
Pump::Step Pump::slice(std::uint64_t jobs_left) noexcept {
    jobs_left_in_checkpoint_ = jobs_left;
    return Step::sliced;
}

// Lets host callbacks run; the next checkpoint continues where this one ends.
Pump::Step Pump::starve() {
    ++counts_.starvations;
    return end_checkpoint(Step::done);
}

// Each callback is followed by a checkpoint: before the next callback, or at the end of the phase.
// A callback that throws has no checkpoint: the next callback comes first.
bool Pump::checkpoint_between() {
    if (owes_checkpoint_) {
        const Step step = checkpoint();
        if (step == Step::sliced) return false;
        if (step == Step::threw) choose_timers_anew();
    }
    owes_checkpoint_ = false;
    return !is_slice_over();
}

bool Pump::end_phase() {
    if (checkpoint() == Step::sliced) return false;
    owes_checkpoint_ = false;
    is_in_phase_ = false;
    return true;
}

bool Pump::run_main() {
    if (!std::exchange(is_in_phase_, true))
        run({std::move(main_script_), scheduler_.make_context()});
    return end_phase();
}

// Runs the callbacks that were queued when the phase began.
bool Pump::run_host_callbacks() {
    if (!std::exchange(is_in_phase_, true)) callbacks_left_ = scheduler_.callbacks_.size();
    while (callbacks_left_ > 0) {
        if (!checkpoint_between()) return false;
        --callbacks_left_;
        owes_checkpoint_ = run(scheduler_.callbacks_.pop());
    }
    return end_host_phase();
}

// Runs the close callbacks that were queued when the phase began, the last one first.
bool Pump::run_closings() {
    if (!std::exchange(is_in_phase_, true)) closing_.swap(scheduler_.closings_);
    while (!closing_.empty()) {
        if (!checkpoint_between()) return false;
        JobCallback last = std::move(closing_.back());
        closing_.pop_back();
        owes_checkpoint_ = run(std::move(last));
    }
    return end_host_phase();
}

// When the last callback threw, the next phase runs its checkpoint.
bool Pump::end_host_phase() {
    if (owes_checkpoint_ && checkpoint() == Step::sliced) return false;
    owes_checkpoint_ = false;
    is_in_phase_ = false;
    return true;
}

// Runs the immediates that were queued when the phase began. If the last one throws, the immediates
// that were added meanwhile follow at once.
bool Pump::run_immediates() {
    if (!is_in_phase_) {
        // Finishes a checkpoint that ended early, so that every iteration has one.
        if (checkpoint() == Step::sliced) return false;
        if (!has_immediates()) return true;
        take_batch();
        is_in_phase_ = true;
    }
    ImmediateSource* const engine = scheduler_.options_.immediates;
    do {
        while (has_batch()) {
            if (!checkpoint_between()) return false;
            if (engine != nullptr && engine->has_batch()) {
                if (!run_engine_immediates(*engine, slice_left_)) return false;
                continue;
            }
            Job* immediate = batch_.pop_front();  // A checkpoint may have cleared the last one.
            if (immediate == nullptr) break;
            owes_checkpoint_ = run_immediate(*immediate);
            has_last_thrown_ = !owes_checkpoint_;
        }
        if (std::exchange(has_last_thrown_, false)) take_batch();
    } while (has_batch());
    return end_phase();
}

bool Pump::has_immediates() const noexcept {
    const ImmediateSource* const engine = scheduler_.options_.immediates;
    return !scheduler_.immediates_.empty() || (engine != nullptr && engine->has_any());
}

bool Pump::has_batch() const noexcept {
    const ImmediateSource* const engine = scheduler_.options_.immediates;
    return !batch_.empty() || (engine != nullptr && engine->has_batch());
}

void Pump::take_batch() noexcept {
    if (scheduler_.options_.immediates != nullptr) scheduler_.options_.immediates->take_batch();
    batch_.take_all(scheduler_.immediates_);
}

// Runs some of the engine's immediates: up to the next checkpoint that has work. False: the slice is
// over, also when the engine has been stopped and runs nothing.
bool Pump::run_engine_immediates(ImmediateSource& engine, std::size_t max) {
    JobsRun ran = engine.run_batch(max);
    slice_left_ -= std::min(slice_left_, static_cast<std::uint32_t>(ran.count));
    if (ran.count == 0) slice_left_ = 0;
    owes_checkpoint_ = ran.error == nullptr && ran.count > 0;
    has_last_thrown_ = ran.error != nullptr;
    if (has_last_thrown_) report_error(std::move(ran.error));
    return !is_slice_over();
}

// Runs all timers that are due when the phase begins, list by list.
bool Pump::run_due_timers() {
    TimerLists& timers = scheduler_.timers_;
    if (!is_in_phase_) {
        if (timers.armed() == TimerLists::never) return true;
        phase_tick_ = scheduler_.time_.due(scheduler_.clock_.now());
        if (timers.armed() > phase_tick_) return true;
        timers.disarm();
        is_in_phase_ = true;
    }
    while (next_timer_ != 0 || timers.has_due_list(phase_tick_)) {
        if (!checkpoint_between()) return false;
        while (choose_next_timer()) {
            if (!checkpoint_between()) return false;
            Job* timer = scheduler_.pool_.find(std::exchange(next_timer_, 0));
            if (timer == nullptr) continue;  // The checkpoint cleared it.
            timer->unlink();
            owes_checkpoint_ = run_timer(*timer);
            if (!owes_checkpoint_) choose_timers_anew();
        }
        list_duration_ = 0;
        // Between two lists there is always a checkpoint, even after an exception.
        owes_checkpoint_ = true;
    }
    timers.arm();
    return end_phase();
}

// Chooses the next timer of the list before the checkpoint: if the checkpoint refreshes it, it runs
// nevertheless, as in Node. The first timer of a list, and the timer after an error, are chosen
// after the checkpoint.
bool Pump::choose_next_timer() {
    if (next_timer_ != 0) return true;
    TimerLists& timers = scheduler_.timers_;
    if (!timers.has_due_list(phase_tick_)) return false;
    // Another list starts after the checkpoint.
    if (list_duration_ != 0 && list_duration_ != timers.first_duration()) return false;
    const Job* head = timers.due_head(phase_tick_);
    if (head == nullptr) return false;
    list_duration_ = head->duration;
    next_timer_ = JobPool::id_of(*head);
    return true;
}

// ---- The exit of the program ----

void Pump::before_exit() {
    if (is_stopped_) return;
    scheduler_.is_pumping_ = true;
    slice_left_ = scheduler_.options_.slice;
    guarded([this] { scheduler_.host_.on_before_exit(); });
    do {
        slice_left_ = scheduler_.options_.slice;
    } while (checkpoint() == Step::sliced && !is_stopped_);
    phase_ = Phase::first_timers;
    scheduler_.is_pumping_ = false;
    settle();
}

// Only microtasks still run, and their rejections are reported; after an error that stopped the pump
// not even those.
void Pump::exit() {
    if (is_stopped_for_good_) return;
    scheduler_.is_pumping_ = true;
    scheduler_.is_exiting_ = true;
    const bool is_failed = std::exchange(is_stopped_, false);
    slice_left_ = scheduler_.options_.slice;
    guarded([this] { scheduler_.host_.on_exit(); });
    std::uint64_t left = is_failed ? 0 : jobs_in_checkpoint_max_;
    while (left > 0 && !is_stopped_) {
        slice_left_ = scheduler_.options_.slice;
        if (scheduler_.has_microtask()) {
            run_microtasks(left);
        } else if (report_rejections() != Report::made) {
            break;
        }
    }
    is_stopped_ = true;
    scheduler_.is_pumping_ = false;
    settle();
}

// ---- One job ----

template <class Body>
GYRE_ALWAYS_INLINE bool Pump::guarded(Body body) {
    --slice_left_;
    try {
        body();
        return true;
    } catch (...) {
        report_error(std::current_exception());
        return false;
    }
}

GYRE_ALWAYS_INLINE bool Pump::call(Callback<>& callback, Context context, JobCallbackHooks* hooks) {
    scheduler_.context_ = context;
    return guarded(
        [&] { hooks == nullptr ? callback.call_unshared() : hooks->call(callback, context); });
}

GYRE_ALWAYS_INLINE bool Pump::run_first(JobRing& ring, JobCallbackHooks* hooks) {
    JobCallback& job = ring.first();
    const bool is_fine = call(job.callback, job.context, hooks);
    if (hooks != nullptr) hooks->drop(job.context);
    ring.drop_first(job);
    return is_fine;
}

// Runs the first job of the ring, or some of the engine's, up to the end of the slice. False: the
// last one threw.
GYRE_ALWAYS_INLINE bool Pump::run_jobs(JobSource* engine, JobRing& ring, JobCallbackHooks* hooks,
                                       std::uint64_t& left) {
    if (engine == nullptr) {
        --left;
        return run_first(ring, hooks);
    }
    JobsRun ran = engine->run_some(std::min<std::uint64_t>(left, slice_left_));
    left -= std::min<std::uint64_t>(left, ran.count);
    // An engine that runs nothing although jobs wait gives the slice up; so does one that stopped
    // the pump.
    slice_left_ -= std::min(slice_left_, static_cast<std::uint32_t>(ran.count));
    if (ran.count == 0) slice_left_ = 0;
    if (ran.error == nullptr) return true;
    report_error(std::move(ran.error));
    return false;
}

void Pump::run_microtasks(std::uint64_t& left) {
    const SchedulerOptions& options = scheduler_.options_;
    run_jobs(options.microtasks, scheduler_.microtasks_, options.hooks, left);
}

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

// A timer that became a callback, in profile js2il.
bool Pump::run_promoted(Job& timer) {
    timer.is_running = true;
    const bool is_fine = call(timer.call.callback, timer.call.context, scheduler_.options_.hooks);
    timer.is_running = false;
    if (!timer.is_linked()) scheduler_.end(timer);
    return is_fine;
}

Pump::Report Pump::report_rejections() {
    if (!scheduler_.rejections_.has_due()) return Report::none;
    bool has_reported = false;
    const bool is_fine =
        guarded([&] { has_reported = scheduler_.rejections_.report(scheduler_.host_); });
    if (!is_fine) return Report::threw;
    return has_reported ? Report::made : Report::none;
}

AfterError Pump::report_error(std::exception_ptr error) noexcept {
    AfterError after = AfterError::stop;
    try {
        after = scheduler_.host_.on_error(std::move(error));
        if (after == AfterError::go_on && scheduler_.options_.profile == Profile::node) {
            scheduler_.queue_nothing();
        }
    } catch (...) {
        log(LogLevel::error, "the on_error of the host threw: no job runs any more");
        after = AfterError::stop;
    }
    if (after == AfterError::go_on) return after;
    is_stopped_ = true;
    slice_left_ = 0;
    return after;
}

}  // namespace gyre::job
