// SPDX-License-Identifier: Apache-2.0
#include "gyre/job/pump.hpp"

#include <algorithm>
#include <limits>

namespace gyre::job {

namespace {

std::uint64_t limit_of(const SchedulerOptions& options) noexcept {
    constexpr auto none = std::numeric_limits<std::uint64_t>::max();
    return options.starvation_limit == 0 ? none : options.starvation_limit;
}

}  // namespace

Pump::Pump(Scheduler& scheduler, const char* name)
    : Machine(name), scheduler_(scheduler), jobs_in_checkpoint_max_(limit_of(scheduler.options_)) {
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
    if (!scheduler_.arrivals_.empty()) wake_.ring();
}

void Pump::close_bell() {
    const std::lock_guard lock(scheduler_.arrivals_mutex_);
    scheduler_.bell_ = nullptr;
}

void Pump::tick(Instant /*now*/) {
    while (next_completion() != nullptr) continue;
    bool is_rung = false;
    while (next_notification() != nullptr) is_rung = true;
    if (is_closing_ || !is_started_) return;
    if (is_rung) scheduler_.take_arrivals();
    if (wants_iteration(is_rung)) {
        run_iteration();
    } else if (phase_ == Phase::first_timers) {
        enter(Phase::poll);
    }
    settle();
}

// Not every tick is an iteration: an op may have completed.
bool Pump::wants_iteration(bool is_rung) const noexcept {
    if (is_stopped_) return false;
    if (is_rung || is_under_way() || scheduler_.is_runnable()) return true;
    if (phase_ != Phase::first_timers && !has_due_timer()) return false;
    // Unreferenced jobs run only while something else keeps the loop alive.
    return has_life() || loop().is_alive();
}

void Pump::run_iteration() noexcept {
    GYRE_ASSERT(!scheduler_.is_pumping_,
                "a job turned the loop that runs it: return to the loop instead");
    scheduler_.is_pumping_ = true;
    slice_left_ = scheduler_.options_.slice;
    if (scheduler_.options_.profile == Profile::node) {
        iterate_as_node();
        if (is_under_way()) ++counts_.slices;
    } else {
        iterate_as_js2il();
    }
    scheduler_.is_pumping_ = false;
}

// After a tick: asks for another one, or waits for the earliest timer.
void Pump::settle() noexcept {
    if (is_closing_ || !is_started_) return;
    const bool has_begun = is_under_way() || phase_ == Phase::first_timers;
    if (!is_stopped_ && (has_begun || scheduler_.is_runnable())) tick_again();
    keep_loop_alive();
    wait_for_next_timer();
}

void Pump::keep_loop_alive() noexcept {
    const bool wants_life = !is_stopped_ && scheduler_.wants_life();
    if (wants_life && !alive_.is_in_flight()) submit(alive_);
    if (!wants_life && alive_.is_in_flight()) cancel(alive_);
}

bool Pump::has_due_timer() const noexcept {
    return scheduler_.timers_.has_due_list(scheduler_.time_.due(scheduler_.clock_.now()));
}

// A timer op that is too early stays: its tick finds no due timer and waits again.
void Pump::wait_for_next_timer() noexcept {
    if (is_stopped_ || scheduler_.timers_.empty()) return;
    const Instant due_at = scheduler_.time_.instant_of(scheduler_.timers_.next_expiry());
    if (!timer_.is_in_flight()) {
        timer_.deadline = due_at;
        submit(timer_);
    } else if (due_at < timer_.deadline) {
        cancel(timer_);  // It completes at once, and is submitted again.
    }
}

void Pump::ask_for_tick() noexcept {
    if (is_started_ && !is_closing_) tick_again();
}

Duration Pump::wait_time(Instant now) const noexcept {
    const Duration longest = scheduler_.options_.profile == Profile::js2il
                                 ? scheduler_.options_.wait_max
                                 : Duration::max();
    if (is_under_way() || scheduler_.is_runnable()) return Duration(0);
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
