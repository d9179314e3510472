// SPDX-License-Identifier: Apache-2.0
// blocking, compute: call a function that blocks, or computes for long, on a thread of the loop's
// Offload, and return or throw as the function does.
//
//     const char* path = "notes.txt";
//     std::string text = co_await blocking([path] { return read_all(path); });
//     const std::vector<double> samples{1.5, 2.5};
//     double mean = co_await compute([&samples] { return mean_of(samples); });
//
// Thread: the task's thread. The function runs on a thread of the Offload; until it has returned,
// only that thread may touch its captures.
// Lifetime: the function and its result are in the frame of the caller.
// Cancel: did nothing if the call had not started. A started call is awaited, and its result is
// returned.
//
// If no thread takes the call, an Error says why: function_not_supported without an Offload,
// resource_unavailable_try_again if its queue is full.
#pragma once

#include <type_traits>
#include <utility>

#include "gyre/kernel/offload.hpp"
#include "gyre/task/core/detail/await_temporary.hpp"
#include "gyre/task/core/executor.hpp"
#include "gyre/task/core/future.hpp"

namespace gyre {

template <class F>
class [[nodiscard]] Blocking {
    using T = std::invoke_result_t<F&>;
    static_assert(!std::is_reference_v<T>, "return a value: a reference may dangle");

public:
    Blocking(F function, WorkKind kind) noexcept : function_(std::move(function)), kind_(kind) {}
    [[nodiscard]] auto await_in(PromiseBase& promise) && noexcept {
        return Await(promise, std::move(function_), kind_);
    }

private:
    class Await final : public Suspension, private WorkOp {
    public:
        Await(PromiseBase& promise, F function, WorkKind of_kind) noexcept
            : WorkOp(&run, of_kind), function_(std::move(function)) {
            attach(promise);
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

        void cancel() noexcept override { executor().cancel(static_cast<WorkOp&>(*this)); }
        void on_complete(Op& op) noexcept override {
            if (!outcome_.is_settled() && op.is_cancelled()) {
                wake_cancelled();
                return;
            }
            if (!outcome_.is_settled()) outcome_.set_error(op.error());
            wake();
        }
        [[nodiscard]] const char* what() const noexcept override { return "blocking work"; }
        [[nodiscard]] const Op* pending_op() const noexcept override { return this; }

    private:
        // On a thread of the Offload.
        static std::int32_t run(WorkOp& op) noexcept {
            auto& self = static_cast<Await&>(op);
            try {
                if constexpr (std::is_void_v<T>) {
                    self.function_();
                    self.outcome_.set_value();
                } else {
                    self.outcome_.set_value(self.function_());
                }
            } catch (...) {
                self.outcome_.set_exception(std::current_exception());
            }
            return 0;
        }

        F function_;
        Outcome<T> outcome_;
    };

    F function_;
    WorkKind kind_;
};

template <class F>
[[nodiscard]] auto blocking(F&& function, WorkKind kind = WorkKind::user) {
    check_await_temporary<F>();
    return Blocking<std::decay_t<F>>(std::forward<F>(function), kind);
}
// On the threads for computation, if the Offload has such threads (see pool::PoolsOptions).
template <class F>
[[nodiscard]] auto compute(F&& function) {
    return blocking(std::forward<F>(function), WorkKind::compute);
}

}  // namespace gyre
