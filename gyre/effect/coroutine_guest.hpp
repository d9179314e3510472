// SPDX-License-Identifier: Apache-2.0
// Algebraic effects for C++: functions that perform ops and leave it to handlers what these mean.
//
//     Effectful<int> sum_of_two(int first) {
//         const int second = co_await perform(Async::await, first);
//         co_return first + second;
//     }
//     CoroutineGuest guest;
//     guest.add("sum_of_two", sum_of_two);
//
// An Effectful<T> is a coroutine that runs only inside a run: it is awaited by another one, spawned
// as a task of the run, or added to a guest as an entry. Arguments and results are values that a
// Codec knows. Where a run is cancelled or ended early, the frames of its coroutines are destroyed
// where they stand: destructors run, the code after the co_await does not, and neither does a
// catch. All of it belongs to the loop's thread.
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
#include "gyre/effect/handler.hpp"
#include "gyre/task/frame_pool.hpp"
#include "gyre/task/outcome.hpp"

namespace gyre::effect {

template <class T>
class Effectful;

class EffectfulBase;
class EffectfulPromise;

// One call into the guest: what it goes on with, and where it says how it ended.
struct Visit {
    TaskHost& tasks;
    Step& step;
    Value answer;
    EffectfulPromise* next;  // to be resumed in this call; null: the guest is left
};

// What all these coroutines share. A continuation of the guest names the innermost one of those
// that await each other; it owns the others. The promise types must not be more aligned than this
// one, so that a coroutine can be found from it.
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
    // While it runs.
    [[nodiscard]] Visit& visit() const noexcept { return *visit_; }
    // For awaiters: the guest is left, and goes on here with an answer that is wanted.
    void leave(StepStatus status, Accepts is_wanted = nullptr) noexcept {
        visit_->step.status = status;
        visit_->step.continuation = reinterpret_cast<Continuation>(this);
        accepts_ = is_wanted;
    }
    [[nodiscard]] bool accepts(const Value& answer) const noexcept {
        return accepts_ == nullptr || accepts_(answer);
    }
    // The outermost has ended: gives its value, or throws what it failed with.
    void finish(Step& step) { finish_(*this, step); }
    // Frees the frame; gives the one that awaits it.
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
        Accepts accepts_;  // while the guest is left
    };
    EffectfulPromise* parent_ = nullptr;
    union {
        EffectfulBase* holder_;  // in the frame of the parent, where there is one
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

    // Awaited by another one. Its frame goes with the await.
    [[nodiscard]] auto operator co_await() && noexcept { return Await{std::move(*this)}; }
    // The outermost of those that await each other. Who takes it resumes or destroys it.
    [[nodiscard]] EffectfulPromise& to_outermost() && noexcept {
        promise_->set_outermost(&finish);
        return *std::exchange(promise_, nullptr);
    }

private:
    struct Await {
        Effectful child;
        [[nodiscard]] bool await_ready() const noexcept { return false; }
        // Not a transfer: the trampoline of the guest goes on, so that the stack does not grow.
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

// `co_await perform(op, arguments...)`: asks the handler of the op, and gives what it answers.
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
        const OpInfo* op_;      // until it asks
        EffectfulPromise* by_;  // from then on
    };
    std::tuple<Args...> args_;
};

template <class R, class... Params, ResumeKind kind, class... Args>
    requires(std::convertible_to<Args &&, Params> && ...)
auto perform(const TypedOp<R(Params...), kind>& op, Args&&... args) {
    static_assert(sizeof...(Params) == sizeof...(Args), "the op takes another number of arguments");
    return Perform<R, Params...>(op.info, static_cast<Params>(std::forward<Args>(args))...);
}

// The functions that runs can start. Fill it before the first does; it outlives them.
class CoroutineGuest final : public Guest {
public:
    // A function that gives an Effectful. Of a lambda with captures, these live here.
    template <class R, class... Args>
    CoroutineGuest& add(std::string name, Effectful<R> (*function)(Args...)) {
        return add_entry<R, Args...>(std::move(name), function);
    }
    template <class F>
        requires requires { &F::operator(); }
    CoroutineGuest& add(std::string name, F function) {
        return add_callable(std::move(name), std::move(function), &F::operator());
    }

    // Its coroutines name their ops when they perform them.
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
