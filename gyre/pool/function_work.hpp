// SPDX-License-Identifier: Apache-2.0
// FunctionWork: a WorkOp that runs any function, also one that throws or returns a value.
//
//     pool::FunctionWork work([] { return 6 * 7; });
//     // A machine submits it like any WorkOp. After its completion:
//     if (work.error() == nullptr) std::printf("%d\n", work.value());
//
// Thread: the function runs on a thread of the pool; value and error are for the thread that
// submitted the op, after its completion.
// Lifetime: lives until its completion, like every op.
#pragma once

#include <exception>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "gyre/kernel/offload.hpp"

namespace gyre::pool {

// An exception as the result of an op: the number of a system_error, not_enough_memory for a
// bad_alloc, state_not_recoverable for everything else.
[[nodiscard]] std::int32_t result_of(const std::exception_ptr& error) noexcept;

template <class Callable>
class FunctionWork : public WorkOp {
    using Returned = std::invoke_result_t<Callable&>;
    static_assert(!std::is_reference_v<Returned>, "return a value: a reference may dangle");

public:
    using Value = std::conditional_t<std::is_void_v<Returned>, std::monostate, Returned>;

    explicit FunctionWork(Callable callable, WorkKind of_kind = WorkKind::user)
        : WorkOp(run_on_thread, of_kind), function_(std::move(callable)) {}

    // The exception of the function, or null. With an exception, the op's result is a failure.
    [[nodiscard]] const std::exception_ptr& error() const noexcept { return error_; }

    // The return value of the function. Throws its exception.
    [[nodiscard]] Value& value() {
        if (error_ != nullptr) std::rethrow_exception(error_);
        GYRE_ASSERT(value_.has_value(), "the work did not run: look at result() first");
        return *value_;
    }

private:
    static std::int32_t run_on_thread(WorkOp& op) noexcept {
        return static_cast<FunctionWork&>(op).run();
    }

    std::int32_t run() noexcept {
        value_.reset();
        error_ = nullptr;
        try {
            if constexpr (std::is_void_v<Returned>) {
                function_();
                value_.emplace();
            } else {
                value_.emplace(function_());
            }
            return 0;
        } catch (...) {
            error_ = std::current_exception();
            return result_of(error_);
        }
    }

    Callable function_;
    std::optional<Value> value_;
    std::exception_ptr error_;
};

}  // namespace gyre::pool
