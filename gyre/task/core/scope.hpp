// SPDX-License-Identifier: Apache-2.0
// Scope: owns tasks and joins them. A scope ends only when its last task has ended: when its body
// returns it waits for them; when the body or a task fails, or the scope is cancelled, it cancels
// the others and waits. There is no other way to start a task, so none outlives its purpose.
//
//     co_await with_scope([&](Scope& scope) -> Future<void> {
//         scope.spawn(serve, std::move(connection));
//         scope.on_exit([&]() -> Future<void> { co_await log.flush(); });
//         co_await wait_for_more(scope);
//     });
//
// Thread: its executor's thread.
// Lifetime: in the frame of with_scope; the root scope lives as long as its executor.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "gyre/task/core/detail/await_temporary.hpp"
#include "gyre/task/core/executor.hpp"
#include "gyre/task/core/task.hpp"
#include "gyre/task/core/task_handle.hpp"
#include "gyre/task/thread/detail/standard_await.hpp"

namespace gyre {

struct ScopeOptions {
    const char* name = "scope";
    // Tasks that run concurrently, besides the body. Further tasks start in order, as others end.
    std::size_t concurrency_max = std::numeric_limits<std::size_t>::max();
    // Whether the first failure cancels the other tasks. A failure that is neither thrown nor
    // visible through a handle is logged.
    bool cancels_on_failure = true;
};

// Called for each task that ends in a scope.
class ScopeWatcher {
public:
    // `failure` is null if it ended with a value.
    virtual void on_ended(const Task& task, std::exception_ptr failure) noexcept = 0;

protected:
    ~ScopeWatcher() = default;
};

template <class F, class... Args>
concept AsyncFunction = requires { typename std::invoke_result_t<F&, Args...>::promise_type; };

class Scope : public Link<struct ScopeListLinks> {
public:
    // `owner` is the task that will join it; null for the root scope of an executor.
    Scope(Executor& executor, Task* owner, ScopeOptions options = {}) noexcept;
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

    // Starts a task: puts it into the run queue. The function and its arguments are moved into the
    // task, so a lambda may have captures.
    template <class F, class... Args>
        requires AsyncFunction<std::decay_t<F>, std::decay_t<Args>...>
    auto spawn(F&& function, Args&&... args) {
        using T =
            typename std::invoke_result_t<std::decay_t<F>&, std::decay_t<Args>...>::value_type;
        auto* block = new CallBlock<T, std::decay_t<F>, std::decay_t<Args>...>(
            *this, std::forward<F>(function), std::forward<Args>(args)...);
        add(*block);
        return TaskHandle<T>(*block);
    }
    // A future of a plain function. That of a lambda with captures is refused: they would be gone
    // when the body runs. Pass the lambda itself.
    template <class T>
    TaskHandle<T> spawn(Future<T>&& future) {
        GYRE_ASSERT(!future.has_captures(),
                    "this is the future of a lambda with captures, which are gone when it runs: "
                    "pass the lambda itself, without calling it");
        return spawn_joined(std::move(future));
    }
    // Awaits it in a task of its own.
    template <Awaitable A>
        requires(!AsyncFunction<std::decay_t<A>>)
    TaskHandle<AwaitValue<A>> spawn(A&& awaitable) {
        return spawn(as_future(std::forward<A>(awaitable)));
    }
    // The same without that check: the caller joins the scope before the lambda is destroyed.
    template <class T>
    TaskHandle<T> spawn_joined(Future<T>&& future) {
        auto* block = new TaskBlock<T>(*this, std::move(future));
        add(*block);
        return TaskHandle<T>(*block);
    }
    // The same, and runs it at once, up to its end or its first wait.
    template <class T>
    TaskHandle<T> begin_joined(Future<T>&& future) {
        auto* block = new TaskBlock<T>(*this, std::move(future));
        TaskHandle<T> handle(*block);
        begin_now(*block);
        return handle;
    }
    template <class T>
    void spawn(Future<T>& future) = delete;  // spawn(std::move(future))

    // The same for a task that serves the others, as one that prints statistics does. It is
    // cancelled when only daemons are left in its scope, in the root scope too; while it waits, it
    // neither keeps the program alive nor hides a deadlock of other tasks. The same holds for tasks
    // in scopes of a daemon.
    template <class... Args>
    auto spawn_daemon(Args&&... args) {
        auto handle = spawn(std::forward<Args>(args)...);
        make_daemon(handle.task());
        return handle;
    }

    // Starts a clean-up, as a task that cannot be cancelled.
    void spawn_clean_up(Future<void>&& future);

    // Cancels every task of the scope, also those spawned later.
    void cancel(CancelReason reason = {}) noexcept;
    [[nodiscard]] bool is_cancelled() const noexcept { return is_cancelled_; }
    // Whether a failure of a task has cancelled the others.
    [[nodiscard]] bool has_failed() const noexcept { return failure_ != nullptr; }

    // Clean-up that may await. Called once when all tasks have ended, last registered first, on
    // every way out; a cancel does not reach it.
    template <class F>
        requires AsyncFunction<F>
    void on_exit(F function) {
        exits_.emplace_back(std::move(function));
    }

    [[nodiscard]] std::size_t task_count() const noexcept { return task_count_; }
    // Also if there is no task at all.
    [[nodiscard]] bool has_only_daemons() const noexcept { return task_count_ == daemon_count_; }
    [[nodiscard]] Executor& executor() const noexcept { return executor_; }
    // The task that joins it; null for the root scope.
    [[nodiscard]] Task* owner() const noexcept { return owner_; }
    // The nearest of its own deadline and those around it: by then its tasks will be cancelled.
    [[nodiscard]] Instant deadline() const noexcept;

    // Waits for all tasks, runs the clean-ups, then throws the first failure, if there was one.
    // with_scope does this for you.
    [[nodiscard]] Future<void> join();
    // Only waits for all tasks. A cancel is passed on to them; the wait goes on, and the request
    // stays due.
    [[nodiscard]] Future<void> all_ended();
    // Starts a task at once, inside the caller: it runs up to its end or its first wait, and then
    // continues like a spawned task.
    void begin_now(Task& task) noexcept;
    // The same. True if it ended inside the call: then the caller owns the task, and frees it.
    [[nodiscard]] bool begin_kept(Task& task) noexcept;
    // Only shown to the tasks by deadline(): the caller cancels the scope at that time.
    void set_deadline(Instant when) noexcept { deadline_ = when; }
    void set_watcher(ScopeWatcher& watcher) noexcept {
        GYRE_ASSERT(watcher_ == nullptr, "scope %s has a watcher already", options_.name);
        watcher_ = &watcher;
    }
    // Its daemons are cancelled when the others have ended, though nobody joins it yet.
    void set_ends_with_others() noexcept { ends_with_others_ = true; }
    template <class F>
    auto spawn_body(F&& function) {
        GYRE_ASSERT(body_ == nullptr, "scope %s has a body already: use spawn", options_.name);
        auto handle = spawn(std::forward<F>(function), this);
        body_ = &handle.task();
        return handle;
    }

private:
    friend class Executor;
    friend class Task;
    friend class TaskReport;
    friend class WaitGraph;
    template <class>
    friend class Future;
    class AllEnded;
    struct WaitForAll;

    void add(Task& task) {
        ++task_count_;
        if (needs_care_) {
            add_with_care(task);
            return;
        }
        tasks_.push_fresh(task);
        executor_.push(task);
    }
    void add_with_care(Task& task);
    void make_daemon(Task& task);  // before it has begun
    // Without the body.
    [[nodiscard]] std::size_t begun_count() const noexcept {
        return task_count_ - waiting_count_ - (body_ != nullptr ? 1 : 0);
    }
    void adopt(Task& task) noexcept;  // started, and resumed by the caller
    // Called at the end of a task. A failure cancels the others; the limit lets another one start;
    // the last one wakes the joiner; the last one before the daemons cancels these.
    void on_ended(Task& task) noexcept {
        --task_count_;
        task.take_out();
        if (task.may_have_failed_) on_failed(task);
        if (watcher_ != nullptr) tell_watcher(task);
        if (has_limit_) begin_next_after(task);
        if (!has_only_daemons()) return;
        if (task_count_ > 0) {
            end_daemons();
        } else if (joiner_ != nullptr) {
            wake_joiner();
        }
    }
    void wake_joiner() noexcept;
    [[gnu::cold]] void end_daemons() noexcept;
    void on_failed(Task& task) noexcept;
    // To the failure sink, the log, or the task that the failure is thrown in.
    void report_failure(Task& task, const std::exception_ptr& failure);
    void tell_watcher(const Task& task) noexcept;
    void begin_next_after(const Task& task) noexcept;

    Executor& executor_;
    Task* const owner_;
    const std::uint64_t trace_id_;  // of its owner; 0: each task begins a trace of its own
    const ScopeOptions options_;
    Queue<Task, ScopeLinks> tasks_;    // started
    Queue<Task, ScopeLinks> waiting_;  // until concurrency_max allows them to start
    std::size_t task_count_ = 0;
    std::size_t daemon_count_ = 0;
    std::size_t waiting_count_ = 0;
    AllEnded* joiner_ = nullptr;
    ScopeWatcher* watcher_ = nullptr;
    Instant deadline_ = Instant::never();
    const Task* body_ = nullptr;  // of with_scope: not counted by concurrency_max
    std::exception_ptr failure_;
    std::exception_ptr cancelled_;  // of its last cancel; null: none
    std::vector<std::move_only_function<Future<void>()>> exits_;
    bool is_cancelled_ = false;
    bool ends_with_others_ = false;
    bool are_daemons_ending_ = false;
    const bool has_limit_;      // a concurrency_max
    const bool is_background_;  // its owner is
    bool needs_care_;           // a spawn has to look at the members above
};

inline std::uint64_t Task::trace_id() const noexcept {
    if (has_rare() && rare_part()->trace_id != 0) return rare_part()->trace_id;
    return scope().trace_id_ != 0 ? scope().trace_id_ : id_;
}

inline Task::Task(Scope& scope) noexcept
    : Link(Fresh{}),
      queue_(scope.executor_),
      id_(++scope.executor_.last_task_id_),
      home_(reinterpret_cast<std::uintptr_t>(&scope)) {}

template <class F>
auto with_scope_of(F body, ScopeOptions options) -> std::invoke_result_t<F&, Scope&> {
    Task& owner = co_await this_task();
    Scope scope(owner.executor(), &owner, options);
    auto result = scope.spawn_body([&body](Scope* inner) { return body(*inner); });
    co_await scope.join();
    co_return result.outcome().take();
}
// Runs the body as a task in a scope of its own; returns its value when all other tasks have ended.
template <class F>
    requires AsyncFunction<std::decay_t<F>, Scope&>
[[nodiscard]] auto with_scope(F&& body, ScopeOptions options = {}) {
    check_await_temporary<F>();
    return with_scope_of<std::decay_t<F>>(std::forward<F>(body), options);
}

}  // namespace gyre
