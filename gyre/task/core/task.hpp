// SPDX-License-Identifier: Apache-2.0
// Task: one line of execution on an executor, from its spawn to its one outcome: a coroutine and
// the coroutines it awaits, one inside the other.
//
//     Task& task = co_await this_task();        // the task that runs this code
//     log(LogLevel::info, "%s", task.name().c_str());
//     co_await cancel_point();                  // throws Cancelled if a request is due
//
// Thread: its executor's thread.
// Lifetime: belongs to a Scope, which joins it; freed when it has ended and its handle is gone.
//
//   ready ──run──▶ running ──an await has to wait──▶ waiting ──the wait ends, once──▶ ready
//                     ├──yield──▶ ready
//                     └──the outermost coroutine ends──▶ completed
//
// A task is in the run queue exactly while it is ready. `leaf` is the innermost coroutine, which is
// resumed. `waits_on` is the await that the task is in, if that can be cancelled.
#pragma once

#include <coroutine>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <source_location>
#include <string>
#include <vector>

#include "gyre/base/detail/compiler.hpp"
#include "gyre/base/detail/intrusive.hpp"
#include "gyre/kernel/clock.hpp"
#include "gyre/task/core/cancel.hpp"
#include "gyre/task/core/detail/frame_pool.hpp"
#include "gyre/task/core/detail/suspension.hpp"

namespace gyre {

class CancelCell;
class Canceller;
class Executor;
class PromiseBase;
class Scope;
class Task;
class WakeCell;
struct ScopeLinks;

enum class TaskState : std::uint8_t { ready, running, waiting, completed };

// The state of a task, and since when it waits: one word, so that a wait is one store. The time
// counts milliseconds and begins again after twelve days.
class TaskStatus {
public:
    TaskStatus(TaskState state) noexcept : TaskStatus(state, 0) {}
    static TaskStatus waiting_since(Instant time) noexcept {
        return {TaskState::waiting, word_of(time)};
    }
    [[nodiscard]] TaskState state() const noexcept {
        return static_cast<TaskState>(word_ & state_mask);
    }
    [[nodiscard]] bool is_completed() const noexcept {
        return word_ == static_cast<std::uint32_t>(TaskState::completed);
    }
    [[nodiscard]] std::uint32_t waited_ms(Instant now) const noexcept {
        GYRE_ASSERT(state() == TaskState::waiting, "only a task that waits has a time of its wait");
        return (word_of(now) - (word_ & ~state_mask)) / word_per_ms;
    }

private:
    TaskStatus(TaskState state, std::uint32_t time) noexcept
        : word_(time | static_cast<std::uint32_t>(state)) {}
    static std::uint32_t word_of(Instant time) noexcept {
        return static_cast<std::uint32_t>(time.nanoseconds() / 1'000'000) * word_per_ms;
    }

    static constexpr std::uint32_t word_per_ms = 4;
    static constexpr std::uint32_t state_mask = word_per_ms - 1;
    std::uint32_t word_;
};

struct ReadyLinks {
    static Task*& next(Task& task) noexcept;
};

// The tasks that are ready, first in, first out: the part of an executor that awaits use.
class ReadyQueue {
public:
    void push(Task& task) noexcept;

    // Counts awaits that did not have to wait. False once in `ready_awaits_max`: then the task goes
    // to the end of the queue, so that others run.
    [[nodiscard]] bool may_go_on() noexcept {
        if (ready_awaits_left_ > 0) [[likely]] {
            --ready_awaits_left_;
            return true;
        }
        ready_awaits_left_ = ready_awaits_max_;
        return false;
    }

protected:
    explicit ReadyQueue(std::uint32_t ready_awaits_max) noexcept
        : ready_awaits_max_(ready_awaits_max), ready_awaits_left_(ready_awaits_max) {}
    ~ReadyQueue() = default;
    // A task became ready outside of a tick, and no other was: the executor needs a tick.
    virtual void on_first_ready() noexcept = 0;

    bool is_ticking_ = false;
    // The status of a task that begins to wait in this tick.
    TaskStatus waiting_now_ = TaskStatus::waiting_since(Instant());
    ForwardQueue<Task, ReadyLinks> ready_;

private:
    friend class Suspension;

    const std::uint32_t ready_awaits_max_;
    std::uint32_t ready_awaits_left_;
};

class Task : public Link<ScopeLinks> {
public:
    Task(const Task&) = delete;
    Task& operator=(const Task&) = delete;

    [[nodiscard]] TaskState state() const noexcept { return status_.state(); }
    [[nodiscard]] std::uint32_t id() const noexcept { return id_; }
    [[nodiscard]] std::string name() const;
    void append_name(CancelReason::Text& text) const noexcept;
    void set_name(std::string name);
    // The trace id of the ops it submits, and of the tasks in its scopes.
    [[nodiscard]] std::uint64_t trace_id() const noexcept;
    [[nodiscard]] Executor& executor() const noexcept;
    [[nodiscard]] Scope& scope() const noexcept {
        return has_rare() ? rare_part()->scope : *reinterpret_cast<Scope*>(home_);
    }
    [[nodiscard]] bool is_cancel_requested() const noexcept { return cancel_ != Cancel::none; }
    // Needs no memory but that of the exception: without any, the Cancelled says only that.
    void cancel(CancelReason reason) noexcept;
    // Whether the failure is the Cancelled of a request to this task. That of another task, which
    // this one awaited, is a failure like any other. For code that calls functions of users and
    // must survive them.
    [[nodiscard]] bool is_own_cancel(const std::exception_ptr& failure) const noexcept;
    // Cancels it from any thread; see canceller.hpp.
    [[nodiscard]] Canceller canceller();
    // A daemon, or a task in a scope of one: neither it nor its ops keep the program alive.
    [[nodiscard]] bool is_background() const noexcept {
        return has_rare() && rare_part()->is_background;
    }
    // Shared by its wakers; created with the first of them.
    [[nodiscard]] WakeCell& wake_cell();
    // Shared by its cancellers; created with the first of them, or of its stop tokens.
    [[nodiscard]] CancelCell& cancel_cell();

protected:
    explicit Task(Scope& scope) noexcept;  // inline, in scope.hpp
    virtual ~Task() {
        if (has_rare()) drop_rare();
    }

    // After its end: the exception it failed with, or null.
    [[nodiscard]] virtual std::exception_ptr failure() const noexcept = 0;
    // Whether a handle can see its outcome. A failure that nobody can see is logged.
    [[nodiscard]] virtual bool is_watched() const noexcept { return has_handle_; }
    // Called at its end: frees what only its coroutine needed.
    virtual void release() noexcept = 0;
    // Cancelled before it started: destroys the coroutine and settles the outcome.
    virtual void end_unstarted(std::exception_ptr cancelled) noexcept = 0;
    virtual void destroy() noexcept = 0;

    // For a task that another loop or a message started: the trace id of that. 0 keeps its own.
    void set_trace_id(std::uint64_t id) {
        if (id != 0) rare().trace_id = id;
    }

    // For the task of a polled future (Future::poll).
    void start_polled();
    [[nodiscard]] bool poll(WakeCell& poller);  // true when it has completed
    // True if another poll cannot get further.
    [[nodiscard]] bool is_pending_for(const WakeCell& poller) const noexcept {
        return state() == TaskState::waiting && rare_part()->poller == &poller;
    }
    void drop_polled();

    PromiseBase* leaf_ = nullptr;

private:
    friend class CancelCell;
    friend class CancelPoint;
    friend class Executor;
    friend class Scope;
    friend class Suspension;
    friend class PromiseBase;
    friend struct ReadyLinks;
    friend class RemoteCall;
    friend class TaskReport;
    friend class WaitGraph;
    friend class Waker;
    friend class WakeCell;
    template <class>
    friend class TaskBlock;
    template <class>
    friend class TaskHandle;
    template <class>
    friend class ChildAwait;
    template <class>
    friend class ShieldAwait;
    template <class>
    friend class Future;

    enum class Cancel : std::uint8_t { none, requested, delivered };

    // The way of a failure: the task that it came from, and the awaits it came through.
    struct Trail {
        std::exception_ptr of;
        std::string from;
        std::vector<std::source_location> places;
    };
    // The members that few tasks need, allocated on first use.
    struct Rare : Pooled {
        explicit Rare(Scope& of) noexcept : scope(of) {}

        Scope& scope;
        WaitQueue joiners;
        std::string name;
        std::unique_ptr<Trail> trail;  // null: no failure
        std::move_only_function<void()> on_complete;
        std::uint64_t trace_id = 0;         // of a call from another loop; 0: none
        WakeCell* wake_cell = nullptr;      // of the wakers for it
        WakeCell* poller = nullptr;         // of a polled future: woken instead of the task
        CancelCell* cancel_cell = nullptr;  // of its cancellers and stop tokens
        bool is_daemon = false;             // counted by its scope
        bool is_background = false;
        bool is_ending_daemon = false;  // counted by its executor
    };
    Rare& rare();
    [[nodiscard]] bool has_rare() const noexcept { return (home_ & rare_mark) != 0; }
    // Only if has_rare().
    [[nodiscard]] Rare* rare_part() const noexcept {
        return reinterpret_cast<Rare*>(home_ - rare_mark);
    }
    void drop_rare() noexcept;
    // A daemon that has to end: its next ops keep the loop alive as those of other tasks do. For
    // its present op, which does not, its executor does until the cancel is delivered.
    void end_daemon(const char* why) noexcept;
    void leave_ending_daemons() noexcept;
    // The trail of this failure, or null.
    [[nodiscard]] Trail* trail_of(const std::exception_ptr& failure) const noexcept {
        const bool has_it = has_rare() && rare_part()->trail && rare_part()->trail->of == failure;
        return has_it ? rare_part()->trail.get() : nullptr;
    }
    // An empty one in its place.
    Trail& begin_trail(const std::exception_ptr& failure);
    // After it has failed: gives its trail to a task in which the failure is thrown next.
    [[gnu::cold]] void pass_trail_on(Task& to) const;
    // Its scope is destroyed before its end: destroys its frames. Its outcome lives until its
    // handle is gone.
    void abandon() noexcept;
    [[nodiscard]] bool is_cancel_due() const noexcept { return is_cancel_due_; }
    void set_cancel(Cancel to) noexcept {
        cancel_ = to;
        is_cancel_due_ = to == Cancel::requested && shield_count_ == 0;
    }
    [[noreturn, gnu::cold]] void deliver_cancel();
    // An executor calls it once, while there is memory.
    static void prepare_cancels() noexcept;
    void tell_cancel_cell() noexcept;
    // By the same Cancelled as other tasks.
    void cancel_with(const std::exception_ptr& cancelled) noexcept;
    [[nodiscard]] bool is_cancel_refused() const noexcept {
        return state() == TaskState::completed || cancel_ == Cancel::requested;
    }
    void enter_shield() noexcept {
        GYRE_ASSERT(shield_count_ < shield_count_max, "shields are nested more than %d deep",
                    int{shield_count_max});
        ++shield_count_;
        is_cancel_due_ = false;
    }
    void leave_shield() noexcept {
        GYRE_ASSERT(shield_count_ > 0, "a shield is left that was not entered");
        --shield_count_;
        set_cancel(cancel_);
    }
    [[nodiscard]] bool was_cancelled() const noexcept;
    GYRE_ALWAYS_INLINE void make_ready() noexcept { make_ready_in(queue_); }
    GYRE_ALWAYS_INLINE void make_ready_in(ReadyQueue& queue) noexcept {
        status_ = TaskState::ready;
        is_polled_ ? wake_poller() : queue.push(*this);
    }
    [[gnu::cold]] void wake_poller() noexcept;

    static constexpr std::uint8_t depth_max = 100;
    static constexpr std::uint8_t shield_count_max = 255;

    // The members that each await uses are adjacent, up to the flags.
    ReadyQueue& queue_;  // its executor's
    union {
        Task* next_ready_;      // while it is ready
        Suspension* waits_on_;  // while it waits
    };
    TaskStatus status_ = TaskState::ready;
    std::uint32_t id_;
    std::uint8_t shield_count_ = 0;
    Cancel cancel_ = Cancel::none;
    // Requested, and not shielded. Kept up to date because every await reads it.
    bool is_cancel_due_ = false;
    bool is_wait_cancelled_ = false;  // the current await ends with Cancelled
    std::uint8_t depth_ = 0;          // coroutines resumed inside each other's await
    bool is_polled_ : 1 = false;
    bool has_started_ : 1 = false;
    bool has_handle_ : 1 = false;
    bool may_have_failed_ : 1 = false;  // one of its coroutines did; it may be handled
    // Its on_complete runs, and may drop its handle. Fills the byte, so that it is written whole.
    bool is_telling_end_ : 4 = false;
    // The address of its Scope; or that of its Rare part, plus rare_mark.
    std::uintptr_t home_;
    static constexpr std::uintptr_t rare_mark = 1;
    // The Cancelled of the last request. Not in the rare part: a cancel must not need memory.
    std::exception_ptr cancelled_;
};

GYRE_ALWAYS_INLINE Task*& ReadyLinks::next(Task& task) noexcept {
    return task.next_ready_;
}
GYRE_ALWAYS_INLINE void ReadyQueue::push(Task& task) noexcept {
    if (ready_.push_back(task) && !is_ticking_) on_first_ready();
}

// `co_await this_task()`: the task that runs this code. Never waits.
class [[nodiscard]] ThisTask {
    struct Await {
        Task& task;
        [[nodiscard]] bool await_ready() const noexcept { return true; }
        void await_suspend(std::coroutine_handle<> /*by*/) const noexcept {}
        [[nodiscard]] Task& await_resume() const noexcept { return task; }
    };

public:
    [[nodiscard]] Await await_in(PromiseBase& promise) const noexcept;
};
[[nodiscard]] inline ThisTask this_task() noexcept {
    return {};
}

// `co_await cancel_point()`: throws Cancelled if a request is due; for long work without other
// awaits. Never waits.
class [[nodiscard]] CancelPoint {
    struct Await {
        Task& task;
        [[nodiscard]] bool await_ready() const noexcept { return true; }
        void await_suspend(std::coroutine_handle<> /*by*/) const noexcept {}
        void await_resume() const {
            if (task.is_cancel_due()) task.deliver_cancel();
        }
    };

public:
    [[nodiscard]] Await await_in(PromiseBase& promise) const noexcept;
};
[[nodiscard]] inline CancelPoint cancel_point() noexcept {
    return {};
}

}  // namespace gyre
