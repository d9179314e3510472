// SPDX-License-Identifier: Apache-2.0
// ThreadPool: threads for blocking work, with a bounded queue in front of them. Any number of loops
// may share one; it must outlive them. Its destruction finishes what is queued.
//
// Threads start when there is work that no idle thread waits for. The mutex guards the queue and
// the counts beside it: work runs without it, and so does the way home to the loop. An idle thread
// looks for a moment before it sleeps, one of them at a time; a job that comes meanwhile wakes
// nobody. A forked child has the pool but none of its threads: using it there is an error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "gyre/kernel/clock.hpp"
#include "gyre/kernel/offload.hpp"
#include "gyre/pool/process_mark.hpp"

namespace gyre::pool {

struct ThreadPoolOptions {
    std::uint32_t thread_count = 0;       // at most; 0: as many as there are cores, at least 4
    std::size_t queued_count_max = 1024;  // what waits for a thread; more is refused
    std::string name = "gyre-pool";       // threads are called name-1, name-2, ...
    // Tells the system the name of the calling thread (platform::name_this_thread); may be null.
    void (*name_thread)(std::string_view name) noexcept = nullptr;
    // Measures the longest wait and the look before a sleep; without a clock there is neither.
    Clock* clock = nullptr;
    Duration look_max = std::chrono::microseconds(50);
    // Finds out that this is a forked child; without it, use in a child goes unnoticed and hangs.
    ProcessId process_id = nullptr;
};

// A snapshot: each number is right, but they need not be of one moment.
struct PoolMetrics {
    std::size_t threads = 0;  // started so far
    std::size_t queued = 0;
    std::size_t running = 0;
    std::uint64_t done = 0;  // ran to their end
    std::uint64_t withdrawn = 0;
    std::uint64_t refused = 0;  // for want of room
    Duration longest_wait{};    // of a job in the queue
};

class ThreadPool final : public Offload {
public:
    explicit ThreadPool(ThreadPoolOptions options = {});
    ~ThreadPool() override;
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    // False when the queue is full, or the system gives the pool not even one thread.
    [[nodiscard]] bool start(Op& op, Work work, Loop& home) noexcept override;
    [[nodiscard]] bool withdraw(Op& op) noexcept override;

    // From any thread.
    [[nodiscard]] PoolMetrics metrics() const noexcept;
    [[nodiscard]] std::size_t thread_count_max() const noexcept;

private:
    class Crew;

    void check_process() const noexcept;

    const ProcessMark process_;
    std::unique_ptr<Crew> crew_;
};

}  // namespace gyre::pool
