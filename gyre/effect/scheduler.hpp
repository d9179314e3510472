// SPDX-License-Identifier: Apache-2.0
// Scheduler: serves the runs of one loop. Its tick, in scheduler.cpp, is the order of everything:
// due timers into completions, completions into ready, ready steps round robin up to the budget,
// yield. It is a machine beside the tasks of an executor, on which async handlers run; it belongs
// to that executor's thread, outlives the loop and its runs, and goes before the executor. `cancel`
// and a Reply may be used from any thread.
//
//     Scheduler scheduler(executor);
//     auto run = scheduler.start<int>(guest, handlers, "main", {1, 2});
//     RunOutcome<int> outcome = co_await run;
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "gyre/base/random.hpp"
#include "gyre/effect/completion.hpp"
#include "gyre/effect/journal.hpp"
#include "gyre/effect/run_observer.hpp"
#include "gyre/effect/run_table.hpp"
#include "gyre/effect/timer_queue.hpp"
#include "gyre/kernel/timer_op.hpp"

namespace gyre::effect {

template <class T>
class RunHandle;

struct SchedulerOptions {
    // Steps of one tick; at least 1. The rest follow in the next, after the loop had its turn.
    std::uint32_t steps_per_tick_max = 1024;
    // Of the arguments of one request, and of one answer or value.
    std::size_t payload_size_max_bytes = std::size_t{16} << 20u;
    unsigned payload_depth_max = 128;
    // Tasks in one run, those that have ended and were not looked at included.
    std::uint32_t task_count_max = 65'536;
    // Of the names of tasks that guests are given.
    std::uint64_t seed = 0x9E3779B97F4A7C15u;
    RunObserver* observer = nullptr;
    // Is told of every run that fails, and of a detached task that fails where nobody waits for it.
    // What it throws is logged; it changes no outcome.
    std::move_only_function<void(RunId, const RunError&)> failure_sink = {};
};

struct StartOptions {
    // Answers pass through it; see journal.hpp. It outlives the run.
    Journal* journal = nullptr;
};

class Scheduler final : public Machine {
public:
    explicit Scheduler(Executor& executor, SchedulerOptions options = {});
    ~Scheduler() override;

    // Queues a run: nothing of it runs inside the call. Dropping the handle leaves it alone. The
    // guest and the handlers outlive the run. A value that is no T fails it as decode_failed.
    template <class T = Value>
    RunHandle<T> start(Guest& guest, const Handlers& handlers, std::string_view entry,
                       Arguments arguments = {}, StartOptions options = {});
    // The value, or throws RunFailed or RunCancelled. Cancelling the wait cancels the run.
    template <class T = Value>
    Future<T> call(Guest& guest, const Handlers& handlers, std::string_view entry,
                   Arguments arguments = {}, StartOptions options = {});

    // From any thread, in any state, any number of times: the run is terminal at once, or as soon
    // as the loop of another thread has taken the message. What has ended stays as it ended.
    void cancel(RunId run, CancelReason reason = {});
    void cancel_all(const CancelReason& reason = {});

    // Runs that are not closed: waiting, ready, or with detached tasks.
    [[nodiscard]] std::size_t run_count() const noexcept { return runs_.size(); }
    [[nodiscard]] Executor& executor() const noexcept { return executor_; }
    using Machine::loop;

    struct Counts {
        std::uint64_t ticks = 0;
        std::uint64_t steps = 0;
        std::uint64_t late_completions = 0;  // came after their run had ended, and were dropped
        std::uint64_t rejected_answers = 0;  // a second one to the same request, from this thread
    };
    [[nodiscard]] const Counts& counts() const noexcept { return counts_; }

    // For the parts of this module.
    void on_completed(Completion& completion) noexcept;
    bool reply(PendingReply& pending, Answer answer, std::exception_ptr failure);
    void reject_answer() noexcept {
        if (executor_.is_here()) ++counts_.rejected_answers;
    }
    void withdraw(AnswerTimer& timer) noexcept {
        timers_.remove(timer);
        on_completed(timer);
    }
    void add_clean_up(Run& run, std::move_only_function<void()> clean_up);
    bool cancel(Run& run, CancelReason reason);

private:
    class Host;
    class CancelMessage;
    class ReplyMessage;

    // scheduler.cpp: the tick, and where runs are kept.
    void tick(Instant now) override;
    void on_close() override;
    void move_due_timers(Instant now) noexcept;
    void move_completions() noexcept;
    void run_ready() noexcept;
    void wait_for_next_timer() noexcept;
    void ask_for_tick() noexcept;
    Run& add_run(Guest& guest, const Handlers& handlers, std::string_view entry,
                 Arguments arguments, StartOptions options);

    // step.cpp: one step of one task.
    void step(Run& run) noexcept;
    [[nodiscard]] Step enter_guest(RunTask& task);
    [[nodiscard]] Step start_guest(RunTask& task);
    void fail_by_handler(RunTask& task);
    void fail_unhandled(RunTask& task);
    void check_answer(const RunTask& task) const;
    void check_request(const RunTask& task, const Step& step) const;
    template <class Payload>
    void check_size(const Payload& payload, const char* what) const;
    void take_step(RunTask& task, Step&& step);
    void dispatch(RunTask& task, Arguments& arguments);
    void find_and_ask(RunTask& task, Arguments& arguments);
    void ask(Handler& handler, RunTask& task, Arguments& arguments);
    void ask_async(Handler& handler, RunTask& task, Arguments& arguments);
    void accept(RunTask& task, Answer&& answer);
    void accept_later(RunTask& task, Answer&& answer);
    void accept_failure(RunTask& task, std::exception_ptr failure);
    void make_ready(RunTask& task) noexcept;
    [[nodiscard]] bool is_observed() const noexcept { return options_.observer != nullptr; }
    void observe_answer(const RunTask& task) const noexcept;
    void observe(const RunEvent& event) const noexcept { options_.observer->on_run(event); }

    // replay.cpp: answers on their way through a journal.
    [[nodiscard]] bool replay(RunTask& task, Arguments& arguments);
    void go_on_replaying(Run& run);
    void give(RunTask& task, const JournalEntry& entry, const Arguments& arguments);
    void record(RunTask& task);
    static void forget(RunTask& task) noexcept;

    // ending.cpp: how tasks and runs end.
    void complete(RunTask& task, Value value);
    void fail(RunTask& task, RunError error);
    void end_early(RunTask& task) noexcept;
    void end_if_complete(RunTask& task) noexcept;
    void leave(RunTask& task) noexcept;
    void settle(Run& run, RunEndKind end) noexcept;
    void close_if_over(Run& run) noexcept;
    static void run_clean_up(const Run& run, std::move_only_function<void()>& clean_up) noexcept;
    void tell_sink(const Run& run, const RunError& error) noexcept;

    // tasks.cpp: tasks inside a run.
    [[nodiscard]] Capability spawn(RunTask& owner, TaskHost::Spawn how, Continuation body);
    [[nodiscard]] static ChildTask& find_task(Run& run, Capability capability);
    [[nodiscard]] static ChildTask* first_unobserved(const RunTask& owner) noexcept;
    void wait_for(RunTask& task, Capability capability);
    void on_child_ended(ChildTask& child) noexcept;
    void report_detached(const Run& run) noexcept;
    [[nodiscard]] Capability new_capability(const Run::Family& family) noexcept;

    Executor& executor_;
    SchedulerOptions options_;
    Random random_;
    Queue<Run, ReadyRunLinks> ready_;
    CompletionQueue completions_;
    TimerQueue timers_;
    TimerOp wake_;  // for the earliest of them
    RunTable runs_;
    RunId last_id_ = 0;
    Counts counts_;
    bool is_ticking_ = false;
    bool is_closing_ = false;
    std::optional<Scope> scope_;  // of the async handlers
};

}  // namespace gyre::effect

#include "gyre/effect/run_handle.hpp"
