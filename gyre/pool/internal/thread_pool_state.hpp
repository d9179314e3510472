// SPDX-License-Identifier: Apache-2.0
// ThreadPool::State: the threads and the queue of a ThreadPool. Any thread may call it. It is a
// separate allocation because a forked child must leak it.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "gyre/base/detail/atomic.hpp"
#include "gyre/kernel/detail/spin.hpp"
#include "gyre/pool/internal/job_queue.hpp"
#include "gyre/pool/internal/process_mark.hpp"
#include "gyre/pool/thread_pool.hpp"

namespace gyre::pool {

class ThreadPool::State {
public:
    explicit State(ThreadPoolOptions options);
    ~State();

    [[nodiscard]] bool start(const Job& job) noexcept;
    [[nodiscard]] bool withdraw(const Op& op) noexcept;
    [[nodiscard]] PoolMetrics metrics() const noexcept;
    [[nodiscard]] const ProcessMark& process() const noexcept { return process_; }
    [[nodiscard]] Instant now() const noexcept {
        return options_.clock != nullptr ? options_.clock->now() : Instant();
    }
    [[nodiscard]] const ThreadPoolOptions& options() const noexcept { return options_; }
    [[nodiscard]] std::size_t thread_count_max() const noexcept;

private:
    using Lock = std::unique_lock<std::mutex>;

    // The mutex is held for some tens of nanoseconds at a time: spinning on it for a moment is
    // cheaper than blocking.
    [[nodiscard]] Lock lock_soon() noexcept;

    [[nodiscard]] bool start_thread() noexcept;
    [[nodiscard]] bool wake_one_if_wanted() noexcept;
    void run_thread(std::size_t number);
    [[nodiscard]] std::optional<Job> next_job(Lock& lock, Spin& spin);
    void poll(Lock& lock, Spin& spin);
    void sleep(Lock& lock, Spin& spin);
    void run(const Job& job) noexcept;
    void note_wait(Duration waited) noexcept;
    void note_refusal() noexcept;
    void note_queued() noexcept { queued_.store(jobs_.count(), std::memory_order_relaxed); }

    const ThreadPoolOptions options_;
    const ProcessMark process_;
    std::mutex mutex_;
    std::condition_variable work_came_;

    // Guarded by mutex_.
    JobQueue jobs_;
    std::vector<std::thread> threads_;
    std::size_t sleeping_count_ = 0;  // threads that wait for work_came_, not woken yet
    std::size_t woken_count_ = 0;     // woken threads that do not run yet
    bool is_one_polling_ = false;
    bool is_finishing_ = false;

    // Read without the mutex by the polling thread and for the metrics.
    alignas(64) Atomic<std::size_t> queued_{0};

    // Threads without a job: starting, between jobs, polling or asleep. On a cache line of its own:
    // every thread writes it before and after each job.
    alignas(64) Atomic<std::size_t> idle_count_{0};

    // For the metrics. Relaxed: they order nothing.
    Atomic<std::size_t> started_threads_{0};
    Atomic<std::uint64_t> done_{0};
    Atomic<std::uint64_t> withdrawn_{0};
    Atomic<std::uint64_t> refused_{0};
    Atomic<Duration::rep> longest_wait_{0};
};

}  // namespace gyre::pool
