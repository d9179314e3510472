// SPDX-License-Identifier: Apache-2.0
// TurnShare: how much time of one turn a machine may spend on code that is not its own: tasks, jobs of a script,
// turns of a Vela program, steps of effectful runs. Such code may always have more to do. A machine that has used up its
// share goes on in the next turn, so that programs that never end get like parts of a loop, and its timers are on time. Only
// real time is measured: in simulated time the machines count. On the loop's thread; a member of the machine.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "gyre/base/assert.hpp"
#include "gyre/kernel/loop.hpp"

namespace gyre {

class TurnShare {
public:
    explicit TurnShare(Duration time_max) noexcept : time_max_(time_max) {}

    // Whether the share of the current turn is used up: the machine then asks for another tick, and does nothing else.
    [[nodiscard]] bool is_spent(const Loop& loop) const noexcept {
        return spent_turn_ == loop.turn_count();
    }
    // Whether time is measured.
    [[nodiscard]] bool is_timed(Loop& loop) const noexcept {
        return time_max_ > Duration(0) && !loop.platform().is_simulated();
    }

    // Whatever it took: the machine has counted enough pieces of work.
    void spend(const Loop& loop) noexcept { spent_turn_ = loop.turn_count(); }

    // Before work. Reads the clock only if the last pieces of work took long.
    void begin(Loop& loop) noexcept {
        is_timing_ = false;
        if (pieces_ < pieces_max) start(loop);
    }
    // Before a piece of work that may be long, whatever the last ones took.
    void begin_long(Loop& loop) noexcept {
        if (!is_timing_) start(loop);
    }
    // Before work whose time shall count from here on.
    void start(Loop& loop) noexcept {
        if (!is_timed(loop)) return;
        last_ = loop.platform().now();
        is_timing_ = true;
    }
    // After some work. The first question after begin() may only start the measurement. With `done`, the number of pieces
    // that it was, none begins that would be over for more than half if it is as long: a turn takes its share on average.
    [[nodiscard]] bool is_used_up(Loop& loop, std::uint32_t done = 0) noexcept {
        return is_timed(loop) && read(loop, done);
    }

    // How many pieces of work to do before the next question: many while they are quick.
    [[nodiscard]] std::uint32_t pieces() const noexcept { return pieces_; }

private:
    static constexpr std::uint32_t pieces_max = 64;
    static constexpr Duration quick = std::chrono::microseconds(64);

    [[gnu::noinline]] bool read(Loop& loop, std::uint32_t done) noexcept {
        Duration half_a_piece{0};
        const Instant now = loop.platform().now();
        if (turn_ != loop.turn_count()) {
            turn_ = loop.turn_count();
            used_ = Duration(0);
        }
        if (is_timing_) {
            const Duration took = std::max(now - last_, Duration(0));  // The clock may go back.
            used_ += took;
            if (done > 0) half_a_piece = took / (2 * done);
            pieces_ = took < quick ? std::min(2 * pieces_, pieces_max) : 1;
        }
        GYRE_ASSERT(pieces_ >= 1, "no piece of work would ever be done");
        GYRE_ASSERT(used_ >= Duration(0), "a turn takes no negative time");
        last_ = now;
        is_timing_ = true;
        if (used_ + half_a_piece < time_max_) return false;
        spent_turn_ = turn_;
        return true;
    }

    const Duration time_max_;
    Duration used_{0};  // in the turn turn_
    Instant last_;
    std::uint64_t turn_ = 0;
    std::uint64_t spent_turn_ = 0;
    std::uint32_t pieces_ = pieces_max;
    bool is_timing_ = false;
};

}  // namespace gyre
