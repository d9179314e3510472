// SPDX-License-Identifier: Apache-2.0
// Runtime: the loops of a process, each on a thread of its own with its own platform and app
// machine.
//
//     platform::Runtime runtime({.loop_count = 4, .make_platform = make, .make_app = make_app});
//     if (!runtime.start()) return 1;
//     runtime.join();
//
// Thread: one thread makes, starts and joins it; `stop` and `post` from any thread (not from a
// signal handler).
// Lifetime: what the options refer to outlives it.
//
// How it ends, so that nothing hangs and nothing is touched after it is gone:
//   1. stop() rings every loop, and each leaves its run by itself.
//   2. Each closes: its machines cancel their ops in flight and complete what they serve; new ops are
//      refused as `owner_dead`. It keeps turning until its own ops are back, while the others do the
//      same. So every op in flight between two loops comes back, whichever closes first.
//   3. A closed loop refuses ops that others still submit to it in the same way.
//   4. A closed loop's memory stays until all are closed, because others may still post to it. Then
//      each thread destroys what it made, and ends.
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

namespace gyre::platform {

class Runtime;

struct RuntimeOptions {
    std::uint32_t loop_count = 0;  // 0: as many as there are usable cores
    // All three are called on the loop's own thread. What the first two throw comes out of start().
    std::function<Result<std::unique_ptr<Platform>>(ThreadId)> make_platform;
    std::function<std::unique_ptr<Machine>(ThreadId)> make_app;
    // When all loops are there, before this one turns: the place to submit the first ops. It must
    // not throw.
    std::function<void(Runtime&, Loop&, Machine&)> on_started;
    // The observer of each loop, which outlives the runtime; asked for by start() on the thread
    // that calls it, in the order of the loops. Without this, the observer below is that of all
    // loops.
    std::function<Observer*(ThreadId)> observer_of = nullptr;
    // Limits, offload and observer of every loop; the thread id and the peers are set here.
    LoopOptions loop = {};
    std::uint64_t seed = 0;
};

class Runtime {
public:
    explicit Runtime(RuntimeOptions options);
    // Stops and joins.
    ~Runtime();
    Runtime(const Runtime&) = delete;
    Runtime& operator=(const Runtime&) = delete;

    // Returns when every loop is made and about to turn; with an error when one could not be made:
    // then none is left. Call it once.
    [[nodiscard]] Result<void> start();
    void stop() noexcept;
    // Returns when every loop has closed and is gone. Not from a loop's thread.
    void join();

    // Submits an op to the app machine of a loop, or to its destination there. False when that loop
    // is closed or there is none.
    [[nodiscard]] bool post(ThreadId thread, Op& op) noexcept;

    // Loops are numbered from 1.
    [[nodiscard]] std::uint32_t loop_count() const noexcept { return loop_count_; }
    // From on_started on.
    [[nodiscard]] MachineRef app_ref(ThreadId thread) const noexcept;
    // Different for each loop, the same for the same seed.
    [[nodiscard]] Random random_for(ThreadId thread) const noexcept;

private:
    struct Seat {
        std::thread thread;
        Loop* loop = nullptr;  // guarded by mutex_; null before it is made and after it is closed
        MachineRef app;
        Observer* observer = nullptr;
        int core = -1;
    };
    struct Parts;

    void run_seat(ThreadId thread) noexcept;
    void give_up_from(ThreadId thread, Error error) noexcept;
    [[nodiscard]] std::optional<Error> make_parts(ThreadId thread, Parts& parts);
    [[nodiscard]] bool meet_when_made(Seat& seat, Parts& parts,
                                      std::optional<Error> error) noexcept;
    void meet_when_closed(Seat& seat) noexcept;
    void choose_cores();
    [[nodiscard]] Seat& seat_of(ThreadId thread) noexcept { return seats_[thread - 1]; }

    const RuntimeOptions options_;
    std::uint32_t loop_count_;
    Duration spin_max_;
    Peers peers_;
    std::vector<Seat> seats_;
    std::mutex mutex_;
    std::condition_variable changed_;
    // Guarded by mutex_.
    std::uint32_t made_count_ = 0;
    std::uint32_t closed_count_ = 0;
    std::optional<Error> error_;
    std::exception_ptr exception_;
    bool is_started_ = false;
    bool is_stopping_ = false;
};

}  // namespace gyre::platform
