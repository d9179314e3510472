// SPDX-License-Identifier: Apache-2.0
// NativeRoutine: a Routine written as a C++ coroutine, for async functions of the standard surface:
// `co_await future` gives its outcome, `co_yield value` whether the generator continues, and
// `co_return` ends. Its arguments are copied into its frame; they point to the heap.
#pragma once

#include <coroutine>
#include <exception>

#include "lang/vela/reference/runtime.hpp"

namespace gyre::vela {

// The outcome of an awaited future.
struct Settled {
    bool is_error = false;
    Value value;

    // Gives the value or throws the error.
    [[nodiscard]] Value get() const {
        if (is_error) throw Thrown{value};
        return value;
    }
};

class NativeRoutine {
public:
    struct promise_type;
    using Handle = std::coroutine_handle<promise_type>;

    struct Wait {
        promise_type* promise;
        bool await_ready() const noexcept { return false; }
        void await_suspend(Handle) const noexcept {}
        Settled await_resume() const {
            return {promise->with.kind != ResumeKind::value, promise->with.value};
        }
    };
    struct Yield {
        promise_type* promise;
        bool await_ready() const noexcept { return false; }
        void await_suspend(Handle) const noexcept {}
        bool await_resume() const {
            if (promise->with.kind == ResumeKind::error) throw Thrown{promise->with.value};
            return promise->with.kind == ResumeKind::value;
        }
    };
    struct promise_type {
        Step step;
        Resume with;
        std::exception_ptr error;

        NativeRoutine get_return_object() { return NativeRoutine(Handle::from_promise(*this)); }
        std::suspend_always initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        void return_value(Value value) { step = {StepKind::ends, value}; }
        void unhandled_exception() { error = std::current_exception(); }
        Wait await_transform(Future* future) {
            step = {StepKind::waits, future};
            return Wait{this};
        }
        Yield yield_value(Value value) {
            step = {StepKind::yields, value};
            return Yield{this};
        }
    };

    // Wraps a coroutine as a Routine.
    operator std::unique_ptr<Routine>() && {
        return std::make_unique<Owner>(std::exchange(handle_, nullptr));
    }
    NativeRoutine(NativeRoutine&& other) noexcept
        : handle_(std::exchange(other.handle_, nullptr)) {}
    NativeRoutine& operator=(NativeRoutine&&) = delete;
    ~NativeRoutine() {
        if (handle_) handle_.destroy();
    }

private:
    class Owner : public Routine {
    public:
        explicit Owner(Handle handle) : handle_(handle) {}
        Owner(const Owner&) = delete;
        Owner& operator=(const Owner&) = delete;
        ~Owner() override { handle_.destroy(); }

        Step resume(const Resume& with) override {
            promise_type& promise = handle_.promise();
            promise.with = with;
            handle_.resume();
            if (!promise.error) return promise.step;
            try {
                std::rethrow_exception(promise.error);
            } catch (const Thrown& thrown) {
                return {StepKind::fails, thrown.error};
            }
        }

    private:
        Handle handle_;
    };

    explicit NativeRoutine(Handle handle) : handle_(handle) {}

    Handle handle_;
};

}  // namespace gyre::vela
