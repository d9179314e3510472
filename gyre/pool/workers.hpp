// SPDX-License-Identifier: Apache-2.0
// Workers: threads for computation, one a core, that steal parts of each other's work (see
// fork_join.hpp for what runs on them). Work comes as an op, like to every Offload: a WorkOp of the
// kind `compute` goes through Pools to here, or a loop has Workers itself as its Offload. Any
// number of threads may use it; it must outlive their loops. Its destruction finishes what is
// queued.
//
// A fork and a join take no lock. A worker without work looks for a moment, then sleeps. In a
// forked child it is an error to use it, as with ThreadPool.
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
#include "gyre/pool/process_mark.hpp"

namespace gyre::pool {

struct WorkersOptions {
    std::uint32_t worker_count = 0;       // 0: as many as there are cores; at most 64
    std::size_t fork_count_max = 1024;    // open forks of a worker, a power of two; more run inline
    std::size_t queued_count_max = 1024;  // ops that wait for a worker; more are refused
    std::string name = "gyre-cpu";        // threads are called name-1, name-2, ...
    // As in ThreadPoolOptions.
    void (*name_thread)(std::string_view name) noexcept = nullptr;
    ProcessId process_id = nullptr;
};

// A snapshot: each number is right, but they need not be of one moment.
struct WorkersMetrics {
    std::size_t workers = 0;  // started so far
    std::size_t asleep = 0;   // of them, for want of work or of what they wait for
    std::size_t queued = 0;
    std::size_t running = 0;
    std::uint64_t done = 0;
    std::uint64_t steals = 0;
    std::uint64_t overflows = 0;  // forks that ran inline for want of room
};

class Workers final : public Offload {
public:
    explicit Workers(WorkersOptions options = {});
    ~Workers() override;
    Workers(const Workers&) = delete;
    Workers& operator=(const Workers&) = delete;

    [[nodiscard]] bool start(Op& op, Work work, Loop& home) noexcept override;
    [[nodiscard]] bool withdraw(Op& op) noexcept override;

    // Runs the function on a worker and waits for it, for programs without a loop; it blocks, so
    // never on a loop's thread. On a worker it is a plain call. Throws what the function throws.
    template <class Function>
    auto run(Function&& function);

    // From any thread.
    [[nodiscard]] WorkersMetrics metrics() const noexcept;

private:
    class Crew;

    // Throws std::system_error where the system gives not even one thread.
    void run_and_wait(void (*call)(void*) noexcept, void* argument);
    void check_process() const noexcept;

    const ProcessMark process_;
    std::unique_ptr<Crew> crew_;
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
