// SPDX-License-Identifier: Apache-2.0
// Pump: the machine that runs the jobs of a Scheduler, as the app of a loop or as a child of it. A
// tick is one iteration of the order in pump_order.cpp, or the next slice of an iteration. It waits
// for the earliest timer with one timer op, and keeps the loop alive while a referenced job waits.
// Also here: run_to_exit, which runs a program of jobs to its end.
//
//     job::Pump pump(scheduler);
//     Loop loop(*platform, pump);
//     pump.start([&] { scheduler.set_timeout([] { puts("hello"); }, 5ms); });
//     job::run_to_exit(loop, pump);
//
// Thread: the loop's; any for `stop`.
// Lifetime: the scheduler outlives it; it outlives the loop.
#pragma once

#include <cstdint>
#include <memory>
#include <thread>

#include "gyre/job/scheduler.hpp"
#include "gyre/kernel/loop.hpp"

namespace gyre {
class TurnShare;
}

namespace gyre::job {

class Pump final : public Machine {
public:
    explicit Pump(Scheduler& scheduler, const char* name = "jobs");
    ~Pump() override;

    // Call it once, when the pump is attached to a loop. The main script runs in the first tick.
    void start(Callback<> main_script = {});

    // Any thread: no job runs any more, neither does on_exit. The running job ends first; from
    // another thread the current slice does, too.
    void stop();
    // By stop, or by the host after an error.
    [[nodiscard]] bool is_stopped() const noexcept { return is_stopped_; }
    // Whether a referenced job waits, or a job can run now.
    [[nodiscard]] bool has_life() const noexcept {
        return !is_stopped_ && (scheduler_.wants_life() || scheduler_.is_runnable());
    }
    // How long a host may wait before the next iteration: 0 with runnable jobs and posts, else until
    // the next timer; in profile js2il at most SchedulerOptions::wait_max.
    [[nodiscard]] Duration wait_time(Instant now) const noexcept;

    // The op that caused the jobs of the current phase: the timer for timers, the wake for host
    // callbacks; none for the main script and for jobs that a job queued.
    [[nodiscard]] Cause cause() const noexcept;
    // The observer of the loop; null without one.
    [[nodiscard]] Observer* observer() const noexcept {
        return is_attached() ? loop().observer() : nullptr;
    }

    // For run_to_exit: between two runs of the loop, and after the last one.
    void before_exit();
    void exit();

    struct Counts {
        std::uint64_t slices = 0;       // iterations interrupted to let the loop turn
        std::uint64_t starvations = 0;  // checkpoints that the starvation limit ended
    };
    [[nodiscard]] const Counts& counts() const noexcept { return counts_; }

private:
    friend class Scheduler;

    enum class Phase : std::uint8_t { main, first_timers, poll, check, close, timers };
    enum class Step : std::uint8_t { done, sliced, threw };
    enum class Report : std::uint8_t { none, made, threw };

    // pump.cpp: the machine.
    void tick(Instant now) override;
    void on_close() override;
    [[nodiscard]] bool wants_iteration() const noexcept;
    void run_iteration() noexcept;
    [[nodiscard]] bool begins_another_slice() noexcept;
    [[nodiscard]] bool run_lone_checkpoint() noexcept;
    void stop_now() noexcept;
    void settle() noexcept;
    [[nodiscard]] bool has_due_timer() const noexcept;
    void wait_for_next_timer() noexcept;
    [[nodiscard]] bool has_other_life() const noexcept;
    void keep_loop_alive() noexcept;
    void ask_for_tick() noexcept;
    void open_bell();
    void close_bell();

    // pump_order.cpp: the order.
    void iterate_as_node();
    void enter(Phase phase) noexcept { phase_ = phase; }
    [[nodiscard]] bool run_main();
    [[nodiscard]] bool run_host_callbacks();
    [[nodiscard]] bool run_closings();
    [[nodiscard]] bool run_immediates();
    [[nodiscard]] bool has_immediates() const noexcept;
    [[nodiscard]] bool has_batch() const noexcept;
    void take_batch() noexcept;
    bool run_engine_immediates(ImmediateSource& engine, std::size_t max);
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
    [[nodiscard]] Step starve();
    [[nodiscard]] Step slice(std::uint64_t jobs_left) noexcept;

    // Also there: one job. False: it threw, and the error was reported to the host.
    template <class Body>
    bool guarded(Body body);
    bool call(Callback<>& callback, Context context, JobCallbackHooks* hooks);
    bool run_first(JobRing& ring, JobCallbackHooks* hooks);
    bool run_jobs(JobSource* engine, JobRing& ring, JobCallbackHooks* hooks, std::uint64_t& left);
    void run_microtasks(std::uint64_t& left);
    bool run(JobCallback job);
    bool run_immediate(Job& job);
    bool run_timer(Job& job);
    bool run_promoted(Job& timer);
    Report report_rejections();
    AfterError report_error(std::exception_ptr error) noexcept;

    // pump_js2il.cpp: the order of profile js2il.
    void iterate_as_js2il();
    bool run_callback_or_timer(JobCallback next);
    void drain_bounded_microtasks();

    // An iteration has started and not ended.
    [[nodiscard]] bool is_under_way() const noexcept {
        return is_in_phase_ || phase_ == Phase::main || phase_ == Phase::check ||
               is_lone_checkpoint_;
    }
    [[nodiscard]] bool is_slice_over() const noexcept { return slice_left_ == 0; }
    Step end_checkpoint(Step step) noexcept {
        jobs_left_in_checkpoint_ = jobs_in_checkpoint_max_;
        return step;
    }

    Scheduler& scheduler_;
    Callback<> main_script_;
    std::thread::id thread_;  // of the loop, from `start` on

    Phase phase_ = Phase::poll;
    bool is_in_phase_ = false;             // the phase continues in the next slice
    bool owes_checkpoint_ = false;         // a callback of the phase has run
    bool has_last_thrown_ = false;         // the last callback of the phase did
    bool is_draining_microtasks_ = false;  // the checkpoint has run its ticks
    bool is_lone_checkpoint_ = false;      // a checkpoint outside of an iteration is under way
    bool is_rung_ = false;                 // a wake asks for an iteration
    bool is_started_ = false;
    bool is_stopped_ = false;
    bool is_stopped_for_good_ = false;  // by stop: on_exit does not run
    bool is_closing_ = false;
    std::uint32_t slice_left_ = 0;
    const std::unique_ptr<TurnShare> share_;
    const std::uint64_t jobs_in_checkpoint_max_;
    std::uint64_t jobs_left_in_checkpoint_ = jobs_in_checkpoint_max_;
    JobId next_timer_ = 0;              // of a timer phase
    std::int64_t list_duration_ = 0;    // of the current list in it
    std::int64_t phase_tick_ = 0;       // the time of a timer phase
    std::size_t callbacks_left_ = 0;    // of a poll phase
    JobQueue batch_;                    // the immediates of a check phase
    std::vector<JobCallback> closing_;  // of a close phase
    Counts counts_;
    Cause timer_cause_;  // of the last completed timer op
    Cause wake_cause_;   // of the last wake

    WakeOp wake_;    // rung by other threads
    WakeOp alive_;   // in flight while a referenced job waits: keeps the loop alive
    TimerOp timer_;  // for the earliest timer
};

// Runs the loop until it has no more work, then calls the host's on_before_exit, and repeats while
// that starts new work; calls on_exit at the end. Returns at once when the loop is stopped, or
// stuck in simulated time: the next run continues. When the host's on_error stops the pump, on_exit
// is called too, but no microtask runs after it. On the loop's thread.
Loop::End run_to_exit(Loop& loop, Pump& pump);

}  // namespace gyre::job
