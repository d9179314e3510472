// SPDX-License-Identifier: Apache-2.0
// Runtime: the loops of a process, each on a thread of its own with its own platform and app
// machine.
//
//     Runtime runtime({.loop_count = 4, .make_platform = make, .make_app = make_app});
//     if (!runtime.start()) return 1;
//     runtime.join();
//
// Thread: one thread makes, starts and joins it; `stop` and `post` from any thread (not from a
// signal handler).
// Lifetime: what the options refer to outlives it.
//
// Shutdown, in an order that neither hangs nor touches freed memory:
//   1. stop() wakes every loop, and each returns from its run on its own thread.
//   2. Each loop closes: its machines cancel their ops in flight and complete the ops they serve;
//      new ops complete with `owner_dead`. The loop keeps turning until its own ops have completed,
//      while the others do the same. So every op between two loops completes, whichever closes
//      first.
//   3. A closed loop completes ops that other loops still submit to it with `owner_dead`.
//   4. The memory of a closed loop stays until all loops are closed, because others may still post
//      to it; loops of the caller count as closed when it joins. Then each thread destroys its
//      platform, app and loop, and ends.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "gyre/base/random.hpp"
#include "gyre/base/result.hpp"
#include "gyre/kernel/loop.hpp"

namespace gyre {

class Runtime;

struct RuntimeOptions {
    std::uint32_t loop_count = 0;  // 0: as many as there are usable cores
    // All three run on the loop's own thread. start() rethrows an exception of the first two.
    std::function<Result<std::unique_ptr<Platform>>(ThreadId)> make_platform;
    std::function<std::unique_ptr<Machine>(ThreadId)> make_app;
    // Runs when all loops exist, before this loop's first turn: submit the first ops here. It must
    // not throw.
    std::function<void(Runtime&, Loop&, Machine&)> on_started;
    // Runs on the loop's own thread when the loop is closed. It must not throw.
    std::function<void(ThreadId)> on_closed = nullptr;
    // Gives each loop its observer, which outlives the runtime. start() calls it on the calling
    // thread, in the order of the loops. If it is not set, all loops use loop.observer.
    std::function<Observer*(ThreadId)> observer_of = nullptr;
    // Limits, offload and observer of every loop; Runtime sets the thread id and the peers.
    LoopOptions loop = {};
    std::uint64_t seed = 0;
    // For loops that exchange ops with loops of the caller's own threads: their table, and the
    // number of the first loop that is made here. The caller closes its loops before it joins, and
    // destroys them afterwards. Without a table the loops have their own.
    Peers* peers = nullptr;
    ThreadId first_thread = 1;
};

class Runtime {
public:
    explicit Runtime(RuntimeOptions options);
    // Stops and joins.
    ~Runtime();
    Runtime(const Runtime&) = delete;
    Runtime& operator=(const Runtime&) = delete;

    // Returns when every loop exists and is about to turn. If one cannot be made, all are destroyed
    // and it returns the error. Call it once.
    [[nodiscard]] Result<void> start();
    void stop() noexcept;
    // Returns when every loop is closed and destroyed. Not from a loop's thread.
    void join();

    // Submits an op to its destination on a loop, by default the app machine. False if the loop is
    // closed or does not exist.
    [[nodiscard]] bool post(ThreadId thread, Op& op) noexcept;

    // Loops are numbered from first_thread on.
    [[nodiscard]] std::uint32_t loop_count() const noexcept { return loop_count_; }
    // Valid from on_started on.
    [[nodiscard]] MachineRef app_ref(ThreadId thread) const noexcept;
    // Different for each loop, the same for the same seed.
    [[nodiscard]] Random random_for(ThreadId thread) const noexcept;

private:
    // One loop and its thread.
    struct LoopSlot {
        std::thread thread;
        Loop* loop = nullptr;  // guarded by mutex_; null before it is made and after it is closed
        MachineRef app;
        Observer* observer = nullptr;
        int core = -1;
    };
    struct Parts;

    void run_loop(ThreadId thread) noexcept;
    void give_up_from(ThreadId thread, Error error) noexcept;
    [[nodiscard]] std::optional<Error> make_parts(ThreadId thread, Parts& parts);
    [[nodiscard]] bool wait_until_all_made(LoopSlot& slot, Parts& parts,
                                           std::optional<Error> error) noexcept;
    void wait_until_all_closed(LoopSlot& slot) noexcept;
    void choose_cores();
    [[nodiscard]] bool has(ThreadId thread) const noexcept {
        return thread >= options_.first_thread && thread - options_.first_thread < loop_count_;
    }
    [[nodiscard]] LoopSlot& slot_of(ThreadId thread) noexcept {
        return slots_[thread - options_.first_thread];
    }

    const RuntimeOptions options_;
    std::uint32_t loop_count_;
    Duration spin_max_;
    Peers own_peers_;  // unused if the options name others
    std::vector<LoopSlot> slots_;
    std::mutex mutex_;
    std::condition_variable changed_;
    // Guarded by mutex_.
    std::uint32_t made_count_ = 0;
    std::uint32_t closed_count_ = 0;
    std::optional<Error> error_;
    std::exception_ptr exception_;
    bool is_started_ = false;
    bool is_stopping_ = false;
    bool is_joining_ = false;
};

}  // namespace gyre
