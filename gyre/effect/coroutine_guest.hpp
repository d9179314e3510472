// SPDX-License-Identifier: Apache-2.0
// CoroutineGuest: a guest whose functions are C++ coroutines that perform ops; handlers give the
// ops their meaning (algebraic effects). An Effectful<T> is such a coroutine: an entry of a guest,
// a task of a run, or awaited by another Effectful. Arguments and results are types with a Codec.
//
//     Effectful<int> sum_of_two(int first) {
//         const int second = co_await perform(Async::await, first);
//         co_return first + second;
//     }
//     CoroutineGuest guest;
//     guest.add("sum_of_two", sum_of_two);
//
// Thread: the scheduler's.
// Lifetime: add the functions before the first run; the guest outlives its runs.
// Cancel: when a run is cancelled or ended early its coroutine frames are destroyed where they are
// suspended: destructors run, the code after the co_await and catch blocks do not.
#pragma once

#include <coroutine>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "gyre/effect/guest.hpp"
#include "gyre/effect/handlers.hpp"
#include "gyre/task/core/detail/frame_pool.hpp"
#include "gyre/task/core/outcome.hpp"

namespace gyre::effect {

template <class T>
class Effectful;

class EffectfulBase;
class EffectfulPromise;

// One call into the guest: its input (answer) and its output (step).
struct Visit {
    TaskHost& tasks;
    Step& step;
    Value answer;
    EffectfulPromise* next;  // the next coroutine to resume in this call; null: the call returns
};

// The base of all promises of Effectful. A continuation of the guest is the innermost coroutine of
// a chain of awaits, and owns the others. Derived promises must not be more aligned than this
// class, so that from_promise finds the coroutine frame.
class EffectfulPromise {
public:
    using Accepts = bool (*)(const Value&) noexcept;
    using Finish = void (*)(EffectfulPromise&, Step&);

    static void* operator new(std::size_t size_bytes) { return FramePool::allocate(size_bytes); }
    static void operator delete(void* memory, std::size_t size_bytes) noexcept {
        FramePool::free(memory, size_bytes);
    }
    [[nodiscard]] std::suspend_always initial_suspend() const noexcept { return {}; }
    [[nodiscard]] std::suspend_always final_suspend() const noexcept {
        visit_->next = parent_;
        return {};
    }

    void set_parent(EffectfulPromise& parent, EffectfulBase& holder) noexcept {
        parent_ = &parent;
        holder_ = &holder;
    }
    void set_outermost(Finish give_value) noexcept { finish_ = give_value; }

    void resume(Visit& visit) {
        visit_ = &visit;
        handle().resume();
    }
    // Only while it runs.
    [[nodiscard]] Visit& visit() const noexcept { return *visit_; }
    // For awaiters: the call into the guest returns; it resumes here with an answer that fits.
    void leave(StepStatus status, Accepts is_wanted = nullptr) noexcept {
        visit_->step.status = status;
        visit_->step.continuation = reinterpret_cast<Continuation>(this);
        accepts_ = is_wanted;
    }
    [[nodiscard]] bool accepts(const Value& answer) const noexcept {
        return accepts_ == nullptr || accepts_(answer);
    }
    // The outermost coroutine has ended: stores its value in the step, or rethrows its exception.
    void finish(Step& step) { finish_(*this, step); }
    // Frees the frame; returns the promise that awaits it.
    EffectfulPromise* destroy() noexcept;

protected:
    EffectfulPromise() noexcept : accepts_(nullptr), finish_(nullptr) {}
    ~EffectfulPromise() = default;

private:
    [[nodiscard]] std::coroutine_handle<EffectfulPromise> handle() noexcept {
        return std::coroutine_handle<EffectfulPromise>::from_promise(*this);
    }

    union {
        Visit* visit_;     // while it runs
        Accepts accepts_;  // while it is suspended
    };
    EffectfulPromise* parent_ = nullptr;
    union {
        EffectfulBase* holder_;  // in the frame of the parent, if there is one
        Finish finish_;          // of the outermost
    };
};

class EffectfulBase {
protected:
    explicit EffectfulBase(EffectfulPromise* promise) noexcept : promise_(promise) {}
    ~EffectfulBase() {
        if (promise_ != nullptr) promise_->destroy();
    }

    friend class EffectfulPromise;
    EffectfulPromise* promise_;
};

template <class T>
class EffectfulPromiseOf final : public EffectfulPromise {
public:
    Effectful<T> get_return_object() noexcept;
    template <class U = T>
    void return_value(U&& value) {
        outcome.set_value(std::forward<U>(value));
    }
    void unhandled_exception() noexcept { outcome.set_exception(std::current_exception()); }
    Outcome<T> outcome;
};
template <>
class EffectfulPromiseOf<void> final : public EffectfulPromise {
public:
    Effectful<void> get_return_object() noexcept;
    void return_void() noexcept { outcome.set_value(); }
    void unhandled_exception() noexcept { outcome.set_exception(std::current_exception()); }
    Outcome<void> outcome;
};

template <class T>
class [[nodiscard("an effectful function does nothing until it is awaited")]] Effectful
    : private EffectfulBase {
public:
    using promise_type = EffectfulPromiseOf<T>;
    using value_type = T;

    explicit Effectful(promise_type& promise) noexcept : EffectfulBase(&promise) {}
    Effectful(Effectful&& other) noexcept : EffectfulBase(std::exchange(other.promise_, nullptr)) {}
    Effectful& operator=(Effectful&& other) noexcept {
        std::swap(promise_, other.promise_);
        return *this;
    }
    ~Effectful() = default;

    // Awaited by another Effectful. The await expression owns the frame.
    [[nodiscard]] auto operator co_await() && noexcept { return Await{std::move(*this)}; }
    // Releases it as the outermost coroutine of a chain. The caller resumes or destroys it.
    [[nodiscard]] EffectfulPromise& to_outermost() && noexcept {
        promise_->set_outermost(&finish);
        return *std::exchange(promise_, nullptr);
    }

private:
    struct Await {
        Effectful child;
        [[nodiscard]] bool await_ready() const noexcept { return false; }
        // No symmetric transfer: the guest's trampoline resumes it, so the stack does not grow.
        template <class Promise>
        void await_suspend(std::coroutine_handle<Promise> parent) noexcept {
            child.promise_->set_parent(parent.promise(), child);
            parent.promise().visit().next = child.promise_;
        }
        T await_resume() { return static_cast<promise_type*>(child.promise_)->outcome.take(); }
    };
    static void finish(EffectfulPromise& promise, Step& step) {
        auto& outcome = static_cast<promise_type&>(promise).outcome;
        outcome.throw_failure();
        if constexpr (!std::is_void_v<T>) step.value = Codec<T>::to(outcome.take());
    }
};

template <class T>
Effectful<T> EffectfulPromiseOf<T>::get_return_object() noexcept {
    return Effectful<T>(*this);
}
inline Effectful<void> EffectfulPromiseOf<void>::get_return_object() noexcept {
    return Effectful<void>(*this);
}

// `co_await perform(op, arguments...)`: calls the handler of the op and returns its answer.
template <class R, class... Args>
class [[nodiscard]] Perform {
public:
    explicit Perform(const OpInfo& op, Args... args)
        : op_(&op), args_(std::forward<Args>(args)...) {}
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    template <class Promise>
    void await_suspend(std::coroutine_handle<Promise> by) {
        Step& step = by.promise().visit().step;
        step.op = op_;
        step.kind = op_->kind;
        std::apply(
            [&step](auto&&... args) {
                (step.arguments.push_back(Codec<std::decay_t<decltype(args)>>::to(std::move(args))),
                 ...);
            },
            args_);
        by_ = &by.promise();
        by_->leave(StepStatus::effect, &Codec<R>::fits);
    }
    R await_resume() {
        if constexpr (!std::is_void_v<R>) return Codec<R>::from(std::move(by_->visit().answer));
    }

private:
    union {
        const OpInfo* op_;      // until the request
        EffectfulPromise* by_;  // after it
    };
    std::tuple<Args...> args_;
};

template <class R, class... Params, ResumeKind kind, class... Args>
    requires(std::convertible_to<Args &&, Params> && ...)
auto perform(const TypedOp<R(Params...), kind>& op, Args&&... args) {
    static_assert(sizeof...(Params) == sizeof...(Args), "the op takes another number of arguments");
    return Perform<R, Params...>(op.info, static_cast<Params>(std::forward<Args>(args))...);
}

class CoroutineGuest final : public Guest {
public:
    // A function that returns an Effectful. The guest keeps the captures of a lambda.
    template <class R, class... Args>
    CoroutineGuest& add(std::string name, Effectful<R> (*function)(Args...)) {
        return add_entry<R, Args...>(std::move(name), function);
    }
    template <class F>
        requires requires { &F::operator(); }
    CoroutineGuest& add(std::string name, F function) {
        return add_callable(std::move(name), std::move(function), &F::operator());
    }

    // Not known in advance: each request of a coroutine refers to its op.
    [[nodiscard]] std::span<const OpInfo> ops() const noexcept override { return {}; }
    [[nodiscard]] bool has_op(const OpInfo* op) const noexcept override { return op != nullptr; }
    [[nodiscard]] Step start(std::string_view entry, Arguments arguments, TaskHost& tasks) override;
    [[nodiscard]] Step resume(Continuation at, Value answer, TaskHost& tasks) override;
    void release(Continuation at) noexcept override;

private:
    using Begin = std::move_only_function<EffectfulPromise&(const Arguments&)>;
    struct Entry {
        std::string name;
        std::size_t param_count;
        Begin begin;
    };

    template <class F, class R, class... Args>
    CoroutineGuest& add_callable(std::string name, F function,
                                 Effectful<R> (F::* /*call*/)(Args...) const) {
        return add_entry<R, Args...>(std::move(name), std::move(function));
    }
    template <class R, class... Args, class F>
    CoroutineGuest& add_entry(std::string name, F function) {
        entries_.push_back({std::move(name), sizeof...(Args),
                            [function = std::move(function)](
                                const Arguments& arguments) mutable -> EffectfulPromise& {
                                return begin_with<Args...>(function, arguments,
                                                           std::index_sequence_for<Args...>());
                            }});
        return *this;
    }
    template <class... Args, class F, std::size_t... at>
    static EffectfulPromise& begin_with(F& function, [[maybe_unused]] const Arguments& arguments,
                                        std::index_sequence<at...>) {
        return function(argument_at<Args>(arguments, at)...).to_outermost();
    }
    static Step run(EffectfulPromise& from, Value&& answer, TaskHost& tasks);

    std::vector<Entry> entries_;
};

}  // namespace gyre::effect
