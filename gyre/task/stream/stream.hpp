// SPDX-License-Identifier: Apache-2.0
// Stream<T>: values one after another, from a coroutine that yields them. Lazy: the generator runs
// only inside the await of `next`, in that task. Move-only, with one consumer at a time.
//
//     Stream<int> ticks(int count) {
//         for (int i = 0; i < count; ++i) {
//             co_await sleep(1s);
//             co_yield i;
//         }
//     }
//     auto stream = ticks(3);
//     while (auto tick = co_await stream.next()) use(*tick);
//
// Thread: the executor on which it is first awaited.
// Lifetime: close it with `aclose`, or drop it: see below.
// Cancel: of `co_await stream.next()`: cancels the generator in the await that it is in, which ends
// the stream. A `next` inside a combinator, as in `timeout(stream.next(), 1s)`, did nothing: the
// generator goes on in a task of the root scope, and the following `next` gets the value.
//
// An exception of the generator is thrown by `next`, and ends the stream. A generator that is left
// before its end: `co_await stream.aclose()` resumes it with Cancelled at its co_yield and awaits
// its clean-up, which may await. A dropped stream leaves that to a task of the root scope that
// cannot be cancelled. A generator that never started has nothing to clean up.
#pragma once

#include <coroutine>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "gyre/base/failure.hpp"
#include "gyre/task/combine/shield.hpp"
#include "gyre/task/core/detail/coroutine.hpp"
#include "gyre/task/core/promise.hpp"
#include "gyre/task/core/scope.hpp"

namespace gyre {

template <class T>
class [[nodiscard("a stream does nothing until it is awaited")]] Stream;

// A run of the generator to its next value in a task of its own, which nobody has to wait for.
template <class T>
struct StreamStep {
    SharedFuture<std::optional<T>> value;
    TaskHandle<void> task;
};

template <class T>
class StreamPromise : public PromiseBase {
public:
    Stream<T> get_return_object() noexcept;

    template <class Value = T>
        requires std::is_constructible_v<T, Value&&>
    [[nodiscard]] auto yield_value(Value&& value) {
        outcome().set_value(std::in_place, std::forward<Value>(value));
        return Yielded{*this};
    }
    void return_void() noexcept { outcome().set_value(std::nullopt); }
    void unhandled_exception() noexcept { outcome().set_exception(current_exception()); }
    // Stays suspended, so that the Stream sees that it is done.
    [[nodiscard]] std::suspend_always final_suspend() noexcept {
        finish();
        return {};
    }

private:
    friend class Stream<T>;

    struct Yielded {
        StreamPromise& promise;
        [[nodiscard]] bool await_ready() const noexcept { return false; }
        void await_suspend(std::coroutine_handle<> /*generator*/) const noexcept {
            promise.finish();
        }
        void await_resume() const {
            if (promise.closing_ != nullptr) std::rethrow_exception(promise.closing_);
        }
    };

    [[nodiscard]] Outcome<std::optional<T>>& outcome() noexcept {
        return static_cast<Slot<std::optional<T>>*>(slot_)->outcome;
    }

    Executor* executor_ = nullptr;         // from its first run on
    bool is_running_ = false;              // inside the await of a consumer, or in a step
    bool is_orphaned_ = false;             // its Stream is gone: the step destroys it
    std::exception_ptr closing_;           // the Cancelled that it is to end with
    std::unique_ptr<StreamStep<T>> step_;  // begun, and its value not taken yet
};

template <class T>
class Stream {
public:
    using promise_type = StreamPromise<T>;
    using value_type = T;

    Stream(Stream&& other) noexcept
        : generator_(std::exchange(other.generator_, nullptr)), is_dropped_(other.is_dropped_) {}
    Stream& operator=(Stream&& other) noexcept {
        const Stream old(std::exchange(generator_, std::exchange(other.generator_, nullptr)));
        return *this;
    }
    ~Stream() {
        if (generator_ == nullptr) return;
        Executor* const executor = generator_.promise().executor_;
        if (needs_clean_up() && !is_dropped_ && executor->is_attached()) {
            GYRE_ASSERT(executor->is_here(),
                        "a stream that has begun is dropped on another thread: await aclose() on "
                        "the thread of its executor");
            is_dropped_ = true;
            executor->root().spawn_clean_up(close(std::move(*this)));
        } else {
            destroy();
        }
    }

    // `co_await stream.next()`: the next value, or none at the end.
    [[nodiscard]] auto next() noexcept { return Next{this}; }

    // Ends the generator, and waits for its clean-up; throws if that fails. The stream is empty
    // from the call on. A cancel is passed on to the clean-up: use shield to prevent that.
    [[nodiscard]] Future<void> aclose() { return close(std::move(*this)); }

    // Chains: each consumes the stream, and closes it if it ends early.
    //
    // Calls the function with each value and yields its result; it may give a future.
    template <class F>
    [[nodiscard]] auto map(F function) &&;
    // Yields the values for which the function, of a const T&, is true.
    template <class F>
    [[nodiscard]] Stream filter(F function) &&;
    // Yields the first `count` values at most.
    [[nodiscard]] Stream take(std::size_t count) &&;
    // Calls the function with each value, one after another; it may give a future.
    template <class F>
    [[nodiscard]] Future<void> for_each(F function) &&;
    [[nodiscard]] Future<std::vector<T>> collect() &&;

private:
    friend promise_type;
    using Generator = std::coroutine_handle<promise_type>;

    // The awaiter: runs the generator to its next value or its end.
    class Await {
    public:
        Await(PromiseBase& consumer, Generator generator, bool is_step) noexcept
            : generator_(generator), is_step_(is_step) {
            slot_.set_parent(consumer);
        }
        Await(const Await&) = delete;
        Await& operator=(const Await&) = delete;
        ~Await() {
            if (child_ == nullptr || slot_.outcome.is_settled()) return;
            // Its task is destroyed before its end.
            const bool is_generator = child_ == &generator_.promise();
            if (!is_generator || generator_.promise().is_orphaned_) child_->destroy();
        }

        [[nodiscard]] bool await_ready() {
            child_ = child_to_run();
            if (child_ == nullptr) {
                slot_.outcome.set_value(std::nullopt);
                return true;
            }
            child_->join(slot_.parent()->task(), slot_);
            is_started_ = child_->run_inside();
            return slot_.outcome.is_settled();
        }
        void await_suspend(std::coroutine_handle<> /*consumer*/) noexcept {
            slot_.set_parent_waiting();
            if (!is_started_) child_->run_next();
        }
        std::optional<T> await_resume() {
            if (child_ != nullptr && child_ == &generator_.promise()) {
                generator_.promise().is_running_ = false;
            }
            return slot_.outcome.take();
        }

    private:
        // Null at the end of the stream.
        [[nodiscard]] PromiseBase* child_to_run() {
            if (generator_ == nullptr) return nullptr;
            promise_type& promise = generator_.promise();
            if (promise.step_ != nullptr && !is_step_) {
                return &next_of_step(generator_).release().promise();
            }
            if (generator_.done()) return nullptr;
            GYRE_ASSERT(!promise.is_running_,
                        "a stream has one consumer at a time: another task is in its next()");
            promise.is_running_ = true;
            promise.executor_ = &slot_.parent()->task().executor();
            return &promise;
        }

        Generator generator_;
        PromiseBase* child_ = nullptr;  // the generator, or the wait for its step
        Slot<std::optional<T>> slot_;
        const bool is_step_;  // of begin_step
        bool is_started_ = false;
    };
    struct [[nodiscard]] Next {
        Stream* stream;
        [[nodiscard]] auto await_in(PromiseBase& consumer) const noexcept {
            return Await(consumer, stream->generator_, false);
        }
        // For combinators.
        [[nodiscard]] Future<std::optional<T>> as_future() && {
            return next_of_step(stream->generator_);
        }
    };

    // Begins a step, unless one has begun, and takes its value.
    static Future<std::optional<T>> next_of_step(Generator generator) {
        if (generator == nullptr) co_return std::nullopt;
        std::unique_ptr<StreamStep<T>>& step = generator.promise().step_;
        Task& task = co_await this_task();
        if (step == nullptr) step = begin_step(task.executor(), generator);
        SharedFuture<std::optional<T>> value = step->value;
        try {
            static_cast<void>(co_await value);
        } catch (...) {
            if (!value.is_settled()) throw;  // This wait was cancelled; the step goes on.
        }
        step.reset();
        co_return co_await std::move(value);
    }
    static std::unique_ptr<StreamStep<T>> begin_step(Executor& executor, Generator generator) {
        generator.promise().executor_ = &executor;
        Promise<std::optional<T>> promise;
        SharedFuture<std::optional<T>> value = promise.future();
        TaskHandle<void> task = executor.root().spawn(run_step(generator, std::move(promise)));
        task.set_name("a step of a stream");
        return std::make_unique<StreamStep<T>>(std::move(value), std::move(task));
    }
    static Future<void> run_step(Generator generator, Promise<std::optional<T>> promise) {
        Promise<std::optional<T>> mine = std::move(promise);
        co_await mine.settle_as(run_generator(generator));
    }
    static Future<std::optional<T>> run_generator(Generator generator) {
        co_return co_await Run{generator};
    }
    struct [[nodiscard]] Run {
        Generator generator;
        [[nodiscard]] auto await_in(PromiseBase& consumer) const noexcept {
            return Await(consumer, generator, true);
        }
    };
    // Cancels a step that has begun, and waits for its end; throws if its clean-up failed.
    static Future<void> end_step(StreamStep<T> step) {
        step.task.cancel("its stream is closed");
        try {
            co_await step.task;
            static_cast<void>(co_await step.value);
        } catch (const Cancelled&) {
        } catch (const BrokenPromise&) {  // It was cancelled before it began.
        }
    }

    explicit Stream(Generator generator) noexcept : generator_(generator) {}

    // It is suspended at a co_yield, or in a step. A generator that runs inside its consumer is
    // dropped only with the whole task.
    [[nodiscard]] bool needs_clean_up() const noexcept {
        if (generator_ == nullptr) return false;
        if (is_in_step()) return true;
        const promise_type& promise = generator_.promise();
        return !generator_.done() && promise.executor_ != nullptr && !promise.is_running_;
    }
    [[nodiscard]] bool is_in_step() const noexcept {
        const auto& step = generator_.promise().step_;
        return step != nullptr && !step->task.is_completed();
    }
    // A step that its executor did not end destroys the generator with its own frames.
    void destroy() noexcept {
        if (is_in_step()) {
            generator_.promise().is_orphaned_ = true;
        } else {
            generator_.promise().destroy();
        }
        generator_ = nullptr;
    }

    static Future<void> close(Stream stream) {
        if (stream.generator_ != nullptr) {
            const auto step = std::move(stream.generator_.promise().step_);
            if (step != nullptr) co_await shield(end_step(std::move(*step)));
        }
        if (!stream.needs_clean_up()) co_return;
        const auto closing = std::make_exception_ptr(Cancelled("its stream is closed"));
        stream.generator_.promise().closing_ = closing;
        bool has_yielded = false;
        try {
            const std::optional<T> value = co_await stream.next();
            has_yielded = value.has_value();
        } catch (...) {
            if (std::current_exception() != closing) throw;
        }
        if (!has_yielded) co_return;
        stream.destroy();
        throw Failure("a stream that is being closed has yielded: let Cancelled pass");
    }
    Generator generator_;
    bool is_dropped_ = false;  // its clean-up task has it: do not start another one
};

template <class T>
Stream<T> StreamPromise<T>::get_return_object() noexcept {
    return Stream<T>(std::coroutine_handle<StreamPromise>::from_promise(*this));
}

}  // namespace gyre

#include "gyre/task/stream/detail/stream_chain.hpp"
