// SPDX-License-Identifier: Apache-2.0
#include "gyre/platform/system_clock.hpp"

#include <time.h>

#include "gyre/base/assert.hpp"

namespace gyre::platform {
namespace {

constexpr std::uint64_t nanoseconds_per_second = 1'000'000'000;

// One for each thread, so that the check needs no atomics: time must not go back within a thread.
thread_local Instant last_seen;

}  // namespace

Instant SystemClock::now() noexcept {
    timespec time{};
    const int status = ::clock_gettime(CLOCK_MONOTONIC, &time);
    GYRE_ASSERT(status == 0, "the system has no monotonic clock");
    const Instant now(static_cast<std::uint64_t>(time.tv_sec) * nanoseconds_per_second +
                      static_cast<std::uint64_t>(time.tv_nsec));
    GYRE_ASSERT(now >= last_seen, "the system's monotonic clock went back: its time source is bad");
    last_seen = now;
    return now;
}

}  // namespace gyre::platform
