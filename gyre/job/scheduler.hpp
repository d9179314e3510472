// SPDX-License-Identifier: Apache-2.0
// Scheduler: the queues of a language's callbacks: ticks, microtasks, immediates, timers, host
// callbacks and rejected promises. A Pump runs them, in the order that pump_order.cpp shows.
//
//     job::Scheduler scheduler(clock, host);
//     job::JobId timer = scheduler.set_timeout([] { puts("later"); }, 5ms);
//     scheduler.queue_microtask([] { puts("first"); });
//     scheduler.clear_timeout(timer);
//
// Thread: the pump's; any for `wake` and the functions named `post`, which wake a waiting pump.
// Lifetime: it outlives its pump; the clock, the host and the hooks outlive it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
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
    // An engine's own queues of microtasks and of ticks; without them the scheduler has its own.
    // In profile js2il a tick is a microtask.
    JobSource* microtasks = nullptr;
    JobSource* ticks = nullptr;
    // An engine's own immediates; those of the scheduler run after them in each check phase.
    ImmediateSource* immediates = nullptr;

    // Jobs after which the loop may run everything that is not script. In profile js2il the number
    // of immediates in an iteration, and of microtasks in a checkpoint.
    std::uint32_t slice = 1024;
    // Slices follow each other for this long in one turn of the loop (profile node); 0: one follows in the next round of
    // the turn. Not counted on a simulated platform.
    Duration time_per_turn_max = std::chrono::microseconds(1500);
    // Jobs of one checkpoint after which host callbacks run nevertheless (profile node). 0: never.
    std::uint64_t starvation_limit = 10'000'000;
    // The maximum of Pump::wait_time in profile js2il. The loop itself waits for the next timer.
    Duration wait_max = std::chrono::milliseconds(50);
    // Jobs that may wait in one queue, close callbacks included; a power of two. One more is a
    // LimitError.
    std::size_t queue_size_max = std::size_t{1} << 20u;
    // Timers and immediates that may wait; rounded up to a multiple of 256.
    std::size_t job_count_max = std::size_t{1} << 20u;
    // Rejections that may wait for their report. Further ones are dropped, and Host::on_error is told
    // by a LimitError.
    std::size_t rejection_count_max = std::size_t{1} << 20u;
    // Posts of other threads that may wait until the pump takes them.
    std::size_t post_count_max = std::size_t{1} << 20u;
};

class Scheduler final : public PromiseHost {
public:
    Scheduler(Clock& clock, Host& host, SchedulerOptions options = {});
    ~Scheduler() override;
    Scheduler(const Scheduler&) = delete;
    Scheduler& operator=(const Scheduler&) = delete;

    // Any thread: queues a host callback, such as the completion of an operation. It waits for the
    // start of the pump. False: post_count_max posts wait, and this one is dropped.
    bool post(Callback<> callback);
    // Any thread: starts a timer when the pump takes the post, or queues an immediate or a
    // microtask. The id is for post_clear, and for the functions below. 0: as false of `post`.
    JobId post_timeout(Callback<> callback, Duration delay);
    JobId post_interval(Callback<> callback, Duration period);
    JobId post_immediate(Callback<> callback);
    JobId post_microtask(Callback<> callback);
    // Any thread: clears a timer, an immediate or a posted microtask, if it has not ended.
    bool post_clear(JobId id);
    // Any thread: causes an iteration, even when there is nothing to run.
    void wake();

    // As post, for the pump's thread and cheaper.
    void queue_callback(Callback<> callback) {
        GYRE_ASSERT(callback, "an empty callback cannot be queued");
        callbacks_.push(std::move(callback), make_context());
        if (!is_pumping_) ask_for_tick();
    }
    // Queues a close callback: runs after the immediates of its iteration, the last one first. In
    // profile js2il it is a host callback.
    void queue_close(Callback<> callback);
    template <class Callable>
    void next_tick(Callable&& callable) {
        if (is_exiting_) return;
        if (options_.profile == Profile::js2il) {
            return queue_microtask(std::forward<Callable>(callable));
        }
        push(ticks_, options_.ticks, std::forward<Callable>(callable));
    }
    template <class Callable>
    void queue_microtask(Callable&& callable) {
        push(microtasks_, options_.microtasks, std::forward<Callable>(callable));
    }
    // After an engine has queued jobs outside of a job, by settling a promise: a checkpoint comes
    // soon, and nothing else of an iteration.
    void request_checkpoint() {
        wants_checkpoint_ = true;
        ask_for_tick();
    }

    // The next three return 0 when job_count_max timers and immediates wait.
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

    // For an engine that has caught the error of the running job itself: calls the host's on_error,
    // and stops the pump if the host says so.
    AfterError report_error(std::exception_ptr error) noexcept;

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

private:
    friend class Pump;

    // A post from another thread.
    struct Arrival {
        enum class Kind : std::uint8_t { callback, microtask, immediate, timeout, interval, clear };
        Kind kind;
        Callback<> callback;
        Duration delay{0};
        JobId id = 0;
    };

    // Into the engine's queue where there is one. Outside of a job a checkpoint follows.
    template <class Callable>
    void push(JobRing& ring, JobSource* engine, Callable&& callable) {
        if (engine == nullptr) [[likely]] {
            ring.push(std::forward<Callable>(callable), make_context());
        } else {
            push_to_engine(*engine, std::forward<Callable>(callable));
        }
        if (!is_pumping_) request_checkpoint();
    }
    void push_to_engine(JobSource& engine, Callback<> callback);
    void ask_for_tick();

    // scheduler_post.cpp: the posts of other threads.
    JobId add_posted_job(Arrival::Kind kind, Callback<>&& callback, Duration delay);
    [[nodiscard]] bool add_arrival(Arrival arrival, JobId& id);
    void take_arrivals();
    void take(Arrival& arrival);
    void take_microtask(Arrival& arrival);
    void report_full() noexcept;
    void clear_posted(JobId id);
    [[nodiscard]] bool has_arrivals() const;
    // By an id of either kind; null when the job has ended.
    [[nodiscard]] Job* find(JobId id) const noexcept;

    [[nodiscard]] Job* new_job(Callback<>&& callback, Job::Kind kind);
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
    [[nodiscard]] bool has_tick(const JobSource* engine) const noexcept {
        return engine == nullptr ? !ticks_.empty() : engine->pending() > 0;
    }
    [[nodiscard]] bool has_checkpoint_work() const noexcept {
        return has_tick(options_.ticks) || has_microtask() || rejections_.has_due();
    }
    [[nodiscard]] bool has_referenced_immediate() const noexcept {
        const ImmediateSource* const engine = options_.immediates;
        return immediate_refs_ > 0 || (engine != nullptr && engine->reference_count() > 0);
    }
    // Whether a job must run now, without regard to the time.
    [[nodiscard]] bool is_runnable() const noexcept {
        return !callbacks_.empty() || !closings_.empty() || has_referenced_immediate() ||
               has_checkpoint_work();
    }
    [[nodiscard]] bool wants_life() const noexcept { return timer_refs_ + holds_ > 0; }

    Clock& clock_;
    Host& host_;
    const SchedulerOptions options_;
    Pump* pump_ = nullptr;
    bool is_pumping_ = false;
    bool is_exiting_ = false;
    bool wants_checkpoint_ = false;
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
    Rejections rejections_{options_.rejection_count_max};
    PromiseId last_promise_id_ = 0;

    std::size_t timer_count_ = 0;
    std::size_t timer_refs_ = 0;
    std::size_t immediate_refs_ = 0;
    std::size_t holds_ = 0;

    // Of the jobs that other threads posted, by the ids that those got.
    std::unordered_map<JobId, JobId> posted_jobs_;
    std::unordered_set<JobId> posted_microtasks_;

    mutable std::mutex arrivals_mutex_;  // guards the next five
    std::vector<Arrival> arrivals_;
    JobId last_posted_id_ = JobId{1} << 52u;
    bool is_woken_ = false;
    bool is_stop_asked_ = false;
    WakeOp* bell_ = nullptr;      // of the pump, while it is open
    std::vector<Arrival> taken_;  // its capacity is reused by the next take_arrivals
};

}  // namespace gyre::job
