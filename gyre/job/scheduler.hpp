// SPDX-License-Identifier: Apache-2.0
// Scheduler: where a language's callbacks wait: ticks, microtasks, immediates, timers, callbacks of
// the host, and rejected promises. A Pump runs them, in the order that job_order.cpp shows.
//
// Threads: `post`, `post_clear` and `wake` may be called from any thread and wake a pump that
// waits; everything else belongs to the pump's thread. It outlives its pump.
#pragma once

#include <cstdint>
#include <mutex>
#include <type_traits>
#include <utility>
#include <vector>

#include "gyre/job/host.hpp"
#include "gyre/job/job_pool.hpp"
#include "gyre/job/job_ring.hpp"
#include "gyre/job/job_time.hpp"
#include "gyre/job/options.hpp"
#include "gyre/job/rejections.hpp"
#include "gyre/job/timer_lists.hpp"
#include "gyre/kernel/standing_op.hpp"

namespace gyre::job {

class Pump;

class Scheduler final : public PromiseHost {
public:
    Scheduler(Clock& clock, Host& host, SchedulerOptions options = {});
    ~Scheduler() override;
    Scheduler(const Scheduler&) = delete;
    Scheduler& operator=(const Scheduler&) = delete;

    // From any thread: a callback of the host, such as the end of an operation. It waits until the
    // pump has been started.
    void post(Callback<> callback);
    // From any thread: clears a timer or an immediate, if it has not ended.
    void post_clear(JobId id);
    // From any thread: an iteration takes place, also when there is nothing to run.
    void wake();

    // The same as post, at less cost.
    void queue_callback(Callback<> callback) {
        GYRE_ASSERT(callback, "an empty callback cannot be queued");
        push(callbacks_, std::move(callback));
    }
    // The end of something that was closed: after the immediates of its iteration, the last first.
    // In profile js2il a callback like any other.
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
                    "an engine keeps the microtasks: queue this one there");
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
    // What JavaScript's number of milliseconds means: rules of the profile for NaN and the like.
    [[nodiscard]] static Duration delay_of(double milliseconds) noexcept;

    // An id that names nothing, or a job of another kind, is left alone. In profile node the first
    // two are the same; in profile js2il clear_interval clears intervals only.
    void clear_timeout(JobId id);
    void clear_interval(JobId id);
    void clear_immediate(JobId id);

    // Starts a timer again from now, behind the others of its duration; also one that runs, which
    // then does so once more. False: the id names no timer that waits or runs.
    bool refresh(JobId id);

    // Whether the job keeps the loop alive. It does unless told otherwise.
    void set_ref(JobId id, bool has_ref);
    [[nodiscard]] bool has_ref(JobId id) const noexcept;
    // Keeps the loop alive for a post that is to come; call release as often as hold.
    void hold() { change_holds(+1); }
    void release() { change_holds(-1); }

    // The context of the job that runs, which goes with each job it queues.
    [[nodiscard]] Context context() const noexcept { return context_; }
    void set_context(Context context) noexcept { context_ = context; }

    [[nodiscard]] Profile profile() const noexcept { return options_.profile; }
    // Timers that wait; one that runs is not among them.
    [[nodiscard]] std::size_t timer_count() const noexcept { return timer_count_; }

    // As the host of promises; an engine reports its rejections here too.
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

    // What other threads asked for.
    struct Arrival {
        Callback<> callback;  // empty: the id is to be cleared
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

    // For the pump. A job ends once: by its last run, or by being cleared.
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
    // What must run now, whatever the time is.
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
    JobRing callbacks_;  // of the host; in profile js2il due timers as well: without a callback,
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

    std::mutex arrivals_mutex_;  // for the two below
    std::vector<Arrival> arrivals_;
    WakeOp* bell_ = nullptr;      // the pump's, while it is open
    std::vector<Arrival> taken_;  // its memory is kept for the next exchange
};

}  // namespace gyre::job
