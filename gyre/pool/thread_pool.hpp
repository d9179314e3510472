// SPDX-License-Identifier: Apache-2.0
// ThreadPool: threads for blocking work, with one bounded queue. A thread is started if a job finds
// no idle thread. An idle thread spins for a moment before it sleeps, one thread at a time; a job
// that arrives meanwhile needs no wake.
//
//     platform::SystemClock clock;
//     pool::ThreadPool pool({.thread_count = 4, .name = "blocking"});
//     auto system = platform::make_platform(clock).value();
//     Executor executor;
//     Loop loop(*system, executor, {.offload = &pool});
//
// Thread: any. Work runs on the pool's threads and completes on the loop that started it. Using a
// pool in a forked child is an error until renew_after_fork: the child has none of the threads.
// Lifetime: outlives the loops that use it. The destructor runs the queued work first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "gyre/kernel/clock.hpp"
#include "gyre/kernel/offload.hpp"

namespace gyre::pool {

// A number that changes in a forked child: platform::process_generation.
using ProcessId = std::uint32_t (*)() noexcept;

struct ThreadPoolOptions {
    std::uint32_t thread_count = 0;       // at most; 0: one per core, at least 4
    bool starts_all_threads = false;      // with the first job, also if one were enough
    std::size_t queued_count_max = 1024;  // jobs that wait for a thread; more are refused
    std::string name = "gyre-pool";       // threads are called name-1, name-2, ...
    // Names the calling thread (platform::name_this_thread); may be null.
    void (*name_thread)(std::string_view name) noexcept = nullptr;
    // For longest_wait and for spinning before a sleep; without a clock there is neither.
    Clock* clock = nullptr;
    Duration look_max = std::chrono::microseconds(50);
    // Detects use in a forked child; without it such a use hangs.
    ProcessId process_id = nullptr;
};

// A snapshot; the numbers may be from slightly different moments.
struct PoolMetrics {
    std::size_t threads = 0;  // started so far
    std::size_t queued = 0;
    std::size_t running = 0;
    std::uint64_t done = 0;  // jobs that ran
    std::uint64_t withdrawn = 0;
    std::uint64_t refused = 0;  // because the queue was full
    Duration longest_wait{};    // of a job in the queue
};

class ThreadPool final : public Offload {
public:
    explicit ThreadPool(ThreadPoolOptions options = {});
    ~ThreadPool() override;
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    // False when the queue is full, or when no thread could be started.
    [[nodiscard]] bool start(Op& op, Work work, Loop& home) noexcept override;
    [[nodiscard]] bool withdraw(Op& op) noexcept override;
    // Only with a process_id; the state of the parent's pool is leaked.
    void renew_after_fork() override;

    // From any thread.
    [[nodiscard]] PoolMetrics metrics() const noexcept;
    [[nodiscard]] std::size_t thread_count_max() const noexcept;

private:
    class State;

    void check_process() const noexcept;

    std::unique_ptr<State> state_;
};

}  // namespace gyre::pool
