// SPDX-License-Identifier: Apache-2.0
#include "gyre/job/pump.hpp"

#include <algorithm>
#include <limits>

#include "gyre/kernel/detail/turn_share.hpp"

namespace gyre::job {

namespace {

std::uint64_t limit_of(const SchedulerOptions& options) noexcept {
    constexpr auto none = std::numeric_limits<std::uint64_t>::max();
    return options.starvation_limit == 0 ? none : options.starvation_limit;
}

}  // namespace

Pump::Pump(Scheduler& scheduler, const char* name)
    : Machine(name),
      scheduler_(scheduler),
      share_(std::make_unique<TurnShare>(scheduler.options_.time_per_turn_max)),
      jobs_in_checkpoint_max_(limit_of(scheduler.options_)) {
    GYRE_ASSERT(scheduler_.pump_ == nullptr, "a scheduler has one pump: make another scheduler");
    scheduler_.pump_ = this;
    wake_.set_background(true);
    timer_.set_background(true);
}

Pump::~Pump() {
    scheduler_.immediates_.take_all(batch_);
    for (const JobCallback& left : closing_) scheduler_.drop_context(left.context);
    scheduler_.pump_ = nullptr;
}

void Pump::start(Callback<> main_script) {
    GYRE_ASSERT(is_attached(), "start the pump when it is attached to a loop");
    GYRE_ASSERT(!is_started_, "start a pump once");
    is_started_ = true;
    thread_ = std::this_thread::get_id();
    main_script_ = std::move(main_script);
    if (main_script_) phase_ = Phase::main;
    open_bell();
    tick_again();
}

// Posts from before the start ring at once.
void Pump::open_bell() {
    const std::lock_guard lock(scheduler_.arrivals_mutex_);
    submit(wake_);
    scheduler_.bell_ = &wake_;
    const bool is_asked = scheduler_.is_woken_ || scheduler_.is_stop_asked_;
    if (is_asked || !scheduler_.arrivals_.empty()) wake_.ring();
}

void Pump::close_bell() {
    const std::lock_guard lock(scheduler_.arrivals_mutex_);
    scheduler_.bell_ = nullptr;
}

void Pump::stop() {
    {
        const std::lock_guard lock(scheduler_.arrivals_mutex_);
        scheduler_.is_stop_asked_ = true;
        if (scheduler_.bell_ != nullptr) scheduler_.bell_->ring();
    }
    if (thread_ == std::this_thread::get_id()) stop_now();
}

void Pump::stop_now() noexcept {
    is_stopped_for_good_ = true;
    is_stopped_ = true;
    slice_left_ = 0;
}

void Pump::tick(Instant /*now*/) {
    if (share_->is_spent(loop())) {  // Timers, I/O and other machines of the loop go first.
        tick_again();
        return;
    }
    while (const Op* op = next_completion()) {
        if (op == &timer_) timer_cause_ = op->as_cause();
    }
    bool has_arrivals = false;
    while (const Op* op = next_notification()) {
        has_arrivals = true;
        wake_cause_ = op->as_cause();
    }
    if (is_closing_ || !is_started_) return;
    if (has_arrivals) scheduler_.take_arrivals();
    is_rung_ = is_rung_ || has_arrivals;
    if (run_lone_checkpoint()) return settle();
    if (wants_iteration()) {
        is_rung_ = false;
        run_iteration();
    } else if (phase_ == Phase::first_timers) {
        enter(Phase::poll);
    }
    settle();
}

// Not every tick is an iteration: an op may have completed.
bool Pump::wants_iteration() const noexcept {
    if (is_stopped_) return false;
    if (is_rung_ || is_under_way() || scheduler_.is_runnable()) return true;
    if (phase_ != Phase::first_timers && !has_due_timer()) return false;
    // Unreferenced jobs run only while something else keeps the loop alive.
    return has_life() || has_other_life();
}

void Pump::run_iteration() noexcept {
    GYRE_ASSERT(!scheduler_.is_pumping_,
                "a job turned the loop that runs it: return to the loop instead");
    scheduler_.is_pumping_ = true;
    slice_left_ = scheduler_.options_.slice;
    if (scheduler_.options_.profile == Profile::node) {
        share_->begin(loop());
        iterate_as_node();
        while (is_under_way() && begins_another_slice()) iterate_as_node();
        if (is_under_way()) ++counts_.slices;
    } else {
        iterate_as_js2il();
    }
    scheduler_.is_pumping_ = false;
}

// Whether this tick goes on: in real time, until the pump has had its share of the turn.
bool Pump::begins_another_slice() noexcept {
    if (is_stopped_ || !share_->is_timed(loop()) || share_->is_used_up(loop())) return false;
    slice_left_ = scheduler_.options_.slice;
    return true;
}

// A promise was settled outside of a job, between two iterations: its jobs run, and nothing else of
// an iteration. True: the slice is over before they have.
bool Pump::run_lone_checkpoint() noexcept {
    const bool is_asked = std::exchange(scheduler_.wants_checkpoint_, false);
    if (is_asked && !is_under_way() && scheduler_.has_checkpoint_work()) is_lone_checkpoint_ = true;
    if (is_stopped_ || !is_lone_checkpoint_) return false;
    scheduler_.is_pumping_ = true;
    slice_left_ = scheduler_.options_.slice;
    if (scheduler_.options_.profile == Profile::js2il) {
        drain_bounded_microtasks();
        is_lone_checkpoint_ = false;
    } else {
        share_->begin(loop());
        do {
            is_lone_checkpoint_ = checkpoint() == Step::sliced;
        } while (is_lone_checkpoint_ && begins_another_slice());
    }
    scheduler_.is_pumping_ = false;
    if (is_lone_checkpoint_) ++counts_.slices;
    return is_lone_checkpoint_;
}

// After a tick: asks for another one, or waits for the earliest timer.
void Pump::settle() noexcept {
    if (is_closing_ || !is_started_) return;
    const bool has_begun = is_under_way() || phase_ == Phase::first_timers;
    if (!is_stopped_ && (has_begun || is_rung_ || scheduler_.is_runnable())) tick_again();
    keep_loop_alive();
    wait_for_next_timer();
}

void Pump::keep_loop_alive() noexcept {
    const bool wants_life = !is_stopped_ && scheduler_.wants_life();
    if (wants_life && !alive_.is_in_flight()) submit(alive_);
    if (!wants_life && alive_.is_in_flight()) cancel(alive_);
}

// Whether ops of others keep the loop alive.
bool Pump::has_other_life() const noexcept {
    return loop().ops_in_foreground() > (alive_.is_in_flight() ? 1u : 0u);
}

bool Pump::has_due_timer() const noexcept {
    const std::int64_t armed = scheduler_.timers_.armed();
    if (armed == TimerLists::never) return false;
    return armed <= scheduler_.time_.due(scheduler_.clock_.now());
}

// A timer op that is too early stays: its tick finds no due timer and waits again.
void Pump::wait_for_next_timer() noexcept {
    const std::int64_t armed = scheduler_.timers_.armed();
    if (is_stopped_ || armed == TimerLists::never) return;
    const Instant due_at = scheduler_.time_.instant_of(armed);
    if (!timer_.is_in_flight()) {
        timer_.deadline = due_at;
        submit(timer_);
    } else if (due_at < timer_.deadline) {
        cancel(timer_);  // It completes at once, and is submitted again.
    }
}

Cause Pump::cause() const noexcept {
    switch (phase_) {
        case Phase::first_timers:
        case Phase::timers:
            return timer_cause_;
        case Phase::poll:
            return wake_cause_;
        default:
            return {};
    }
}

void Pump::ask_for_tick() noexcept {
    if (is_started_ && !is_closing_) tick_again();
}

Duration Pump::wait_time(Instant now) const noexcept {
    const Duration longest = scheduler_.options_.profile == Profile::js2il
                                 ? scheduler_.options_.wait_max
                                 : Duration::max();
    if (is_under_way() || scheduler_.is_runnable() || scheduler_.has_arrivals()) return Duration(0);
    if (scheduler_.timers_.empty()) return longest;
    const Instant due_at = scheduler_.time_.instant_of(scheduler_.timers_.next_expiry());
    return std::clamp(due_at - now, Duration(0), longest);
}

void Pump::on_close() {
    is_closing_ = true;
    close_bell();
    cancel(wake_);
    cancel(alive_);
    cancel(timer_);
}

Loop::End run_to_exit(Loop& loop, Pump& pump) {
    do {
        const Loop::End end = loop.run();
        if (end != Loop::End::idle) return end;
        pump.before_exit();
        // Turns until the ops of on_before_exit are submitted: then is_alive is exact.
        while (loop.has_ready_work() && !pump.has_life()) loop.turn();
    } while (loop.is_alive());
    pump.exit();
    return Loop::End::idle;
}

}  // namespace gyre::job
