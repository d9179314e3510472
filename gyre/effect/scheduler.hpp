// SPDX-License-Identifier: Apache-2.0
// Scheduler: runs effectful functions on one loop. Scheduler::tick in scheduler.cpp is the order of
// all work. Async handlers run as tasks of its executor. Also here: RunHandle<T>, a reference to a
// run.
//
//     Scheduler scheduler(executor);
//     RunHandle<int> run = scheduler.start<int>(guest, handlers, "main", {1, 2});
//     RunOutcome<int> outcome = co_await run;
//
// Thread: the executor's; any for `cancel` by id.
// Lifetime: it outlives its loop and its runs; the executor outlives it. Guests and handlers
// outlive their runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "gyre/base/detail/indexed_heap.hpp"
#include "gyre/base/detail/scope_exit.hpp"
#include "gyre/base/random.hpp"
#include "gyre/effect/detail/run.hpp"
#include "gyre/effect/journal.hpp"
#include "gyre/effect/run_observer.hpp"
#include "gyre/kernel/op.hpp"
#include "gyre/task/core/detail/coroutine.hpp"
#include "gyre/task/core/scope.hpp"

namespace gyre {
class TurnShare;
}

namespace gyre::effect {

template <class T>
class RunHandle;

class AnswerTimer;
struct AnswerTimerOrder;
struct CompletionLinks;
// The delayed answers that are not due.
using AnswerTimers = IndexedHeap<AnswerTimer, AnswerTimerOrder>;

struct SchedulerOptions {
    // Steps of one tick, at least 1. Further steps run in the next tick, after the loop's turn.
    std::uint32_t steps_per_tick_max = 1024;
    // Steps of one tick that an engine stopped, at least 1: such a step is as long as many others. Counts where time does
    // not, on a simulated platform and without time_per_tick_max.
    std::uint32_t preemptions_per_tick_max = 8;
    // Time of one tick, at least that of one step; 0: no limit. Not counted on a simulated platform.
    Duration time_per_tick_max = std::chrono::milliseconds(2);
    // Limits of the arguments of one request, and of one answer or value.
    std::size_t payload_size_max_bytes = std::size_t{16} << 20u;
    unsigned payload_depth_max = 128;
    // Runs that are not closed; `start` and `call` of one more throw LimitError.
    std::size_t run_count_max = std::size_t{1} << 18u;
    // Tasks in one run, including those that have ended and were not joined.
    std::uint32_t task_count_max = 65'536;
    // Seed of the capabilities that name tasks to guests.
    std::uint64_t seed = 0x9E3779B97F4A7C15u;
    RunObserver* observer = nullptr;
    // Called for every run that fails, and for a detached task that fails without a waiter. An
    // exception of it is logged and changes no outcome.
    std::move_only_function<void(RunId, const RunError&)> failure_sink = {};
};

struct StartOptions {
    // Records or replays the answers, see journal.hpp. It outlives the run.
    Journal* journal = nullptr;
};

class Scheduler final : public Machine {
public:
    explicit Scheduler(Executor& executor, SchedulerOptions options = {});
    ~Scheduler() override;

    // Queues a run; its first step is in a later tick. Destroying the handle does not end the run.
    // The guest and the handlers outlive the run. A value that is no T fails it as decode_failed.
    template <class T = Value>
    RunHandle<T> start(Guest& guest, const Handlers& handlers, std::string_view entry,
                       Arguments arguments = {}, StartOptions options = {});
    // Returns the value, or throws RunFailed or RunCancelled. Cancel: cancels the run.
    template <class T = Value>
    Future<T> call(Guest& guest, const Handlers& handlers, std::string_view entry,
                   Arguments arguments = {}, StartOptions options = {});

    // Any thread, in any state of the run, any number of times. On the loop's thread the run is
    // terminal at once, from another thread when the message arrives. No effect on a run that
    // ended.
    void cancel(RunId run, CancelReason reason = {});
    void cancel_all(const CancelReason& reason = {});

    // Runs that are not closed: waiting, ready, or with detached tasks.
    [[nodiscard]] std::size_t run_count() const noexcept { return runs_.size(); }
    [[nodiscard]] Executor& executor() const noexcept { return executor_; }
    using Machine::loop;

    struct Counts {
        std::uint64_t ticks = 0;
        std::uint64_t steps = 0;
        std::uint64_t preemptions = 0;       // steps that an engine stopped
        std::uint64_t late_completions = 0;  // dropped: their run had ended
        std::uint64_t rejected_answers = 0;  // second answers to one request, from this thread
    };
    [[nodiscard]] const Counts& counts() const noexcept { return counts_; }

    // For gyre/effect itself.
    void on_completed(Completion& completion) noexcept;
    bool reply(PendingReply& pending, Answer answer, std::exception_ptr failure);
    void reject_answer() noexcept {
        if (executor_.is_here()) ++counts_.rejected_answers;
    }
    void withdraw(AnswerTimer& timer) noexcept;
    void add_clean_up(Run& run, std::move_only_function<void()> clean_up);
    bool cancel(Run& run, CancelReason reason);

private:
    class TaskCalls;
    class CancelMessage;
    class ReplyMessage;

    // scheduler.cpp: the tick, and one step of one task.
    void tick(Instant now) override;
    void on_close() override;
    void move_due_timers(Instant now) noexcept;
    void move_completions() noexcept;
    [[nodiscard]] bool run_ready() noexcept;
    void wait_for_next_timer() noexcept;
    void ask_for_tick() noexcept;
    Run& add_run(Guest& guest, const Handlers& handlers, std::string_view entry,
                 Arguments arguments, StartOptions options);

    void accept(RunTask& task, Answer&& answer);
    void accept_later(RunTask& task, Answer&& answer);
    void accept_failure(RunTask& task, std::exception_ptr failure);
    void make_ready(RunTask& task) noexcept;
    void step(Run& run) noexcept;
    [[nodiscard]] Step enter_guest(RunTask& task);
    [[nodiscard]] Step start_guest(RunTask& task);
    void check_answer(const RunTask& task) const;
    void check_request(const RunTask& task, const Step& step) const;
    template <class Payload>
    void check_size(const Payload& payload, const char* what) const;
    void take_step(RunTask& task, Step&& step);
    void dispatch(RunTask& task, Arguments& arguments);
    void take_preempted(RunTask& task);
    static void keep_held(RunTask& task, const Step& step) noexcept;
    [[nodiscard]] bool is_observed() const noexcept { return options_.observer != nullptr; }
    void observe_answer(const RunTask& task) const noexcept;
    void observe(const RunEvent& event) const noexcept { options_.observer->on_run(event); }

    // scheduler_handlers.cpp: the call of the handler.
    void find_and_ask(RunTask& task, Arguments& arguments);
    void fail_unhandled(RunTask& task);
    void ask(Handler& handler, RunTask& task, Arguments& arguments);
    void ask_async(Handler& handler, RunTask& task, Arguments& arguments);

    // scheduler_replay.cpp: recorded and replayed answers.
    [[nodiscard]] bool replay(RunTask& task, Arguments& arguments);
    void go_on_replaying(Run& run);
    void give(RunTask& task, const JournalEntry& entry, const Arguments& arguments);
    void resume_replay(Run& run) noexcept;
    [[nodiscard]] static bool is_to_be_recorded(const RunTask& task) noexcept {
        return task.is_asking && task.run.recording() != nullptr;
    }
    [[nodiscard]] bool record(RunTask& task) noexcept;
    [[nodiscard]] static bool is_kept(RunTask& task) noexcept;
    static void forget(RunTask& task) noexcept;

    // scheduler_ending.cpp: how tasks and runs end.
    void complete(RunTask& task, Value value);
    void fail(RunTask& task, RunError error);
    void fail_by_handler(RunTask& task);
    void end_early(RunTask& task) noexcept;
    void end_if_complete(RunTask& task) noexcept;
    void leave(RunTask& task) noexcept;
    void settle(Run& run, RunEndKind end) noexcept;
    void close_if_over(Run& run) noexcept;
    void clean_up(Run& run) noexcept;
    static void leave_guest(Run& run) noexcept;
    static void run_clean_up(const Run& run, std::move_only_function<void()>& clean_up) noexcept;
    void tell_sink(const Run& run, const RunError& error) noexcept;

    // scheduler_tasks.cpp: tasks inside a run.
    [[nodiscard]] Capability spawn(RunTask& owner, TaskHost::Spawn how, Continuation body);
    [[nodiscard]] static ChildTask* lookup(Run& run, Capability capability) noexcept;
    [[nodiscard]] static ChildTask& find_task(Run& run, Capability capability);
    [[nodiscard]] static ChildTask* first_unobserved(const RunTask& owner) noexcept;
    void wait_for(RunTask& task, Capability capability);
    void on_child_ended(ChildTask& child) noexcept;
    void report_detached(const Run& run) noexcept;
    [[nodiscard]] Capability new_capability(const Run::Family& family) noexcept;

    Executor& executor_;
    SchedulerOptions options_;
    const std::unique_ptr<TurnShare> share_;
    Random random_;
    Queue<Run, ReadyRunLinks> ready_;
    ForwardQueue<Completion, CompletionLinks> completions_;
    AnswerTimers timers_;
    std::uint64_t last_timer_number_ = 0;
    TimerOp wake_;  // for the earliest timer
    RunTable runs_;
    RunId last_id_ = 0;
    Counts counts_;
    bool is_ticking_ = false;
    bool is_closing_ = false;
    std::optional<Scope> scope_;  // of the async handlers
};

// A reference to a run: its state, its outcome, a way to cancel it. Destroying the handle does not
// end the run. Only on the run's own thread, and not longer than its scheduler.
template <class T>
class RunHandle {
public:
    using value_type = RunOutcome<T>;

    explicit RunHandle(Run& run) noexcept : run_(&run) { run.pin(); }
    RunHandle(RunHandle&& other) noexcept : run_(std::exchange(other.run_, nullptr)) {}
    RunHandle& operator=(RunHandle&& other) noexcept {
        std::swap(run_, other.run_);
        return *this;
    }
    ~RunHandle() {
        if (run_ != nullptr) run_->unpin();
    }

    // For Scheduler::cancel, from any thread.
    [[nodiscard]] RunId id() const noexcept { return run_->id; }
    [[nodiscard]] RunState state() const noexcept { return run_->state; }
    [[nodiscard]] bool is_terminal() const noexcept { return run_->is_terminal(); }
    // Of a run with a journal: its requests that wait for their answers, or for these to be recorded.
    [[nodiscard]] std::size_t request_count() const noexcept {
        return run_->recording() == nullptr ? 0 : run_->recording()->live.size();
    }
    // Whether this call ended the run: false when it had an outcome.
    bool cancel(CancelReason reason = {}) {
        return run_->scheduler.cancel(*run_, std::move(reason));
    }

    // Calls the function once when the last task of the run has ended, detached ones included; at once
    // when it has.
    void on_closed(std::move_only_function<void()> function) {
        run_->scheduler.add_clean_up(*run_, std::move(function));
    }

    // Only of a terminal run; may be called repeatedly.
    [[nodiscard]] RunOutcome<T> outcome() const {
        GYRE_ASSERT(is_terminal(), "run %llu has no outcome yet: await it",
                    static_cast<unsigned long long>(run_->id));
        if (run_->end == RunEndKind::failed) return RunOutcome<T>(run_->ending().error);
        if (run_->end == RunEndKind::cancelled) return RunOutcome<T>(run_->ending().reason);
        if constexpr (std::is_void_v<T>) {
            return RunOutcome<T>(Unit{});
        } else {
            return RunOutcome<T>(Codec<T>::from(run_->value()));
        }
    }

    // `co_await handle` returns the outcome, and does not throw it. Cancel: no effect on the run.
    [[nodiscard]] auto await_in(PromiseBase& promise) & noexcept { return Await(promise, *this); }

private:
    class Await final : public ListedWait {
    public:
        Await(PromiseBase& promise, const RunHandle& handle) noexcept : handle_(handle) {
            attach(promise);
        }
        [[nodiscard]] bool await_ready() noexcept { return handle_.is_terminal() || begin(); }
        void await_suspend(std::coroutine_handle<> by) {
            handle_.run_->need_extras().waiters.push_fresh(*this);
            is_waiting_ = true;
            wait(by);
        }
        RunOutcome<T> await_resume() {
            if (is_waiting_ || !handle_.is_terminal()) end();
            return handle_.outcome();
        }
        [[nodiscard]] const char* what() const noexcept override { return "the end of a run"; }

    private:
        const RunHandle& handle_;
        bool is_waiting_ = false;
    };

    Run* run_;
};

template <class T>
RunHandle<T> Scheduler::start(Guest& guest, const Handlers& handlers, std::string_view entry,
                              Arguments arguments, StartOptions options) {
    Run& run = add_run(guest, handlers, entry, std::move(arguments), options);
    if constexpr (!std::is_same_v<T, Value>) run.accepts = &Codec<T>::fits;
    return RunHandle<T>(run);
}

template <class T>
Future<T> Scheduler::call(Guest& guest, const Handlers& handlers, std::string_view entry,
                          Arguments arguments, StartOptions options) {
    RunHandle<T> run = start<T>(guest, handlers, entry, std::move(arguments), options);
    // Cancels the run when this coroutine is cancelled.
    const ScopeExit leave([&run] {
        if (!run.is_terminal()) run.cancel("the call for it was cancelled");
    });
    RunOutcome<T> outcome = co_await run;
    co_return std::move(outcome).take();
}

}  // namespace gyre::effect
