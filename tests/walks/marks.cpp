// SPDX-License-Identifier: Apache-2.0
// The linker replaces the system calls with the functions named __wrap_ (--wrap in CMakeLists.txt).
#include "tests/walks/marks.hpp"

#include <sys/epoll.h>
#include <unistd.h>
#include <valgrind/callgrind.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace walks {
namespace {

const char* walk_name = nullptr;
std::function<void()> outside_happens;
int round_count = 0;
std::atomic<bool> is_last_round = false;
std::atomic<bool> is_waiting = false;
std::atomic<bool> is_wake_due = false;  // begin_here was called, and no wake came yet

thread_local bool is_measured = false;
thread_local bool is_walking = false;

void begin() {
    is_walking = true;
    CALLGRIND_TOGGLE_COLLECT;
}

void end() {
    CALLGRIND_TOGGLE_COLLECT;
    is_walking = false;
}

void end_and_dump() {
    end();
    CALLGRIND_DUMP_STATS_AT(walk_name);
}

}  // namespace

void before_wait() {
    if (!is_measured) return;
    if (is_walking) {  // The last wait did not lead to user code.
        end();
        CALLGRIND_ZERO_STATS;
    }
    if (outside_happens) outside_happens();
    is_waiting = true;
    is_waiting.notify_one();
}

void after_wait() {
    if (!is_measured) return;
    is_waiting = false;
    if (is_last_round) begin();
}

void measure_here(const char* name) {
    walk_name = name;
    outside_happens = nullptr;
    round_count = 0;
    is_last_round = false;
    is_waiting = false;
    is_measured = true;
}

void set_outside(std::function<void()> outside) {
    outside_happens = std::move(outside);
}

bool reached() {
    if (is_wake_due) {
        std::fputs("the measured loop was woken by another call than write: see marks.cpp\n",
                   stderr);
        std::abort();
    }
    const bool was_last = is_last_round;
    if (is_walking) {
        end_and_dump();
        is_last_round = false;
        is_measured = false;
    }
    if (++round_count == warm_up_rounds) is_last_round = true;
    return was_last;
}

void wait_for_measured_thread() {
    is_waiting.wait(false);
}

void begin_here() {
    if (!is_last_round) return;
    is_wake_due = true;
    begin();
}

void note_wake() {
    if (!is_walking) return;
    end_and_dump();
    is_wake_due = false;
}

}  // namespace walks

extern "C" {

int __real_epoll_wait(int, epoll_event*, int, int);
int __wrap_epoll_wait(int fd, epoll_event* events, int count, int timeout) {
    if (timeout == 0) return __real_epoll_wait(fd, events, count, timeout);  // does not block
    return walks::waited([&] { return __real_epoll_wait(fd, events, count, timeout); });
}

int __real_epoll_pwait2(int, epoll_event*, int, const timespec*, const sigset_t*);
int __wrap_epoll_pwait2(int fd, epoll_event* events, int count, const timespec* timeout,
                        const sigset_t* mask) {
    return walks::waited([&] { return __real_epoll_pwait2(fd, events, count, timeout, mask); });
}

// A loop is woken by a write to its eventfd.
ssize_t __real_write(int, const void*, size_t);
ssize_t __wrap_write(int fd, const void* data, size_t size) {
    walks::note_wake();
    return __real_write(fd, data, size);
}

}  // extern "C"
