// SPDX-License-Identifier: Apache-2.0
// Worker: a thread of Workers, for fork_join. ForkedTask: a function that other workers may steal.
// A task is on the stack of the function that forks it, which joins it before it returns. Only the
// worker's own thread forks and joins; the other workers steal from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gyre/base/assert.hpp"
#include "gyre/base/detail/atomic.hpp"
#include "gyre/pool/detail/parking.hpp"
#include "gyre/pool/detail/steal_deque.hpp"

namespace gyre::pool {

class Worker;

class ForkedTask {
public:
    using Run = void (*)(ForkedTask& task) noexcept;
    explicit ForkedTask(Run run) noexcept : run_(run) {}
    ForkedTask(const ForkedTask&) = delete;
    ForkedTask& operator=(const ForkedTask&) = delete;

private:
    friend class Worker;
    const Run run_;
    JoinFlag<Parker> joined_;
};

// The workers that steal from each other. `workers` does not change while they run.
struct WorkerSet {
    std::vector<std::unique_ptr<Worker>> workers;
    Sleepers idle;     // woken for forks and for queued work
    Sleepers joining;  // wait for a stolen task; woken for forks only
};

class alignas(64) Worker {
public:
    Worker(WorkerSet& set, std::size_t index, std::size_t fork_count_max)
        : set_(set), index_(index), forks_(fork_count_max) {}

    // The worker of the calling thread; null if the thread is not a worker.
    [[nodiscard]] static Worker* current() noexcept { return current_; }
    static void set_current(Worker* worker) noexcept { current_ = worker; }

    // False if the deque is full: the caller runs the task.
    [[nodiscard]] bool fork(ForkedTask& task) noexcept {
        if (!forks_.push(task)) {
            count(overflows_);
            return false;
        }
        if (!set_.idle.empty() || !set_.joining.empty()) wake_one_for_fork();
        return true;
    }

    // Pops the newest fork, which must be this task. False: it was stolen, so wait for it.
    [[nodiscard]] bool take_back(ForkedTask& task) noexcept {
        ForkedTask* newest = forks_.pop();
        GYRE_ASSERT(newest == nullptr || newest == &task,
                    "forks are joined out of order: join the newest one first");
        return newest != nullptr;
    }

    // Waits until the task is done; steals and runs other tasks meanwhile.
    void wait_for(ForkedTask& task) noexcept;

    // Steals a task and runs it. False if there was none.
    [[nodiscard]] bool run_stolen() noexcept;
    [[nodiscard]] bool sees_forks() const noexcept;

    // Sleeps until unparked, unless `found` returns true after the worker is in the set.
    template <class Found>
    void sleep_in(Sleepers& sleepers, Found found) {
        sleepers.add(index_);
        if (!found()) parker_.park();
        sleepers.remove(index_);
    }
    void unpark() { parker_.unpark(); }

    // From any thread. Relaxed: these counts order nothing.
    [[nodiscard]] std::uint64_t steals() const noexcept {
        return steals_.load(std::memory_order_relaxed);
    }
    [[nodiscard]] std::uint64_t overflows() const noexcept {
        return overflows_.load(std::memory_order_relaxed);
    }

private:
    [[gnu::noinline]] void wake_one_for_fork() noexcept;
    static void count(Atomic<std::uint64_t>& counter) noexcept {
        // Relaxed and no read-modify-write: only this worker writes the counter.
        counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }

    constinit static thread_local Worker* current_;

    WorkerSet& set_;
    const std::size_t index_;
    StealDeque<ForkedTask> forks_;
    Parker parker_;
    std::size_t last_victim_ = 0;
    std::uint32_t help_depth_ = 0;
    Atomic<std::uint64_t> steals_{0};
    Atomic<std::uint64_t> overflows_{0};
};

}  // namespace gyre::pool
