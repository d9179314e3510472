// SPDX-License-Identifier: Apache-2.0
// HostThread: the program of a host that is an ordinary function, with loops that it makes itself. It has
// a thread, but only one thread of a world runs at a time: the program passes its turn whenever its loop
// waits, and the world says who is next.
//
// A program that is killed is never given a turn again: its thread waits for ever, so nothing of it runs
// any more, and its memory is there until the process ends.
//
// Thread: the first part that of the world, the second that of the program.
// Lifetime: made by Host::start. `end` destroys it, or leaves it to the thread that waits for ever.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "gyre/sim/host.hpp"
#include "gyre/sim/internal/sleeper.hpp"

namespace gyre::sim {

class HostThread {
public:
    HostThread(Host& host, SimContext& context, const std::function<int(Host&)>& main);
    HostThread(const HostThread&) = delete;
    HostThread& operator=(const HostThread&) = delete;

    // ---- The world ----

    [[nodiscard]] Instant ready_at(Instant paused_until) noexcept;
    // Runs the program until its loop waits, or it ends.
    void turn() noexcept;
    [[nodiscard]] std::optional<int> exit_code() const noexcept { return exit_code_; }
    // What it waits for.
    [[nodiscard]] std::string describe() const;
    static void end(HostThread* thread) noexcept;

    // ---- The program ----

    void add(SimPlatform& platform) { platforms_.push_back(&platform); }
    void remove(SimPlatform& platform) noexcept { std::erase(platforms_, &platform); }
    // Returns when this platform has input or it is time; at once if the loop polls, but others had a
    // turn.
    void pass_turn(SimPlatform& platform, Loop& loop, Instant until, bool is_poll) noexcept;

private:
    enum class Turn : std::uint8_t { world, program };

    ~HostThread() = default;
    void run(const std::function<int(Host&)>& main) noexcept;
    void give(Turn to) noexcept;
    void wait_for(Turn turn) noexcept;

    Host& host_;
    SimContext& context_;
    std::mutex mutex_;
    std::condition_variable turn_changed_;
    Turn turn_ = Turn::world;  // guarded by the mutex, as all that follows is by the turn

    std::vector<SimPlatform*> platforms_;
    SimPlatform* waiting_ = nullptr;  // null: it has not begun, or has ended
    Loop* loop_ = nullptr;            // of `waiting_`
    Instant until_;
    bool is_polling_ = false;
    Sleeper sleeper_;
    std::optional<int> exit_code_;
    std::thread thread_;
};

}  // namespace gyre::sim
