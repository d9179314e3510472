// SPDX-License-Identifier: Apache-2.0
// The base of all coroutines of tasks: how one awaits another, where its outcome is written, and
// what its frame holds. Future and Stream are built on it. Used on the task's thread.
//
// How a child is awaited. It runs at once, inside the await_ready of its parent, and mostly ends
// there: then no coroutine is suspended and nothing is queued. If it has to wait, the parent is
// suspended too, and so on outwards until control is back in Executor::resume. When the child ends
// later, it names its parent as the task's next coroutine and returns to Executor::resume, which
// resumes the parent. So coroutines are nested on the stack only for awaits that began together,
// and that depth is limited: beyond Task::depth_max a child is started by Executor::resume, not
// inside the await. The stack does not grow, whether or not the compiler makes tail calls.
//
// The frame frees itself at its end: its outcome is written to the Slot of its awaiter.
#pragma once

#include <bit>
#include <coroutine>
#include <source_location>
#include <string_view>
#include <type_traits>
#include <utility>

#include "gyre/task/core/outcome.hpp"
#include "gyre/task/core/task.hpp"

namespace gyre {

// Receives an outcome: in the frame of the parent, or in the task for the outermost coroutine.
class SlotBase {
public:
    // Null: the outermost coroutine of a task.
    [[nodiscard]] PromiseBase* parent() const noexcept {
        return reinterpret_cast<PromiseBase*>(word_ & ~waiting);
    }
    void set_parent(PromiseBase& parent) noexcept {
        word_ = reinterpret_cast<std::uintptr_t>(&parent);
    }
    [[nodiscard]] bool is_parent_waiting() const noexcept { return (word_ & waiting) != 0; }
    void set_parent_waiting() noexcept { word_ |= waiting; }
    [[nodiscard]] bool is_outermost() const noexcept { return word_ == 0; }

private:
    static constexpr std::uintptr_t waiting = 1;  // beside the address, which is even
    std::uintptr_t word_ = 0;
};
template <class T>
struct Slot : SlotBase {
    Outcome<T> outcome;
};

// The place of an await in the source: the pointer inside a std::source_location. As a bare pointer
// it takes no room in the frame, where g++ keeps a default argument of a class type.
using AwaitSite = const void*;
static_assert(sizeof(std::source_location) == sizeof(AwaitSite));
[[nodiscard]] inline std::source_location location_of(AwaitSite site) noexcept {
    return std::bit_cast<std::source_location>(site);
}

// Whether T is the type of a lambda with captures. Its coroutines look at them through a pointer:
// they must not outlive the lambda. Told by the compiler's name for the type; one inside a template
// may pass unnoticed.
template <class T>
consteval bool is_capturing_lambda() {
    const std::string_view name = __PRETTY_FUNCTION__;
    const std::size_t begin = name.find("T = ");
    const std::size_t by_gcc = name.find("<lambda", begin);
    const std::size_t by_clang = name.find("(lambda at", begin);
    const std::size_t lambda = by_gcc < by_clang ? by_gcc : by_clang;
    return std::is_class_v<T> && !std::is_empty_v<T> && lambda != std::string_view::npos &&
           name.find('<', begin) >= lambda;
}

// The awaiters of the standard: the object itself, or what its operator co_await gives.
template <class W>
concept StandardAwaiter = requires(W& awaiter, std::coroutine_handle<> by) {
    awaiter.await_ready() ? 0 : 1;
    awaiter.await_suspend(by);
    awaiter.await_resume();
};
template <class A>
concept HasCoAwaitMember = requires(A&& awaitable) {
    { std::forward<A>(awaitable).operator co_await() } -> StandardAwaiter;
};
template <class A>
concept HasCoAwaitFunction = requires(A&& awaitable) {
    { operator co_await(std::forward<A>(awaitable)) } -> StandardAwaiter;
};
template <class A>
concept StandardAwaitable = HasCoAwaitMember<A> || HasCoAwaitFunction<A> || StandardAwaiter<A>;
template <StandardAwaitable A>
class StandardAwait;  // in standard_await.hpp

// What a task can await (awaitable.hpp). `A` is a reference type for an lvalue.
template <class A>
concept Awaitable = StandardAwaitable<A> || requires(A&& awaitable, PromiseBase& by) {
    std::forward<A>(awaitable).await_in(by);
} || (std::is_enum_v<std::remove_reference_t<A>> && requires(A&& awaitable, PromiseBase& by) {
                        await_in(awaitable, by);
                    });

// In place of what an argument gives that cannot be awaited: converts to anything, so that the
// assertion about the argument is the only error.
struct NotAwaitable {
    using value_type = NotAwaitable;
    template <class T>
    operator T() const noexcept;
    [[nodiscard]] auto await_in(PromiseBase& /*by*/) const noexcept { return Await{}; }

private:
    struct Await {
        [[nodiscard]] bool await_ready() const noexcept { return true; }
        void await_suspend(std::coroutine_handle<> /*by*/) const noexcept {}
        [[nodiscard]] NotAwaitable await_resume() const noexcept { return {}; }
    };
};

// The base of every promise type. Promise types must not be more aligned than this one, so that a
// coroutine can be found from it.
class PromiseBase {
public:
    static void* operator new(std::size_t size_bytes) { return FramePool::allocate(size_bytes); }
    static void operator delete(void* memory, std::size_t size_bytes) noexcept {
        FramePool::free(memory, size_bytes);
    }

    [[nodiscard]] std::suspend_always initial_suspend() const noexcept { return {}; }

    [[nodiscard]] Task& task() const noexcept { return *task_; }
    [[nodiscard]] std::coroutine_handle<> handle() noexcept {
        return std::coroutine_handle<PromiseBase>::from_promise(*this);
    }
    // The promise of any coroutine of a task.
    [[nodiscard]] static PromiseBase& of(std::coroutine_handle<> coroutine) noexcept {
        return std::coroutine_handle<PromiseBase>::from_address(coroutine.address()).promise();
    }
    // Where it awaits, or awaited last; before that, its function.
    [[nodiscard]] std::source_location where() const noexcept {
        return has_captures() ? std::source_location() : location_of(where_);
    }
    [[nodiscard]] AwaitSite site() const noexcept { return where_; }
    // The coroutine that awaits it; null for the outermost coroutine of a task.
    [[nodiscard]] PromiseBase* parent() const noexcept { return slot_->parent(); }

    // An awaitable says how it is awaited in a member `await_in(PromiseBase&)`, which makes the
    // awaiter: a new object, since g++ 12 copies an awaiter that is given as a reference. One that
    // is an enum has a function `await_in(awaitable, PromiseBase&)` beside it.
    template <class A>
        requires(!std::is_enum_v<std::remove_reference_t<A>>)
    GYRE_ALWAYS_INLINE auto await_transform(
        A&& awaitable, AwaitSite where = __builtin_source_location()) noexcept {
        where_ = where;
        if constexpr (requires { std::forward<A>(awaitable).await_in(*this); }) {
            return std::forward<A>(awaitable).await_in(*this);
        } else if constexpr (StandardAwaitable<A>) {
            return StandardAwait<A>(*this, std::forward<A>(awaitable));
        } else {
            static_assert(Awaitable<A>,
                          "this cannot be awaited here. A Future is awaited once, as an rvalue: "
                          "co_await std::move(future). Another type needs a member await_in");
            return NotAwaitable().await_in(*this);
        }
    }
    template <class A>
        requires std::is_enum_v<A>
    GYRE_ALWAYS_INLINE auto await_transform(
        A awaitable, AwaitSite where = __builtin_source_location()) noexcept {
        where_ = where;
        return await_in(awaitable, *this);
    }

    // Before it has begun: whether it is the body of a lambda with captures.
    [[nodiscard]] bool has_captures() const noexcept { return where_ == &captures_mark; }

    // Before it has begun: its future is destroyed unused. Logs that, unless an exception is on its
    // way or the future goes with a coroutine that did not end.
    [[gnu::cold]] void report_unawaited() const noexcept;
    // Destroys it before its end.
    GYRE_ALWAYS_INLINE void destroy() noexcept {
        if constexpr (GYRE_DEBUG_CHECKS != 0) {
            destroy_quietly();
        } else {
            handle().destroy();
        }
    }

    // Becomes part of the task; the outcome goes to the slot.
    GYRE_ALWAYS_INLINE void join(Task& task, SlotBase& slot) noexcept {
        task_ = &task;
        slot_ = &slot;
    }
    // Runs it up to its end or its first wait, inside the await of its parent. False if that would
    // be too deep.
    [[nodiscard]] GYRE_ALWAYS_INLINE bool run_inside() noexcept {
        Task& task = *task_;
        if (task.depth_ == Task::depth_max) return false;
        ++task.depth_;
        handle().resume();
        --task.depth_;
        return true;
    }
    // For awaiters that are not a Suspension.
    [[nodiscard]] bool is_cancel_due() const noexcept { return task_->is_cancel_due(); }
    [[noreturn]] void deliver_cancel() { task_->deliver_cancel(); }
    // In await_suspend: the task stays ready, behind the others.
    GYRE_ALWAYS_INLINE void go_last() noexcept {
        task_->leaf_ = this;
        task_->make_ready();
    }
    // Executor::resume resumes it next.
    void run_next() noexcept { task_->leaf_ = this; }

protected:
    PromiseBase() noexcept = default;
    // Gets the arguments of its function; for a lambda, the lambda itself comes first.
    template <class First, class... Rest>
    explicit PromiseBase(const First& /*first*/, const Rest&... /*rest*/) noexcept {
        // g++ passes the address of the lambda; clang passes nothing, so the check is off there.
        using Function = std::remove_cv_t<std::remove_pointer_t<First>>;
        if constexpr (is_capturing_lambda<Function>()) where_ = &captures_mark;
    }
    ~PromiseBase() = default;

    // The outcome is in the slot: resumes the parent next, or completes the task.
    GYRE_ALWAYS_INLINE void finish() noexcept {
        if (slot_->is_parent_waiting()) {
            slot_->parent()->run_next();
        } else if (slot_->is_outermost()) {
            task_->status_ = TaskState::completed;
        }
    }
    // Where the function is, until it awaits.
    void set_origin(AwaitSite origin) noexcept {
        if (where_ == nullptr) where_ = origin;
    }
    void note_failure() noexcept { task_->may_have_failed_ = true; }
    // Records the chain of awaits that an exception passes, for the report if nobody catches it.
    [[nodiscard, gnu::cold]] std::exception_ptr current_exception() noexcept;

    SlotBase* slot_ = nullptr;

private:
    [[gnu::cold]] void destroy_quietly() noexcept;

    static constexpr char captures_mark = 0;

    Task* task_ = nullptr;
    AwaitSite where_ = nullptr;
};

// The awaiter of one coroutine by another. Owns the child until that has ended.
template <class T>
class ChildAwait {
public:
    template <class Promise>
    GYRE_ALWAYS_INLINE ChildAwait(PromiseBase& parent,
                                  std::coroutine_handle<Promise> child) noexcept
        : child_(&child.promise()) {
        slot_.set_parent(parent);
        child_->join(parent.task(), slot_);
    }
    GYRE_ALWAYS_INLINE ~ChildAwait() {
        if (!slot_.outcome.is_settled()) child_->destroy();
    }
    ChildAwait(const ChildAwait&) = delete;
    ChildAwait& operator=(const ChildAwait&) = delete;

    [[nodiscard]] GYRE_ALWAYS_INLINE bool await_ready() noexcept {
        is_started_ = child_->run_inside();
        return slot_.outcome.is_settled();
    }
    void await_suspend(std::coroutine_handle<> /*parent*/) noexcept {
        slot_.set_parent_waiting();
        if (!is_started_) child_->run_next();
    }
    GYRE_ALWAYS_INLINE T await_resume() { return slot_.outcome.take(); }

protected:
    PromiseBase* child_;
    Slot<T> slot_;
    bool is_started_ = false;
};

GYRE_ALWAYS_INLINE void Suspension::attach(PromiseBase& promise) noexcept {
    task_ = &promise.task();
}
GYRE_ALWAYS_INLINE Task& Suspension::task() const noexcept {
    return *task_;
}
GYRE_ALWAYS_INLINE bool Suspension::is_cancel_due() const noexcept {
    return task().is_cancel_due();
}
GYRE_ALWAYS_INLINE bool Suspension::begin() noexcept {
    Task& waiter = task();
    if (!waiter.is_cancel_due()) [[likely]]
        return false;
    waiter.is_wait_cancelled_ = true;
    return true;
}
GYRE_ALWAYS_INLINE void Suspension::end() {
    if (task().is_wait_cancelled_) task().deliver_cancel();
}
inline void Suspension::forget_cancel() noexcept {
    task().is_wait_cancelled_ = false;
}
inline void Suspension::wake_cancelled() noexcept {
    task().is_wait_cancelled_ = true;
    wake();
}
GYRE_ALWAYS_INLINE void Suspension::wait(std::coroutine_handle<> by) noexcept {
    Task& waiter = task();
    waiter.leaf_ = &PromiseBase::of(by);
    waiter.waits_on_ = this;
    waiter.status_ = waiter.queue_.waiting_now_;
}
GYRE_ALWAYS_INLINE void Suspension::wake() noexcept {
    task().make_ready();
}
GYRE_ALWAYS_INLINE void Suspension::wake_from(const Suspension& running) noexcept {
    GYRE_DEBUG_ASSERT(&task().queue_ == &running.task().queue_,
                      "a task wakes one of another executor: use what goes between threads");
    task().make_ready_in(running.task().queue_);
}
GYRE_ALWAYS_INLINE void wake_all(WaitQueue& waits) noexcept {
    waits.take_each([](ListedWait& wait) { wait.wake(); });
}
GYRE_ALWAYS_INLINE bool Suspension::may_go_on() noexcept {
    return task().queue_.may_go_on();
}

// Declared in task.hpp.
GYRE_ALWAYS_INLINE ThisTask::Await ThisTask::await_in(PromiseBase& promise) const noexcept {
    return {promise.task()};
}
GYRE_ALWAYS_INLINE CancelPoint::Await CancelPoint::await_in(PromiseBase& promise) const noexcept {
    return {promise.task()};
}

}  // namespace gyre
