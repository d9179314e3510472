// SPDX-License-Identifier: Apache-2.0
// Virtual time for Node: loaded into it before the C library, this answers its readings of the
// monotonic clock, which stands still; a wait of the main thread moves it instead of waiting, and
// so does process.umask(ms). So a program gives the same order on every run, on a busy machine too.
#include <dlfcn.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

namespace {

constexpr std::int64_t ns_per_s = 1'000'000'000;
std::atomic<std::int64_t> passed_ns{0};

template <class Function>
Function real(const char* name) {
    return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

int real_clock(clockid_t clock, timespec* time) {
    return static_cast<int>(syscall(SYS_clock_gettime, clock, time));
}

std::int64_t start_ns() {
    static const std::int64_t start = [] {
        timespec now{};
        real_clock(CLOCK_MONOTONIC, &now);
        return now.tv_sec * ns_per_s + now.tv_nsec;
    }();
    return start;
}

void advance_ms(std::int64_t ms) {
    passed_ns += ms * 1'000'000;
}

}  // namespace

extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
    if (clock != CLOCK_MONOTONIC && clock != CLOCK_MONOTONIC_COARSE) return real_clock(clock, time);
    const std::int64_t now = start_ns() + passed_ns;
    time->tv_sec = now / ns_per_s;
    time->tv_nsec = now % ns_per_s;
    return 0;
}

extern "C" int epoll_pwait(int fd, epoll_event* events, int count, int timeout,
                           const sigset_t* mask) {
    static const auto wait = real<decltype(&epoll_pwait)>("epoll_pwait");
    if (timeout <= 0 || gettid() != getpid()) return wait(fd, events, count, timeout, mask);
    const int found = wait(fd, events, count, 0, mask);
    if (found == 0) advance_ms(timeout);
    return found;
}

extern "C" int epoll_wait(int fd, epoll_event* events, int count, int timeout) {
    return epoll_pwait(fd, events, count, timeout, nullptr);
}

extern "C" mode_t umask(mode_t ms) noexcept {
    advance_ms(ms);
    return 0;
}
