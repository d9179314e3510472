// SPDX-License-Identifier: Apache-2.0
// Workers: a work-stealing pool for computation, one thread per core; fork_join.hpp splits work on
// it. Work arrives as ops: Pools forwards a WorkOp of the kind `compute`, or Workers is itself the
// Offload of a loop. A fork and a join take no lock. An idle worker polls for a moment, then
// sleeps.
//
//     pool::Workers workers;
//     const int sum = workers.run([] {
//         auto [a, b] = pool::fork_join([] { return 1; }, [] { return 2; });
//         return a + b;
//     });
//
// Thread: any. Using Workers in a forked child is an error: the child has none of the threads.
// Lifetime: outlives the loops that use it. The destructor runs the queued work first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "gyre/kernel/offload.hpp"
#include "gyre/pool/fork_join.hpp"
#include "gyre/pool/thread_pool.hpp"

namespace gyre::pool {

struct WorkersOptions {
    std::uint32_t worker_count = 0;       // 0: one per core; at most 64
    std::size_t fork_count_max = 1024;    // open forks of a worker, a power of two; more run inline
    std::size_t queued_count_max = 1024;  // ops that wait for a worker; more are refused
    std::string name = "gyre-cpu";        // threads are called name-1, name-2, ...
    // As in ThreadPoolOptions.
    void (*name_thread)(std::string_view name) noexcept = nullptr;
    ProcessId process_id = nullptr;
};

// A snapshot; the numbers may be of slightly different moments.
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
