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

// One call into a strand: what it goes on with, and where it says how it ended.
struct Visit {
    TaskHost& tasks;
    Step& step;
    Value answer;
};

// One line of execution of a coroutine guest: what a continuation names. It owns its frames.
struct Strand : Pooled {
    EffectfulPromise* root = nullptr;
    EffectfulPromise* next = nullptr;  // to be resumed: the innermost; null when the root has ended
    Visit* visit = nullptr;            // while it runs
    bool (*accepts)(const Value&) noexcept = nullptr;  // whether the answer fits what it awaits
    void (*finish)(Strand&) = nullptr;                 // the root has ended: gives its value

    Strand() noexcept = default;
    Strand(const Strand&) = delete;
    Strand& operator=(const Strand&) = delete;
    ~Strand();

    // For awaiters: the guest is left, and goes on with `by`.
    void leave(EffectfulPromise& by, StepStatus status) noexcept {
        next = &by;
        visit->step.status = status;
        visit->step.continuation = reinterpret_cast<Continuation>(this);
    }
};

// The promise types must not be more aligned than this one, so that a coroutine can be found from
// it.
class EffectfulPromise {
public:
    static void* operator new(std::size_t size_bytes) { return FramePool::allocate(size_bytes); }
    static void operator delete(void* memory, std::size_t size_bytes) noexcept {
        FramePool::free(memory, size_bytes);
    }
    [[nodiscard]] std::suspend_always initial_suspend() const noexcept { return {}; }
    [[nodiscard]] std::suspend_always final_suspend() const noexcept {
        strand_->next = parent_;
        return {};
    }
    [[nodiscard]] Strand& strand() const noexcept { return *strand_; }
    void join(Strand& strand, EffectfulPromise* parent, EffectfulBase* holder) noexcept {
        strand_ = &strand;
        parent_ = parent;
        holder_ = holder;
    }
    void resume() { handle().resume(); }
    // Frees the frame; gives the one that awaits it.
    EffectfulPromise* destroy() noexcept;

protected:
    EffectfulPromise() noexcept = default;
    ~EffectfulPromise() = default;

private:
    [[nodiscard]] std::coroutine_handle<EffectfulPromise> handle() noexcept {
        return std::coroutine_handle<EffectfulPromise>::from_promise(*this);
    }

    Strand* strand_ = nullptr;
    EffectfulPromise* parent_ = nullptr;
    EffectfulBase* holder_ = nullptr;  // in the frame of the parent
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

    // Awaited by another one, on the same strand. Its frame goes with the await.
    [[nodiscard]] auto operator co_await() && noexcept { return Await{std::move(*this)}; }
    // A strand of its own, for a guest.
    [[nodiscard]] std::unique_ptr<Strand> to_strand() && {
        auto strand = std::make_unique<Strand>();
        strand->root = strand->next = std::exchange(promise_, nullptr);
        strand->root->join(*strand, nullptr, nullptr);
        strand->finish = &finish;
        return strand;
    }

private:
    struct Await {
        Effectful child;
        [[nodiscard]] bool await_ready() const noexcept { return false; }
        // Not a transfer: the trampoline of the guest goes on, so that the stack does not grow.
        template <class Promise>
        void await_suspend(std::coroutine_handle<Promise> parent) noexcept {
            Strand& strand = parent.promise().strand();
            child.promise_->join(strand, &parent.promise(), &child);
            strand.next = child.promise_;
        }
        T await_resume() { return static_cast<promise_type*>(child.promise_)->outcome.take(); }
    };
    static void finish(Strand& strand) {
        auto& outcome = static_cast<promise_type*>(strand.root)->outcome;
        outcome.throw_failure();
        if constexpr (!std::is_void_v<T>) strand.visit->step.value = Codec<T>::to(outcome.take());
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
        : op_(op), args_(std::forward<Args>(args)...) {}
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    template <class Promise>
    void await_suspend(std::coroutine_handle<Promise> by) {
        strand_ = &by.promise().strand();
        Step& step = strand_->visit->step;
        strand_->leave(by.promise(), StepStatus::effect);
        strand_->accepts = &Codec<R>::fits;
        step.op = &op_;
        step.kind = op_.kind;
        std::apply(
            [&step](auto&&... args) {
                (step.arguments.push_back(Codec<std::decay_t<decltype(args)>>::to(std::move(args))),
                 ...);
            },
            args_);
    }
    R await_resume() {
        if constexpr (!std::is_void_v<R>) return Codec<R>::from(std::move(strand_->visit->answer));
    }

private:
    const OpInfo& op_;
    std::tuple<Args...> args_;
    Strand* strand_ = nullptr;
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
    using Begin = std::move_only_function<std::unique_ptr<Strand>(const Arguments&)>;
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
                            [function = std::move(function)](const Arguments& arguments) mutable {
                                return begin_with<Args...>(function, arguments,
                                                           std::index_sequence_for<Args...>());
                            }});
        return *this;
    }
    template <class... Args, class F, std::size_t... at>
    static std::unique_ptr<Strand> begin_with(F& function,
                                              [[maybe_unused]] const Arguments& arguments,
                                              std::index_sequence<at...>) {
        return function(argument_at<Args>(arguments, at)...).to_strand();
    }
    static Step run(Strand& strand, Value answer, TaskHost& tasks);

    std::vector<Entry> entries_;
};

}  // namespace gyre::effect
