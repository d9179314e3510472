// SPDX-License-Identifier: Apache-2.0
// `co_await on(there, function, args...)`: calls an async function on the executor of another loop,
// as a task of its root scope, and comes back with what it gives or throws. `there` is that
// executor, or its name as the app machine of its loop (Loop::app_ref), which is good for ever; the
// two loops are peers. The function and its arguments live in the frame of the caller, so they may
// be moved there but not shared; the call awaits the task, whatever happens.
//
//     Rows rows = co_await on(database_loop.app_ref(), query, std::move(text));
//
// Cancel class: the request is carried over and the task's end awaited. It is cancelled where that
// was cancelled, or had not begun; what it gave instead stands. Where the other loop has closed,
// the Error owner_dead says so.
//
// g++ 12 destroys captures twice that are no plain data, where the lambda stands inside the
// co_await: give such a lambda a name first, and move it in.
#pragma once

#include <tuple>
#include <type_traits>
#include <utility>

#include "gyre/kernel/cancel_op.hpp"
#include "gyre/task/remote_call.hpp"
#include "gyre/task/scope.hpp"
#include "gyre/task/settle.hpp"

namespace gyre {

template <class F, class... Args>
class [[nodiscard]] On {
    using T = typename std::invoke_result_t<F&, Args...>::value_type;
    using Call = std::tuple<F, Args...>;

public:
    On(MachineRef there, F function, Args... args)
        : there_(there), call_(std::move(function), std::move(args)...) {}
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
                // Refused, or cancelled there before it began, because that loop closes.
                outcome_.set_error(op.result() < 0 ? op.error() : Error(std::errc::owner_dead));
            }
            wake();
        }
        [[nodiscard]] const char* what() const noexcept override {
            return "a call on another loop";
        }

    private:
        static TaskHandle<void> start(RemoteCall& call, Executor& at) {
            return at.root().spawn(run(static_cast<Await&>(call)));
        }
        // There.
        static Future<void> run(Await& self) { co_await settle(self.outcome_, self.begin_call()); }
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
    requires AsyncFunction<F, Args...>
On<F, Args...> on(MachineRef there, F function, Args... args) {
    return On<F, Args...>(there, std::move(function), std::move(args)...);
}
template <class F, class... Args>
    requires AsyncFunction<F, Args...>
On<F, Args...> on(Executor& there, F function, Args... args) {
    return On<F, Args...>(there.loop().app_ref(), std::move(function), std::move(args)...);
}

}  // namespace gyre
