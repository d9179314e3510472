// SPDX-License-Identifier: Apache-2.0
// Workers: a work-stealing pool for computation, one thread per core. fork_join, invoke_all,
// parallel_for: run functions in parallel on it, and return when all have returned. Work arrives as
// ops: Pools forwards a WorkOp of the kind `compute`, or Workers is itself the Offload of a loop. A
// fork and a join take no lock and allocate nothing. An idle worker spins for a moment, then
// sleeps.
//
//     pool::Workers workers;
//     std::vector<int> squares(100'000);
//     const int sum = workers.run([] {
//         auto [a, b] = pool::fork_join([] { return 1; }, [] { return 2; });
//         return a + b;
//     });
//
//     pool::parallel_for({.end = squares.size()}, 4096, [&](std::size_t i) {
//         squares[i] = static_cast<int>(i % 100 * (i % 100));
//     });
//
// Thread: any. fork_join, invoke_all and parallel_for run in parallel on a thread of Workers; on
// any other thread they run sequentially, with the same results. Using Workers in a forked child is
// an error: the child has none of the threads.
// Lifetime: outlives the loops that use it. The destructor runs the queued work first. The
// functions need to live only until the call returns.
// Errors: an exception of the first function is rethrown, else that of the second. By then the
// other function has returned, or it never starts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "gyre/kernel/offload.hpp"
#include "gyre/pool/detail/worker.hpp"
#include "gyre/pool/thread_pool.hpp"

namespace gyre::pool {

namespace detail {

template <class Function>
using Value = std::conditional_t<std::is_void_v<std::invoke_result_t<Function&>>, std::monostate,
                                 std::invoke_result_t<Function&>>;

template <class Function>
Value<Function> call(Function& function) {
    if constexpr (std::is_void_v<std::invoke_result_t<Function&>>) {
        std::invoke(function);
        return {};
    } else {
        return std::invoke(function);
    }
}

// The second function, which may be stolen. The destructor joins it.
template <class Function>
class Fork : public ForkedTask {
public:
    Fork(Worker& worker, Function& function) noexcept
        : ForkedTask(run), worker_(worker), function_(function), is_forked_(worker.fork(*this)) {}
    ~Fork() {
        // The first function threw: the result is not needed, and an unstolen fork never runs.
        if (is_forked_ && !worker_.take_back(*this)) worker_.wait_for(*this);
    }

    Value<Function> join() {
        if (!std::exchange(is_forked_, false) || worker_.take_back(*this)) return call(function_);
        worker_.wait_for(*this);
        if (error_ != nullptr) std::rethrow_exception(error_);
        return std::move(*value_);
    }

private:
    static void run(ForkedTask& task) noexcept {
        auto& fork = static_cast<Fork&>(task);
        try {
            fork.value_.emplace(call(fork.function_));
        } catch (...) {
            fork.error_ = std::current_exception();
        }
    }

    Worker& worker_;
    Function& function_;
    std::optional<Value<Function>> value_;
    std::exception_ptr error_;
    bool is_forked_;
};

}  // namespace detail

// Returns both values; std::monostate stands for void.
template <class First, class Second>
std::pair<detail::Value<First>, detail::Value<Second>> fork_join(First&& first, Second&& second) {
    using Both = std::pair<detail::Value<First>, detail::Value<Second>>;
    Worker* worker = Worker::current();
    if (worker == nullptr) {
        auto one = detail::call(first);
        return Both(std::move(one), detail::call(second));
    }
    detail::Fork fork(*worker, second);
    auto one = detail::call(first);
    return Both(std::move(one), fork.join());
}

// fork_join for any number of functions that return void.
template <class First>
void invoke_all(First&& first) {
    std::invoke(first);
}
template <class First, class... Others>
void invoke_all(First&& first, Others&&... others) {
    fork_join([&]() -> void { std::invoke(first); }, [&]() -> void { invoke_all(others...); });
}

struct IndexRange {
    std::size_t begin = 0;
    std::size_t end = 0;
};

// Calls body(i) for every index of the range, in parallel chunks of at most `grain` indices. A
// chunk should take some microseconds. After an exception, some chunks may never start.
template <class Body>
void parallel_for(IndexRange range, std::size_t grain, const Body& body) {
    GYRE_ASSERT(grain > 0, "a grain of 0 would be split for ever: pass at least 1");
    if (range.end - range.begin <= grain || range.begin >= range.end) {
        for (std::size_t i = range.begin; i < range.end; ++i) body(i);
        return;
    }
    const std::size_t middle = range.begin + (range.end - range.begin) / 2;
    fork_join([&]() -> void { parallel_for({range.begin, middle}, grain, body); },
              [&]() -> void { parallel_for({middle, range.end}, grain, body); });
}

struct WorkersOptions {
    std::uint32_t worker_count = 0;       // 0: one per core; at most 64
    std::size_t fork_count_max = 1024;    // open forks of a worker, a power of two; more run inline
    std::size_t queued_count_max = 1024;  // ops that wait for a worker; more are refused
    std::string name = "gyre-cpu";        // threads are called name-1, name-2, ...
    // As in ThreadPoolOptions.
    void (*name_thread)(std::string_view name) noexcept = nullptr;
    ProcessId process_id = nullptr;
};

// A snapshot; the numbers may be from slightly different moments.
struct WorkersMetrics {
    std::size_t workers = 0;  // started so far
    std::size_t asleep = 0;   // idle, or waiting for a stolen task
    std::size_t queued = 0;
    std::size_t running = 0;
    std::uint64_t done = 0;
    std::uint64_t steals = 0;
    std::uint64_t overflows = 0;  // forks that ran inline because the deque was full
};

class Workers final : public Offload {
public:
    explicit Workers(WorkersOptions options = {});
    ~Workers() override;
    Workers(const Workers&) = delete;
    Workers& operator=(const Workers&) = delete;

    [[nodiscard]] bool start(Op& op, Work work, Loop& home) noexcept override;
    [[nodiscard]] bool withdraw(Op& op) noexcept override;

    // Runs the function on a worker and blocks until it returns; not for a loop's thread. On a
    // worker it is a plain call. Throws the exception of the function.
    template <class Function>
    auto run(Function&& function);

    // From any thread.
    [[nodiscard]] WorkersMetrics metrics() const noexcept;

private:
    class State;

    // Throws std::system_error when no thread could be started.
    void run_and_wait(void (*call)(void*) noexcept, void* argument);
    void check_process() const noexcept;

    std::unique_ptr<State> state_;
};

template <class Function>
auto Workers::run(Function&& function) {
    struct Call {
        Function& function;
        std::optional<detail::Value<Function>> value;
        std::exception_ptr error;
    };
    Call call{function, {}, {}};
    const auto on_worker = [](void* argument) noexcept {
        auto& made = *static_cast<Call*>(argument);
        try {
            made.value.emplace(detail::call(made.function));
        } catch (...) {
            made.error = std::current_exception();
        }
    };
    run_and_wait(on_worker, &call);
    if (call.error != nullptr) std::rethrow_exception(call.error);
    if constexpr (!std::is_void_v<std::invoke_result_t<Function&>>) return std::move(*call.value);
}

}  // namespace gyre::pool
