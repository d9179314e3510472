// SPDX-License-Identifier: Apache-2.0
// The cases of ready descriptors, written once for every C++ program: a byte is written into one
// end of a socket pair, the loop says that the other end is readable, the callback reads the byte.
// The write and the read are part of the time, the same two system calls for everyone.
//
// An adapter `FdLoop` has
//     FdLoop(std::span<const int> fds, std::uint64_t& delivered)   watches all of them
//     void turn()                                                  one turn that does not wait
// and counts `delivered` up for each byte its callbacks have read. One thread.
#pragma once

#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <span>

#include "bench/protocol.hpp"
#include "bench/stopwatch.hpp"

namespace gyre::bench {

// Non-blocking socket pairs; closed with the object, after the loop that watches them.
class SocketPairs {
public:
    explicit SocketPairs(std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            int pair[2];
            if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair) != 0) std::abort();
            near.push_back(pair[0]);
            far.push_back(pair[1]);
        }
    }
    SocketPairs(const SocketPairs&) = delete;
    SocketPairs& operator=(const SocketPairs&) = delete;
    ~SocketPairs() {
        for (const int fd : near) close(fd);
        for (const int fd : far) close(fd);
    }

    std::vector<int> near;
    std::vector<int> far;
};

inline void write_byte(int fd) {
    const char byte = 1;
    if (write(fd, &byte, 1) != 1) std::abort();
}

inline void read_byte(int fd) {
    char byte = 0;
    if (read(fd, &byte, 1) != 1) std::abort();
}

template <class FdLoop>
double fd_event_ns(const Run& run, std::size_t fd_count) {
    SocketPairs pairs{fd_count};
    std::uint64_t delivered = 0;
    FdLoop loop{pairs.near, delivered};
    loop.turn();
    const double round_ns = ns_per_operation(run.span_ns(), [&] {
        const std::uint64_t target = delivered + fd_count;
        for (const int fd : pairs.far) write_byte(fd);
        while (delivered < target) loop.turn();
    });
    return round_ns / static_cast<double>(fd_count);
}

template <class FdLoop>
void measure_fd_event(Run& run) {
    run.report("fd_event", fd_event_ns<FdLoop>(run, 1));
}

template <class FdLoop>
void measure_fd_event_100(Run& run) {
    run.report("fd_event_100", fd_event_ns<FdLoop>(run, 100));
}

template <class FdLoop>
std::vector<Entry> fd_entries() {
    return {
        {{"fd_event"}, measure_fd_event<FdLoop>},
        {{"fd_event_100"}, measure_fd_event_100<FdLoop>},
    };
}

}  // namespace gyre::bench
