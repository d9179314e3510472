// SPDX-License-Identifier: Apache-2.0
// Stands before the C library's clock_gettime and timerfd_create. See virtual_clock.hpp.
#include "bench/peers/virtual_clock.hpp"

#include <dlfcn.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>

namespace {

using ClockGettime = int (*)(clockid_t, timespec*);

// A plain date after the epoch: libraries take zero for "never".
constexpr std::int64_t start_ns = 1'000'000'000'000'000;
std::int64_t now_ns = 0;
bool is_virtual = false;

ClockGettime real_clock_gettime() {
    static const auto real = reinterpret_cast<ClockGettime>(dlsym(RTLD_NEXT, "clock_gettime"));
    return real;
}

}  // namespace

extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
    // The raw clock stays real: it is what the stopwatch reads.
    if (!is_virtual || clock == CLOCK_MONOTONIC_RAW) return real_clock_gettime()(clock, time);
    time->tv_sec = now_ns / 1'000'000'000;
    time->tv_nsec = now_ns % 1'000'000'000;
    return 0;
}

// A timer descriptor would run on real time; Asio asks the clock instead when there is none.
extern "C" int timerfd_create(int clock, int flags) noexcept {
    if (!is_virtual) return static_cast<int>(syscall(SYS_timerfd_create, clock, flags));
    errno = ENOSYS;
    return -1;
}

namespace gyre::bench {

VirtualTime::VirtualTime() noexcept {
    now_ns = start_ns;
    is_virtual = true;
}

VirtualTime::~VirtualTime() {
    is_virtual = false;
}

void VirtualTime::set(std::int64_t time_ns) noexcept {
    now_ns = start_ns + time_ns;
}

}  // namespace gyre::bench
