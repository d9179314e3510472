// SPDX-License-Identifier: Apache-2.0
// Pump: the machine that runs a scheduler's jobs, as the app of a loop or as a child. Its tick is
// one iteration of the order in job_order.cpp, or the next slice of one that is under way. It waits
// by one timer op for the earliest timer, and keeps the loop alive while a job with a reference is
// pending. It belongs to the loop's thread, and lives shorter than its scheduler and longer than
// the loop.
#pragma once

#include <cstdint>

#include "gyre/job/scheduler.hpp"
#include "gyre/kernel/loop.hpp"

namespace gyre::job {

class Pump final : public Machine {
public:
    explicit Pump(Scheduler& scheduler, const char* name = "jobs");
    ~Pump() override;

    // Once, when the loop is there. The main script, if any, runs in the first tick.
    void start(Callback<> main_script = {});

    // The host asked to stop after an error: no job runs any more.
    [[nodiscard]] bool is_stopped() const noexcept { return is_stopped_; }
    // Whether a job with a reference is pending, or something can run now.
    [[nodiscard]] bool has_life() const noexcept {
        return !is_stopped_ && (scheduler_.wants_life() || scheduler_.is_runnable());
    }
    // How long a host may wait before the next iteration: 0 with runnable work, else until the next
    // timer. Profile js2il clamps it.
    [[nodiscard]] Duration wait_time(Instant now) const noexcept;

    // For run_to_exit: between two runs of the loop, and after the last one.
    void before_exit();
    void exit();

    struct Counts {
        std::uint64_t slices = 0;       // times that an iteration was put off to let the loop turn
        std::uint64_t starvations = 0;  // checkpoints that the starvation limit ended
    };
    [[nodiscard]] const Counts& counts() const noexcept { return counts_; }

private:
    friend class Scheduler;

    enum class Phase : std::uint8_t { main, first_timers, poll, check, close, timers };
    enum class Step : std::uint8_t { done, sliced, threw };

    // pump.cpp: the machine.
    void tick(Instant now) override;
    void on_close() override;
    [[nodiscard]] bool wants_iteration(bool is_rung) const noexcept;
    void run_iteration() noexcept;
    void settle() noexcept;
    [[nodiscard]] bool has_due_timer() const noexcept;
    void wait_for_next_timer() noexcept;
    void keep_loop_alive() noexcept;
    void ask_for_tick() noexcept;
    void open_bell();
    void close_bell();

    // job_order.cpp: the order.
    void iterate_as_node();
    void iterate_as_js2il();
    void enter(Phase phase) noexcept { phase_ = phase; }
    [[nodiscard]] bool run_main();
    [[nodiscard]] bool run_host_callbacks();
    [[nodiscard]] bool run_closings();
    [[nodiscard]] bool run_immediates();
    [[nodiscard]] bool run_due_timers();
    [[nodiscard]] bool choose_next_timer();
    void choose_timers_anew() noexcept {
        next_timer_ = 0;
        list_duration_ = 0;
    }
    [[nodiscard]] bool checkpoint_between();
    [[nodiscard]] bool end_phase();
    [[nodiscard]] bool end_host_phase();
    [[nodiscard]] Step checkpoint();
    void drain_bounded_microtasks();
    [[nodiscard]] Step starve();
    [[nodiscard]] Step slice(std::uint64_t jobs_left) noexcept;

    // internal/running.hpp and running.cpp: one job.
    bool run(JobCallback job);
    bool run_first(JobRing& ring, JobCallbackHooks* hooks);
    [[gnu::always_inline]] inline bool run_next_tick(JobCallbackHooks* hooks);
    [[gnu::always_inline]] inline bool run_next_microtask(JobSource* engine,
                                                          JobCallbackHooks* hooks);
    bool run_immediate(Job& job);
    bool run_timer(Job& job);
    bool run_callback_or_timer(JobCallback next);
    bool call(Callback<>& callback, Context context, JobCallbackHooks* hooks);
    bool report_rejections();
    void report_error() noexcept;
    // False: it threw, and the host was told.
    template <class Body>
    bool guarded(Body body);
    // An iteration has begun and not ended.
    [[nodiscard]] bool is_under_way() const noexcept {
        return is_in_phase_ || phase_ == Phase::main || phase_ == Phase::check;
    }
    [[nodiscard]] bool is_slice_over() const noexcept { return slice_left_ == 0; }
    void end_checkpoint() noexcept { jobs_left_in_checkpoint_ = jobs_in_checkpoint_max_; }

    Scheduler& scheduler_;
    Callback<> main_script_;

    Phase phase_ = Phase::poll;
    bool is_in_phase_ = false;             // under way, across a slice
    bool owes_checkpoint_ = false;         // a member of the phase has run
    bool has_last_thrown_ = false;         // the last member did
    bool is_draining_microtasks_ = false;  // a checkpoint has done its ticks
    bool is_started_ = false;
    bool is_stopped_ = false;
    bool is_closing_ = false;
    std::uint32_t slice_left_ = 0;
    const std::uint64_t jobs_in_checkpoint_max_;
    std::uint64_t jobs_left_in_checkpoint_ = jobs_in_checkpoint_max_;
    JobId next_timer_ = 0;              // of a phase of timers
    std::int64_t list_duration_ = 0;    // of the list under way in it
    std::int64_t phase_tick_ = 0;       // the time of a phase of timers
    std::size_t callbacks_left_ = 0;    // of a poll phase
    JobQueue batch_;                    // the immediates of a check phase
    std::vector<JobCallback> closing_;  // of a close phase
    Counts counts_;

    WakeOp wake_;    // other threads ring it
    WakeOp alive_;   // in flight while a reference wants the loop to stay
    TimerOp timer_;  // for the earliest timer
};

}  // namespace gyre::job
