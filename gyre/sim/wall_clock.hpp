// SPDX-License-Identifier: Apache-2.0
// WallClock: the time of day as one simulated host believes it: it jumps, and runs faster or slower
// than the world's clock, which never goes back.
//
//     host.wall_clock().jump(now, -2s);       // set back by two seconds
//     host.wall_clock().set_drift(now, 50);   // gains 50 ms each second
//     const sim::UnixSeconds time = sim::unix_seconds();  // in the code of a host
//
// Thread: that of the world.
// Lifetime: part of a Host.
#pragma once

#include <cstdint>

#include "gyre/kernel/clock.hpp"

namespace gyre::sim {

using UnixSeconds = std::int64_t;

class WallClock {
public:
    // At the start of the world's clock.
    static constexpr std::int64_t starts_at_seconds = 1'767'225'600;  // 2026-01-01

    // Nanoseconds since 1970.
    [[nodiscard]] std::int64_t at(Instant now) const noexcept {
        const std::int64_t passed = static_cast<std::int64_t>((now - since_).count());
        return then_ + passed + passed / 1000 * drift_;
    }
    void jump(Instant now, Duration by) noexcept {
        settle(now);
        then_ += by.count();
    }
    // Milliseconds that it gains, or loses if negative, in each second.
    void set_drift(Instant now, std::int64_t thousandths) noexcept {
        settle(now);
        drift_ = thousandths;
    }

private:
    void settle(Instant now) noexcept {
        then_ = at(now);
        since_ = now;
    }

    Instant since_;
    std::int64_t then_ = starts_at_seconds * 1'000'000'000;
    std::int64_t drift_ = 0;
};

// Of the host whose code runs on this thread, for options such as http::ServerOptions::wall_time.
// Outside of a host: 0.
[[nodiscard]] UnixSeconds unix_seconds() noexcept;
[[nodiscard]] std::int64_t unix_nanoseconds() noexcept;

}  // namespace gyre::sim
