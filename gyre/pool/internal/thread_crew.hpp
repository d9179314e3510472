// SPDX-License-Identifier: Apache-2.0
// The threads of a ThreadPool, and what they share with the loops that hand in work: any thread may
// call it. It lives as long as its pool; apart from it, so that a forked child can leave it as it
// is.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "gyre/base/atomic.hpp"
#include "gyre/kernel/spin.hpp"
#include "gyre/pool/job_queue.hpp"
#include "gyre/pool/thread_pool.hpp"

namespace gyre::pool {

class ThreadPool::Crew {
public:
    explicit Crew(ThreadPoolOptions options);
    ~Crew();

    [[nodiscard]] bool start(const Job& job) noexcept;
    [[nodiscard]] bool withdraw(const Op& op) noexcept;
    [[nodiscard]] PoolMetrics metrics() const noexcept;
    [[nodiscard]] Instant now() const noexcept {
        return options_.clock != nullptr ? options_.clock->now() : Instant();
    }
    [[nodiscard]] const ThreadPoolOptions& options() const noexcept { return options_; }
    [[nodiscard]] std::size_t thread_count_max() const noexcept { return thread_count_max_; }

private:
    using Lock = std::unique_lock<std::mutex>;

    // The mutex is held for some tens of nanoseconds at a time, so that trying again for a moment
    // is cheaper than to sleep for it.
    [[nodiscard]] Lock lock_soon() noexcept;

    [[nodiscard]] bool start_thread() noexcept;
    [[nodiscard]] bool wake_one_if_wanted() noexcept;
    void run_thread(std::size_t number);
    [[nodiscard]] std::optional<Job> next_job(Lock& lock, Spin& spin);
    void look(Lock& lock, Spin& spin);
    void sleep(Lock& lock, Spin& spin);
    void run(const Job& job) noexcept;
    void note_wait(Duration waited) noexcept;
    void note_refusal() noexcept;
    void note_queued() noexcept { queued_.store(jobs_.count(), std::memory_order_relaxed); }

    const ThreadPoolOptions options_;
    const std::size_t thread_count_max_;
    std::mutex mutex_;
    std::condition_variable work_came_;

    // Guarded by mutex_.
    JobQueue jobs_;
    std::vector<std::thread> threads_;
    std::size_t sleeping_count_ = 0;  // threads that wait for work_came_, and have not been woken
    std::size_t woken_count_ = 0;     // those that have, and are not up yet
    bool is_one_looking_ = false;
    bool is_finishing_ = false;

    // What a looking thread looks at, without the mutex; for the metrics, too.
    alignas(64) Atomic<std::size_t> queued_{0};

    // Threads without a job: starting, on their way from the last one, looking or asleep. A line
    // that every thread writes before and after each job.
    alignas(64) Atomic<std::size_t> idle_count_{0};

    // For the metrics, relaxed: they order nothing.
    Atomic<std::size_t> started_threads_{0};
    Atomic<std::uint64_t> done_{0};
    Atomic<std::uint64_t> withdrawn_{0};
    Atomic<std::uint64_t> refused_{0};
    Atomic<Duration::rep> longest_wait_{0};
};

}  // namespace gyre::pool
