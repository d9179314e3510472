// SPDX-License-Identifier: Apache-2.0
// Pools: the Offload of a process. What reads files, what looks up names and what users hand in
// each have threads and a bounded queue of their own, so that a slow disk does not delay a name,
// nor a user's work a file. Any number of loops may share it; it must outlive them.
#pragma once

#include "gyre/pool/pool_size.hpp"
#include "gyre/pool/thread_pool.hpp"

namespace gyre::pool {

struct PoolsOptions {
    PoolSize files = {};
    PoolSize names = {};
    PoolSize user = {};
    // Where work of the kind `compute` goes (Workers); with the user's work if null.
    Offload* compute = nullptr;
    // As in ThreadPoolOptions.
    void (*name_thread)(std::string_view name) noexcept = nullptr;
    Clock* clock = nullptr;
    ProcessId process_id = nullptr;
};

// The same with the sizes that GYRE_POOL_FILES, GYRE_POOL_NAMES and GYRE_POOL_USER give, each as
// `threads` or `threads,queue`.
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
