// SPDX-License-Identifier: Apache-2.0
// Worker: one thread of Workers as fork_join sees it, and the Task that it forks. A task lives on
// the stack of the function that forked it, which joins it before it returns. Only the worker's own
// thread may fork and join; the others steal from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gyre/base/assert.hpp"
#include "gyre/base/atomic.hpp"
#include "gyre/pool/join_flag.hpp"
#include "gyre/pool/parker.hpp"
#include "gyre/pool/sleepers.hpp"
#include "gyre/pool/steal_deque.hpp"

namespace gyre::pool {

class Worker;

class Task {
public:
    using Run = void (*)(Task& task) noexcept;
    explicit Task(Run run) noexcept : run_(run) {}
    Task(const Task&) = delete;
    Task& operator=(const Task&) = delete;

private:
    friend class Worker;
    const Run run_;
    JoinFlag<Parker> joined_;
};

// What the workers of one set know of each other. `workers` does not change while they run.
struct WorkerSet {
    std::vector<std::unique_ptr<Worker>> workers;
    Sleepers idle;     // have nothing to do: for forks and for new work
    Sleepers joining;  // wait for a stolen task: for forks only
};

class alignas(64) Worker {
public:
    Worker(WorkerSet& set, std::size_t index, std::size_t fork_count_max)
        : set_(set), index_(index), forks_(fork_count_max) {}

    // The worker whose thread this is; null on every other thread.
    [[nodiscard]] static Worker* current() noexcept { return current_; }
    static void set_current(Worker* worker) noexcept { current_ = worker; }

    // False when there is no room for it: run it yourself.
    [[nodiscard]] bool fork(Task& task) noexcept {
        if (!forks_.push(task)) {
            count(overflows_);
            return false;
        }
        if (!set_.idle.empty() || !set_.joining.empty()) wake_one_for_fork();
        return true;
    }

    // Takes back the task forked last, which is this one. False: it was stolen, so wait for it.
    [[nodiscard]] bool take_back(Task& task) noexcept {
        Task* newest = forks_.pop();
        GYRE_ASSERT(newest == nullptr || newest == &task, "forks are joined out of order");
        return newest != nullptr;
    }

    // Runs what it can steal meanwhile.
    void wait_for(Task& task) noexcept;

    // Runs a task stolen from another worker, if there is one.
    [[nodiscard]] bool run_stolen() noexcept;
    [[nodiscard]] bool sees_forks() const noexcept;

    // Sleeps until unparked, unless `found` is true after all sleepers can be seen by others.
    template <class Found>
    void sleep_in(Sleepers& sleepers, Found found) {
        sleepers.add(index_);
        if (!found()) parker_.park();
        sleepers.remove(index_);
    }
    void unpark() { parker_.unpark(); }

    // From any thread.
    // Relaxed: counts order nothing.
    [[nodiscard]] std::uint64_t steals() const noexcept {
        return steals_.load(std::memory_order_relaxed);
    }
    [[nodiscard]] std::uint64_t overflows() const noexcept {
        return overflows_.load(std::memory_order_relaxed);
    }

private:
    [[gnu::noinline]] void wake_one_for_fork() noexcept;
    static void count(Atomic<std::uint64_t>& counter) noexcept {
        // Relaxed, and no read-modify-write: only this worker writes it.
        counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }

    constinit static thread_local Worker* current_;

    WorkerSet& set_;
    const std::size_t index_;
    StealDeque<Task> forks_;
    Parker parker_;
    std::size_t last_victim_ = 0;
    std::uint32_t help_depth_ = 0;
    Atomic<std::uint64_t> steals_{0};
    Atomic<std::uint64_t> overflows_{0};
};

}  // namespace gyre::pool
