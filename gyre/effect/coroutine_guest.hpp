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

// One line of execution of a coroutine guest: what a continuation names.
struct Strand : Pooled {
    std::coroutine_handle<> root;  // owns all frames
    std::coroutine_handle<> next;  // to be resumed; none where it performs or has ended
    Step* step = nullptr;          // while it runs: where it says how
    TaskHost* tasks = nullptr;     // while it runs
    Value answer;
    bool (*accepts)(const Value&) noexcept = nullptr;  // whether the answer fits what it awaits
    std::exception_ptr failure;                        // of the outermost coroutine
    void (*finish)(Strand&) = nullptr;                 // gives the value of the outermost coroutine

    ~Strand() {
        if (root) root.destroy();
    }
};

class EffectfulPromise {
public:
    static void* operator new(std::size_t size_bytes) { return FramePool::allocate(size_bytes); }
    static void operator delete(void* memory, std::size_t size_bytes) noexcept {
        FramePool::free(memory, size_bytes);
    }
    [[nodiscard]] std::suspend_always initial_suspend() const noexcept { return {}; }
    [[nodiscard]] auto final_suspend() const noexcept {
        struct Await {
            bool await_ready() const noexcept { return false; }
            void await_suspend(std::coroutine_handle<> /*self*/) const noexcept {}
            void await_resume() const noexcept {}
        };
        strand_->next = parent_;
        return Await();
    }
    [[nodiscard]] Strand& strand() const noexcept { return *strand_; }
    void join(Strand& strand, std::coroutine_handle<> parent) noexcept {
        strand_ = &strand;
        parent_ = parent;
    }

private:
    Strand* strand_ = nullptr;
    std::coroutine_handle<> parent_;
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
class [[nodiscard("an effectful function does nothing until it is awaited")]] Effectful {
public:
    using promise_type = EffectfulPromiseOf<T>;
    using value_type = T;

    explicit Effectful(std::coroutine_handle<promise_type> coroutine) noexcept
        : coroutine_(coroutine) {}
    Effectful(Effectful&& other) noexcept : coroutine_(std::exchange(other.coroutine_, nullptr)) {}
    Effectful& operator=(Effectful&& other) noexcept {
        std::swap(coroutine_, other.coroutine_);
        return *this;
    }
    ~Effectful() {
        if (coroutine_) coroutine_.destroy();
    }

    // Awaited by another one, on the same strand. Its frame goes with the await.
    [[nodiscard]] auto operator co_await() && noexcept { return Await{std::move(*this)}; }
    // A strand of its own, for a guest.
    [[nodiscard]] std::unique_ptr<Strand> to_strand() && {
        auto strand = std::make_unique<Strand>();
        strand->next = coroutine_;
        strand->finish = &finish;
        coroutine_.promise().join(*strand, nullptr);
        strand->root = std::exchange(coroutine_, nullptr);
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
            child.coroutine_.promise().join(strand, parent);
            strand.next = child.coroutine_;
        }
        T await_resume() { return child.coroutine_.promise().outcome.take(); }
    };
    static void finish(Strand& strand) {
        auto& promise =
            std::coroutine_handle<promise_type>::from_address(strand.root.address()).promise();
        promise.outcome.throw_failure();
        if constexpr (!std::is_void_v<T>) {
            strand.step->value = Codec<T>::to(promise.outcome.take());
        }
    }

    std::coroutine_handle<promise_type> coroutine_;
};

template <class T>
Effectful<T> EffectfulPromiseOf<T>::get_return_object() noexcept {
    return Effectful<T>(std::coroutine_handle<EffectfulPromiseOf>::from_promise(*this));
}
inline Effectful<void> EffectfulPromiseOf<void>::get_return_object() noexcept {
    return Effectful<void>(std::coroutine_handle<EffectfulPromiseOf>::from_promise(*this));
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
        Step& step = *strand_->step;
        step.status = StepStatus::effect;
        step.op = &op_;
        step.kind = op_.kind;
        std::apply(
            [&step](auto&&... args) {
                (step.arguments.push_back(Codec<std::decay_t<decltype(args)>>::to(std::move(args))),
                 ...);
            },
            args_);
        strand_->accepts = &Codec<R>::fits;
        strand_->next = by;
        step.continuation = reinterpret_cast<Continuation>(strand_);
    }
    R await_resume() {
        if constexpr (!std::is_void_v<R>) return Codec<R>::from(std::move(strand_->answer));
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
    static Step run(Strand& strand, TaskHost& tasks);

    std::vector<Entry> entries_;
};

}  // namespace gyre::effect
