// SPDX-License-Identifier: Apache-2.0
// Scheduler: the queues of a language's callbacks: ticks, microtasks, immediates, timers, host
// callbacks and rejected promises. A Pump runs them, in the order that pump_order.cpp shows.
//
//     job::Scheduler scheduler(clock, host);
//     job::JobId timer = scheduler.set_timeout([] { puts("later"); }, 5ms);
//     scheduler.queue_microtask([] { puts("first"); });
//     scheduler.clear_timeout(timer);
//
// Thread: the pump's; any for `post`, `post_clear` and `wake`, which wake a waiting pump.
// Lifetime: it outlives its pump; the clock, the host and the hooks outlive it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <type_traits>
#include <utility>
#include <vector>

#include "gyre/job/detail/job.hpp"
#include "gyre/job/detail/timer_lists.hpp"
#include "gyre/job/host.hpp"
#include "gyre/kernel/clock.hpp"
#include "gyre/kernel/standing_op.hpp"

namespace gyre::job {

class Pump;

struct SchedulerOptions {
    Profile profile = Profile::node;
    // Without hooks a job runs in the context that it was queued in.
    JobCallbackHooks* hooks = nullptr;
    // An engine's own queue of microtasks; without it the scheduler has one.
    JobSource* microtasks = nullptr;

    // Jobs after which the loop may run everything that is not script. In profile js2il the number
    // of immediates in an iteration, and of microtasks in a checkpoint.
    std::uint32_t slice = 1024;
    // Jobs of one checkpoint after which host callbacks run nevertheless (profile node). 0: never.
    std::uint64_t starvation_limit = 10'000'000;
    // The maximum of Pump::wait_time in profile js2il. The loop itself waits for the next timer.
    Duration wait_max = std::chrono::milliseconds(50);
    // Jobs that may wait in one queue; a power of two.
    std::size_t queue_size_max = std::size_t{1} << 26u;
};

class Scheduler final : public PromiseHost {
public:
    Scheduler(Clock& clock, Host& host, SchedulerOptions options = {});
    ~Scheduler() override;
    Scheduler(const Scheduler&) = delete;
    Scheduler& operator=(const Scheduler&) = delete;

    // Any thread: queues a host callback, such as the completion of an operation. It waits for the
    // start of the pump.
    void post(Callback<> callback);
    // Any thread: clears a timer or an immediate, if it has not ended.
    void post_clear(JobId id);
    // Any thread: causes an iteration, even when there is nothing to run.
    void wake();

    // As post, for the pump's thread and cheaper.
    void queue_callback(Callback<> callback) {
        GYRE_ASSERT(callback, "an empty callback cannot be queued");
        push(callbacks_, std::move(callback));
    }
    // Queues a close callback: runs after the immediates of its iteration, the last one first. In
    // profile js2il it is a host callback.
    void queue_close(Callback<> callback);
    template <class Callable>
    void next_tick(Callable&& callable) {
        if (is_exiting_) return;
        push(options_.profile == Profile::node ? ticks_ : microtasks_,
             std::forward<Callable>(callable));
    }
    template <class Callable>
    void queue_microtask(Callable&& callable) {
        GYRE_ASSERT(options_.microtasks == nullptr,
                    "an engine keeps the microtasks: queue the microtask there");
        push(microtasks_, std::forward<Callable>(callable));
    }

    JobId set_immediate(Callback<> callback);
    JobId set_timeout(Callback<> callback, Duration delay) {
        return start_timer(std::move(callback), delay, Job::Kind::timeout);
    }
    JobId set_interval(Callback<> callback, Duration period) {
        return start_timer(std::move(callback), period, Job::Kind::interval);
    }
    template <class Callable, class... Args>
        requires(sizeof...(Args) > 0)
    JobId set_timeout(Callable callable, Duration delay, Args... args) {
        return set_timeout([callable = std::move(callable),
                            ... args = std::move(args)]() mutable { callable(args...); },
                           delay);
    }
    // Converts JavaScript's number of milliseconds; handles NaN and infinity.
    [[nodiscard]] static Duration delay_of(double milliseconds) noexcept;

    // No effect for an id that has ended, or of another kind of job. In profile node the first two
    // are the same; in profile js2il clear_interval clears intervals only.
    void clear_timeout(JobId id);
    void clear_interval(JobId id);
    void clear_immediate(JobId id);

    // Restarts a timer from now, behind the others of its duration; a running timer then runs once
    // more. False when the id names no waiting or running timer.
    bool refresh(JobId id);

    // Whether the job keeps the loop alive (the default).
    void set_ref(JobId id, bool has_ref);
    [[nodiscard]] bool has_ref(JobId id) const noexcept;
    // Keeps the loop alive for a later post; call release as often as hold.
    void hold() { change_holds(+1); }
    void release() { change_holds(-1); }

    // The context of the running job; each job that it queues gets it.
    [[nodiscard]] Context context() const noexcept { return context_; }
    void set_context(Context context) noexcept { context_ = context; }

    [[nodiscard]] Profile profile() const noexcept { return options_.profile; }
    // Waiting timers, without a running one.
    [[nodiscard]] std::size_t timer_count() const noexcept { return timer_count_; }

    // As PromiseHost; an engine reports its rejections here too.
    [[nodiscard]] PromiseId next_promise_id() noexcept override { return ++last_promise_id_; }
    [[nodiscard]] Context make_context() override {
        return options_.hooks == nullptr ? context_ : options_.hooks->make(context_);
    }
    void drop_context(Context context) noexcept override {
        if (options_.hooks != nullptr) options_.hooks->drop(context);
    }
    void enqueue_promise_job(Callback<> job, Context context) override;
    void track_rejected(PromiseId promise, std::any reason) override;
    void track_handled(PromiseId promise) override;
    void forget(PromiseId promise) noexcept override { rejections_.forget(promise); }

private:
    friend class Pump;

    // A post or post_clear from another thread.
    struct Arrival {
        Callback<> callback;  // empty: clears `id`
        JobId id = 0;
    };

    template <class Callable>
    void push(JobRing& ring, Callable&& callable) {
        ring.push(std::forward<Callable>(callable), make_context());
        if (!is_pumping_) ask_for_tick();
    }
    void ask_for_tick();
    void add_arrival(Arrival arrival);
    void take_arrivals();

    JobId start_timer(Callback<>&& callback, Duration delay, Job::Kind kind);
    [[nodiscard]] std::int64_t ticks_of(Duration delay) const noexcept;
    [[nodiscard]] std::int64_t start_tick() noexcept;
    void clear(Job& job) noexcept;
    void count_ref(const Job& job, int by) noexcept;
    void change_holds(int by);
    void drop_all(JobRing& ring) noexcept;

    // For the pump. A job ends once: by its last run, or when it is cleared.
    void end(Job& job) noexcept;
    void start_again(Job& timer, std::int64_t start);
    void withdraw(Job& timer) noexcept;
    void queue_nothing();
    void promote(Job& timer);
    [[nodiscard]] Job* promoted(const JobCallback& callback) const noexcept;
    [[nodiscard]] bool has_microtask(const JobSource* engine) const noexcept {
        return engine == nullptr ? !microtasks_.empty() : engine->pending() > 0;
    }
    [[nodiscard]] bool has_microtask() const noexcept { return has_microtask(options_.microtasks); }
    [[nodiscard]] bool has_checkpoint_work() const noexcept {
        return !ticks_.empty() || has_microtask() || rejections_.has_due();
    }
    // Whether a job must run now, without regard to the time.
    [[nodiscard]] bool is_runnable() const noexcept {
        return !callbacks_.empty() || !closings_.empty() || immediate_refs_ > 0 ||
               has_checkpoint_work();
    }
    [[nodiscard]] bool wants_life() const noexcept { return timer_refs_ + holds_ > 0; }

    Clock& clock_;
    Host& host_;
    const SchedulerOptions options_;
    Pump* pump_ = nullptr;
    bool is_pumping_ = false;
    bool is_exiting_ = false;
    Context context_ = nullptr;

    JobRing ticks_;
    JobRing microtasks_;
    JobRing callbacks_;  // of the host; in profile js2il also due timers: without a callback,
                         // the id in place of the context
    std::vector<JobCallback> closings_;
    JobPool pool_;
    JobQueue immediates_;
    TimerLists timers_;
    JobTime time_;
    Rejections rejections_;
    PromiseId last_promise_id_ = 0;

    std::size_t timer_count_ = 0;
    std::size_t timer_refs_ = 0;
    std::size_t immediate_refs_ = 0;
    std::size_t holds_ = 0;

    std::mutex arrivals_mutex_;  // guards the next two
    std::vector<Arrival> arrivals_;
    WakeOp* bell_ = nullptr;      // of the pump, while it is open
    std::vector<Arrival> taken_;  // its capacity is reused by the next take_arrivals
};

}  // namespace gyre::job
