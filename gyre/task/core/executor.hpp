// SPDX-License-Identifier: Apache-2.0
// Executor: the app machine that runs tasks. Ready tasks are in its run queue, first in, first out.
// Waits between tasks never leave it; an await of something outside is an op.
//
//     Executor executor;
//     Loop loop(*platform, executor);
//
// Thread: the thread that made it; `is_here` and wakers from any thread.
// Lifetime: outlives its loop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "gyre/base/random.hpp"
#include "gyre/kernel/loop.hpp"
#include "gyre/task/core/task.hpp"

namespace gyre {

class TimerWait;
class TurnShare;

struct ExecutorOptions {
    // Tasks resumed in one tick. The rest follow in the next, after timers and I/O had their turn.
    std::uint32_t tasks_per_tick_max = 256;
    // Time of all tasks in one turn of the loop; 0: no limit. Not counted on a simulated platform. Twice that of
    // scripts and of modules, because the programs of Vela are tasks.
    Duration time_per_turn_max = std::chrono::milliseconds(3);
    // After this many awaits that did not have to wait, the running task goes to the end of the run
    // queue.
    std::uint32_t ready_awaits_max = 1024;
    // For tests: runs ready tasks in a random order drawn from this seed. The same seed gives the
    // same order. Without a seed: first in, first out.
    std::optional<std::uint64_t> order_seed = std::nullopt;
};

class Executor final : public Machine, private ReadyQueue {
public:
    explicit Executor(ExecutorOptions options = {});
    ~Executor() override;

    // The scope that outlives all others. A program's main task is spawned in it (see run.hpp).
    [[nodiscard]] Scope& root() noexcept { return *root_; }

    // The task that is running now; null between tasks.
    [[nodiscard]] Task* current() const noexcept { return current_; }
    // Counts by walking: for tests and reports.
    [[nodiscard]] std::size_t task_count() const noexcept;
    // Tasks started so far.
    [[nodiscard]] std::uint32_t started_count() const noexcept { return last_task_id_; }
    [[nodiscard]] bool is_here() const noexcept { return thread_mark_ == FramePool::this_thread(); }
    [[nodiscard]] Instant now() const noexcept { return loop().now(); }
    using Machine::loop;

    // The tree of tasks: name, where each waits, on what, for how long, and whether it is
    // cancelled.
    [[nodiscard]] std::string dump_tasks() const;
    // The same, then the cycles of tasks that wait for each other, and the ops and machines that
    // keep the loop alive.
    [[nodiscard]] std::string report() const;
    // Called with a report when a task of the root scope fails, since nobody may ever join it.
    void set_failure_sink(std::move_only_function<void(std::string_view report)> sink) {
        failure_sink_ = std::move(sink);
    }

    // For awaiters: when the op completes, by.on_complete is called. Uses op.owner.
    void submit_for(Request& op, Suspension& by) noexcept;
    void submit_for(TimerWait& wait) noexcept;
    // The same for an op that belongs to no task and does not keep the loop alive. `by` outlives
    // the op.
    void submit_background(Request& op, Suspension& by) noexcept;
    void submit_background(TimerWait& wait) noexcept;
    using Machine::cancel;

private:
    friend class CancelCell;
    friend class OutsideWait;
    friend class RemoteCall;
    friend class Scope;
    friend class Suspension;
    friend class Task;
    friend class TaskReport;
    friend class WaitGraph;
    friend class WakeCell;
    template <class>
    friend class Future;
    template <class>
    friend class TaskHandle;

    void tick(Instant now) override;
    void on_close() override;
    void describe_held(std::string& lines) const override { lines += dump_tasks(); }
    void take_completions() noexcept;
    void take_notifications() noexcept;
    void take_posts() noexcept;
    void take_recalls() noexcept;
    void run_ready() noexcept;
    void run_ready_in_drawn_order() noexcept;

    bool resume(Task& task) noexcept;  // whether it has ended
    void resume_observed(Task& task, Observer& observer) noexcept;
    void resume_polled(Task& task) noexcept;
    void finish(Task& task) noexcept;
    void finish_rare(Task& task) noexcept;
    void on_first_ready() noexcept override { tick_again(); }
    void start(Task& task) noexcept;
    void keep_loop_alive() noexcept;
    void count_outside_wait(int difference) noexcept { count(outside_waits_, difference); }
    void count_ending_daemon(int difference) noexcept { count(ending_daemons_, difference); }
    void count(std::size_t& what, int difference) noexcept;

    const ExecutorOptions options_;
    std::optional<Random> order_;  // only with an order_seed
    const void* const thread_mark_;
    Task* current_ = nullptr;
    Queue<Scope, struct ScopeListLinks> scopes_;
    std::size_t outside_waits_ = 0;  // tasks that another thread may wake or cancel
    std::size_t ending_daemons_ = 0;
    WakeOp alive_;  // in flight while there are any of them
    std::uint32_t last_task_id_ = 0;
    bool is_closing_ = false;
    const std::unique_ptr<TurnShare> share_;
    std::move_only_function<void(std::string_view)> failure_sink_;
    std::unique_ptr<Scope> root_;  // last: it adds itself to scopes_
};

inline Executor& Task::executor() const noexcept {
    return static_cast<Executor&>(queue_);
}
inline Executor& Suspension::executor() const noexcept {
    return task().executor();
}

}  // namespace gyre
