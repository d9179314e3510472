// SPDX-License-Identifier: Apache-2.0
// Replaces liburing's blocking wait, as marks.cpp does with epoll's. Dropped without liburing.
#include <liburing.h>
#include <poll.h>

#include "tests/walks/marks.hpp"

extern "C" {

int __real_io_uring_submit_and_wait_timeout(io_uring*, io_uring_cqe**, unsigned, __kernel_timespec*,
                                            sigset_t*);
int __wrap_io_uring_submit_and_wait_timeout(io_uring* ring, io_uring_cqe** first, unsigned count,
                                            __kernel_timespec* timeout, sigset_t* mask) {
    // valgrind does not know that io_uring_enter may block and keeps all other threads waiting
    // meanwhile, so the blocking is done by a poll.
    return walks::waited([&] {
        io_uring_submit(ring);
        pollfd ready{.fd = ring->ring_fd, .events = POLLIN, .revents = 0};
        const timespec limit{.tv_sec = timeout == nullptr ? 0 : timeout->tv_sec,
                             .tv_nsec = timeout == nullptr ? 0 : timeout->tv_nsec};
        ppoll(&ready, 1, timeout == nullptr ? nullptr : &limit, nullptr);
        __kernel_timespec at_once{};
        return __real_io_uring_submit_and_wait_timeout(ring, first, count, &at_once, mask);
    });
}

}  // extern "C"
