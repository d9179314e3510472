// SPDX-License-Identifier: Apache-2.0
// How the threads of Workers sleep and are woken: Parker blocks one thread, Sleepers is the set of
// workers that sleep, JoinFlag signals to a joining worker that a stolen task is done.
//
// Protocol of Sleepers. A worker adds itself, checks for work once more, and only then parks. A
// thread that creates work publishes it first, and then picks a sleeper. All of these accesses are
// sequentially consistent, so at least one of the two threads sees the other, and no wake is lost.
// A picked worker leaves the set, so that one piece of work wakes one worker; the thread that
// picked it must unpark it.
//
// Protocol of JoinFlag. The flag is part of the task, on the stack of the joining thread, and may
// be destroyed as soon as finish has exchanged it.
//
//   pending ──wait──▶ address of the waiter ──finish──▶ done
//      └────────────────────finish──────────────────────▲
//
// tests/model/steal_deque.test.cpp runs both under every schedule.
#pragma once

#include <bit>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>

#include "gyre/base/detail/atomic.hpp"

namespace gyre::pool {

// Only its own thread parks; any thread unparks. An unpark before the park is kept; several are
// merged into one.
class Parker {
public:
    void park() {
        std::unique_lock lock(mutex_);
        unparked_.wait(lock, [this] { return is_unparked_; });
        is_unparked_ = false;
    }
    void unpark() {
        const std::lock_guard lock(mutex_);
        is_unparked_ = true;
        unparked_.notify_one();
    }

private:
    std::mutex mutex_;
    std::condition_variable unparked_;
    bool is_unparked_ = false;
};

// The workers that sleep or are about to. A worker adds and removes only itself; any thread may
// pick one.
class Sleepers {
public:
    static constexpr std::size_t count_max = 64;

    [[nodiscard]] bool empty() const noexcept { return set_.load() == 0; }
    [[nodiscard]] std::size_t count() const noexcept {
        return static_cast<std::size_t>(std::popcount(set_.load()));
    }

    void add(std::size_t worker) noexcept { set_.fetch_or(bit(worker)); }
    // If the worker was picked already, its next park returns at once.
    void remove(std::size_t worker) noexcept { set_.fetch_and(~bit(worker)); }

    [[nodiscard]] std::optional<std::size_t> pick() noexcept {
        for (std::uint64_t seen = set_.load(); seen != 0; seen = set_.load()) {
            const auto worker = static_cast<std::size_t>(std::countr_zero(seen));
            if ((set_.fetch_and(~bit(worker)) & bit(worker)) != 0) return worker;
        }
        return std::nullopt;
    }

private:
    static std::uint64_t bit(std::size_t worker) noexcept { return std::uint64_t{1} << worker; }

    Atomic<std::uint64_t> set_{0};
};

// Whether a stolen task is done, and which thread to wake for it.
template <class Waiter>
class JoinFlag {
public:
    // Called by the joining thread. Acquire: it sees the writes of the task.
    [[nodiscard]] bool is_done() const noexcept {
        return state_.load(std::memory_order_acquire) == done;
    }

    // Called by the joining thread, before it parks. False: the task is done, and no wake will
    // come. May be called again with the same waiter.
    [[nodiscard]] bool wait(Waiter& waiter) noexcept {
        Word seen = pending;
        // Release: the finishing thread may use the waiter. Acquire: see is_done.
        return state_.compare_exchange_strong(seen, reinterpret_cast<Word>(&waiter),
                                              std::memory_order_acq_rel,
                                              std::memory_order_acquire) ||
               seen != done;
    }

    // Called by the thread that ran the task, as its last access to the task. Returns the waiter to
    // wake, or null. Release: the joining thread sees the writes of the task. Acquire: pairs with
    // wait.
    [[nodiscard]] Waiter* finish() noexcept {
        const Word seen = state_.exchange(done, std::memory_order_acq_rel);
        return seen == pending ? nullptr : reinterpret_cast<Waiter*>(seen);
    }

private:
    using Word = std::uintptr_t;
    // Values that cannot be addresses of waiters.
    static constexpr Word pending = 0;
    static constexpr Word done = 1;

    Atomic<Word> state_{pending};
};

}  // namespace gyre::pool
