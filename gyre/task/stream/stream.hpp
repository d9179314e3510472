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
// Cancel: of `next`: cancels the generator in the await that it is in, which ends the stream.
//
// An exception of the generator is thrown by `next`, and ends the stream. A generator that is left
// before its end: `co_await stream.aclose()` resumes it with Cancelled at its co_yield and awaits
// its clean-up, which may await. A dropped stream leaves that to a task of the root scope that
// cannot be cancelled. A generator that never started has nothing to clean up.
#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "gyre/task/core/detail/coroutine.hpp"
#include "gyre/task/core/scope.hpp"

namespace gyre {

template <class T>
class [[nodiscard("a stream does nothing until it is awaited")]] Stream;

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

    Executor* executor_ = nullptr;  // from its first run on
    bool is_running_ = false;       // inside the await of a consumer
    std::exception_ptr closing_;    // the Cancelled that it is to end with
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
        Await(PromiseBase& consumer, Generator generator) noexcept : generator_(generator) {
            slot_.set_parent(consumer);
        }
        Await(const Await&) = delete;
        Await& operator=(const Await&) = delete;
        ~Await() = default;

        [[nodiscard]] bool await_ready() noexcept {
            if (generator_ == nullptr || generator_.done()) {
                slot_.outcome.set_value(std::nullopt);
                return true;
            }
            promise_type& promise = generator_.promise();
            GYRE_ASSERT(!promise.is_running_,
                        "a stream has one consumer at a time: another task is in its next()");
            Task& task = slot_.parent()->task();
            promise.is_running_ = true;
            promise.executor_ = &task.executor();
            promise.join(task, slot_);
            is_started_ = promise.run_inside();
            return slot_.outcome.is_settled();
        }
        void await_suspend(std::coroutine_handle<> /*consumer*/) noexcept {
            slot_.set_parent_waiting();
            if (!is_started_) generator_.promise().run_next();
        }
        std::optional<T> await_resume() {
            if (generator_ != nullptr) generator_.promise().is_running_ = false;
            return slot_.outcome.take();
        }

    private:
        Generator generator_;
        Slot<std::optional<T>> slot_;
        bool is_started_ = false;
    };
    struct [[nodiscard]] Next {
        Stream* stream;
        [[nodiscard]] auto await_in(PromiseBase& consumer) const noexcept {
            return Await(consumer, stream->generator_);
        }
    };

    explicit Stream(Generator generator) noexcept : generator_(generator) {}

    // It is suspended at a co_yield. A running generator is dropped only with its whole task.
    [[nodiscard]] bool needs_clean_up() const noexcept {
        if (generator_ == nullptr || generator_.done()) return false;
        return generator_.promise().executor_ != nullptr && !generator_.promise().is_running_;
    }
    void destroy() noexcept { std::exchange(generator_, {}).destroy(); }

    static Future<void> close(Stream stream) {
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
        throw std::logic_error("a stream that is being closed has yielded: let Cancelled pass");
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
