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

}  // namespace gyre::pool
