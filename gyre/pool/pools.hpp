// SPDX-License-Identifier: Apache-2.0
// Pools: the Offload of a process. File ops, name lookups and the user's blocking work each have a
// ThreadPool with its own queue, so that a slow disk does not delay a name lookup.
//
//     platform::SystemClock clock;
//     pool::Pools pools(pool::with_environment({.clock = &clock}));
//     auto system = platform::make_platform(clock).value();
//     Executor executor;
//     Loop loop(*system, executor, {.offload = &pools});
//
// Thread: any; any number of loops may share it.
// Lifetime: outlives the loops that use it. The destructor runs the queued work first.
#pragma once

#include <exception>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "gyre/kernel/offload.hpp"
#include "gyre/pool/thread_pool.hpp"

namespace gyre::pool {

struct PoolSize {
    std::uint32_t thread_count = 0;  // at most; 0: one per core, at least 4
    std::size_t queued_count_max = 1024;

    friend constexpr bool operator==(PoolSize, PoolSize) noexcept = default;
};

struct PoolsOptions {
    PoolSize files = {};
    PoolSize names = {};
    PoolSize user = {};
    // For work of the kind `compute` (Workers); null: the user's pool.
    Offload* compute = nullptr;
    // As in ThreadPoolOptions.
    void (*name_thread)(std::string_view name) noexcept = nullptr;
    Clock* clock = nullptr;
    ProcessId process_id = nullptr;
};

// The options with the sizes in GYRE_POOL_FILES, GYRE_POOL_NAMES and GYRE_POOL_USER, each written
// as `threads` or `threads,queue`.
[[nodiscard]] PoolsOptions with_environment(PoolsOptions options);

class Pools final : public Offload {
public:
    explicit Pools(const PoolsOptions& options = {});

    [[nodiscard]] bool start(Op& op, Work work, Loop& home) noexcept override;
    [[nodiscard]] bool withdraw(Op& op) noexcept override;
    void renew_after_fork() override;

    // From any thread.
    [[nodiscard]] PoolMetrics files() const noexcept { return files_.metrics(); }
    [[nodiscard]] PoolMetrics names() const noexcept { return names_.metrics(); }
    [[nodiscard]] PoolMetrics user() const noexcept { return user_.metrics(); }

private:
    [[nodiscard]] Offload& pool_for(const Op& op) noexcept;

    Offload* const compute_;
    ThreadPool files_;
    ThreadPool names_;
    ThreadPool user_;
};

// ---- Work from any function ----

// Converts an exception to the result of an op: the error number of a system_error,
// not_enough_memory for a bad_alloc, state_not_recoverable for all others.
[[nodiscard]] std::int32_t result_of(const std::exception_ptr& error) noexcept;

// A WorkOp that runs any function, also one that throws or returns a value. The function runs on a
// thread of the pool; the thread that submitted the op reads value and error after its completion.
//
//     pool::FunctionWork work([] { return 6 * 7; });
//     // A machine submits it like any WorkOp. After its completion:
//     if (work.error() == nullptr) std::printf("%d\n", work.value());
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
