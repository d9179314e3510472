// SPDX-License-Identifier: Apache-2.0
// Eval<T>: a suspendable evaluation, as a lazy C++ coroutine. A Machine is the stack of evaluations
// that await each other; it resumes the innermost in a loop, so that deep programs do not use the
// C++ stack. One thread; an Eval is destroyed with its owner.
#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

#include "lang/vela/reference/runtime.hpp"

namespace gyre::vela::internal {

class Machine {
public:
    std::vector<std::coroutine_handle<>> stack;
    std::optional<Step> stopped;  // set while the innermost one awaits or yields
    Resume with;                  // how it is resumed

    // True if all have ended, false if one suspended.
    bool run() {
        stopped.reset();
        while (!stack.empty() && !stopped) stack.back().resume();
        return stack.empty();
    }
};

struct PromiseBase {
    Machine* machine = nullptr;
    std::exception_ptr error;

    struct Final {
        PromiseBase* promise;
        bool await_ready() const noexcept { return false; }
        void await_suspend(std::coroutine_handle<>) const noexcept {
            promise->machine->stack.pop_back();
        }
        void await_resume() const noexcept {}
    };
    std::suspend_always initial_suspend() noexcept { return {}; }
    Final final_suspend() noexcept { return {this}; }
    void unhandled_exception() { error = std::current_exception(); }
};

template <class T>
class Eval {
public:
    struct promise_type : PromiseBase {
        T value{};

        Eval get_return_object() {
            return Eval(std::coroutine_handle<promise_type>::from_promise(*this));
        }
        void return_value(T of) { value = of; }
    };

    Eval(Eval&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    Eval& operator=(Eval&&) = delete;
    ~Eval() {
        if (handle_) handle_.destroy();
    }

    // Awaited by another evaluation.
    bool await_ready() const noexcept { return false; }
    template <class Promise>
    void await_suspend(std::coroutine_handle<Promise> outer) {
        begin(*outer.promise().machine);
    }
    T await_resume() { return result(); }

    // As the outermost of a machine.
    void begin(Machine& machine) {
        handle_.promise().machine = &machine;
        machine.stack.push_back(handle_);
    }
    T result() {
        if (handle_.promise().error) std::rethrow_exception(handle_.promise().error);
        return handle_.promise().value;
    }

private:
    explicit Eval(std::coroutine_handle<promise_type> handle) : handle_(handle) {}

    std::coroutine_handle<promise_type> handle_;
};

// Suspends the machine: awaits a future, or yields a value.
struct Stop {
    Step step;
    Machine* machine = nullptr;

    bool await_ready() const noexcept { return false; }
    template <class Promise>
    void await_suspend(std::coroutine_handle<Promise> outer) {
        machine = outer.promise().machine;
        machine->stopped = step;
    }
    // The value it was resumed with; throws an error.
    Resume await_resume() const {
        if (machine->with.kind == ResumeKind::error) throw Thrown{machine->with.value};
        return machine->with;
    }
};

// An async body or a generator.
class EvalRoutine : public Routine {
public:
    explicit EvalRoutine(Eval<Value> body) : body_(std::move(body)) { body_.begin(machine_); }

    Step resume(const Resume& with) override {
        machine_.with = with;
        if (!machine_.run()) return *machine_.stopped;
        try {
            return {StepKind::ends, body_.result()};
        } catch (const Thrown& thrown) {
            return {StepKind::fails, thrown.error};
        }
    }

private:
    Machine machine_;
    Eval<Value> body_;
};

}  // namespace gyre::vela::internal
