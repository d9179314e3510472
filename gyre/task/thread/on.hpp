// SPDX-License-Identifier: Apache-2.0
// on: calls an async function on the executor of another loop, as a task of its root scope, and
// returns or throws as the function does. The loop is named by its executor, or by Loop::app_ref,
// which stays valid after the loop has ended. The two loops are peers.
//
//     Rows rows = co_await on(database_loop.app_ref(), query, std::move(text));
//
// Thread: a task of one loop; the function runs on the thread of the other.
// Lifetime: function and arguments are in the frame of the caller: move them in. The call always
// awaits the end of the task.
// Cancel: the request is forwarded and the end of the task awaited; if the task returns a value
// anyway, the value counts.
//
// If the other loop has closed, the Error is owner_dead.
#pragma once

#include <tuple>
#include <type_traits>
#include <utility>

#include "gyre/kernel/op.hpp"
#include "gyre/task/core/detail/await_temporary.hpp"
#include "gyre/task/core/future.hpp"
#include "gyre/task/core/scope.hpp"
#include "gyre/task/thread/detail/executor_message.hpp"

namespace gyre {

// An op that starts a task on another executor and completes when that task has ended. It lives in
// the frame of the caller. Between its arrival and its completion only the other thread touches it.
class RemoteCall : public ExecutorMessage {
public:
    // Cancels the task: the initiator has cancelled the call.
    void recall() noexcept {
        GYRE_ASSERT(task_ != nullptr, "a call is recalled after its arrival");
        task_->cancel("its caller on another loop is cancelled");
    }

protected:
    // Spawns a task in the root scope. The task must not fail.
    using Start = TaskHandle<void> (*)(RemoteCall& call, Executor& at);
    explicit RemoteCall(Start start) noexcept : ExecutorMessage(&on_arrival), start_(start) {}

private:
    static void on_arrival(ExecutorMessage& message, Executor& at) noexcept {
        auto& call = static_cast<RemoteCall&>(message);
        GYRE_ASSERT(call.task_ == nullptr, "a call arrives once");
        TaskHandle<void> task = call.start_(call, at);
        call.task_ = &task.task();
        call.task_->rare().trace_id = call.trace_id();
        // Called for a task that was cancelled before it began, too.
        task.on_complete([&call, &at] { at.complete(call, 0); });
    }

    const Start start_;
    Task* task_ = nullptr;  // the task on the other loop
};

template <class F, class... Args>
class [[nodiscard]] On {
    using T = typename std::invoke_result_t<F&, Args...>::value_type;
    using Call = std::tuple<F, Args...>;

public:
    On(MachineRef there, F function, Args... args)
        : there_(there), call_(std::move(function), std::move(args)...) {
        GYRE_ASSERT(there_, "name the loop to call: this MachineRef is empty");
    }
    [[nodiscard]] auto await_in(PromiseBase& promise) && noexcept {
        return Await(promise, there_, std::move(call_));
    }

private:
    class Await final : public Suspension, private RemoteCall {
    public:
        Await(PromiseBase& promise, MachineRef there, Call call) noexcept
            : RemoteCall(&start), call_(std::move(call)) {
            attach(promise);
            set_destination(there);
        }
        [[nodiscard]] bool await_ready() noexcept { return begin(); }
        void await_suspend(std::coroutine_handle<> by) noexcept {
            executor().submit_for(*this, *this);
            wait(by);
        }
        T await_resume() {
            end();
            return outcome_.take();
        }

        void cancel() noexcept override {
            is_recalled_ = true;
            executor().cancel(static_cast<Op&>(*this), &message_);
        }
        void on_complete(Op& op) noexcept override {
            const bool has_outcome = outcome_.is_settled();
            if (is_recalled_ && (!has_outcome || gyre::is_cancelled(outcome_.failure()))) {
                wake_cancelled();
                return;
            }
            if (!has_outcome) {
                // Refused, or cancelled before it began because the other loop closes.
                outcome_.set_error(op.result() < 0 ? op.error() : Error(std::errc::owner_dead));
            }
            wake();
        }
        [[nodiscard]] const char* what() const noexcept override {
            return "a call on another loop";
        }
        [[nodiscard]] const Op* pending_op() const noexcept override { return this; }

    private:
        static TaskHandle<void> start(RemoteCall& call, Executor& at) {
            return at.root().spawn(run(static_cast<Await&>(call)));
        }
        // Runs on the other loop.
        static Future<void> run(Await& self) {
            co_await await_outcome(self.outcome_, self.begin_call());
        }
        Future<T> begin_call() {
            return std::apply(
                [](F& function, Args&... args) { return function(std::move(args)...); }, call_);
        }

        Call call_;
        Outcome<T> outcome_;
        CancelOp message_;
        bool is_recalled_ = false;
    };

    MachineRef there_;
    Call call_;
};

template <class F, class... Args>
    requires AsyncFunction<std::decay_t<F>, std::decay_t<Args>...>
[[nodiscard]] auto on(MachineRef there, F&& function, Args&&... args) {
    check_await_temporary<F, Args...>();
    return On<std::decay_t<F>, std::decay_t<Args>...>(there, std::forward<F>(function),
                                                      std::forward<Args>(args)...);
}
template <class F, class... Args>
    requires AsyncFunction<std::decay_t<F>, std::decay_t<Args>...>
[[nodiscard]] auto on(Executor& there, F&& function, Args&&... args) {
    return on(there.loop().app_ref(), std::forward<F>(function), std::forward<Args>(args)...);
}

}  // namespace gyre
