// SPDX-License-Identifier: Apache-2.0
// SimOptions: what a simulation is made with. Every number that the outside leaves open is drawn
// from the seed, within the limits given here. A plain value.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "gyre/kernel/clock.hpp"

namespace gyre::sim {

// Both ends can be drawn.
struct DurationRange {
    Duration min;
    Duration max;
};

struct SimOptions {
    std::uint64_t seed = 1;

    // How long bytes and requests are under way between two sockets, and how long a file takes.
    DurationRange latency = {std::chrono::microseconds(1), std::chrono::microseconds(100)};
    DurationRange file_delay = {std::chrono::microseconds(10), std::chrono::milliseconds(1)};
    DurationRange work_delay = {std::chrono::microseconds(1), std::chrono::microseconds(100)};

    // What a stream holds in each direction, under way or unread; a send beyond it waits.
    std::size_t stream_buffer_bytes = std::size_t{64} * 1024;
    // One in so many transfers takes fewer bytes than it could. 0: none.
    std::uint64_t short_transfer_one_in = 0;

    // What a datagram socket keeps unread, each datagram counted with an overhead: IP drops what
    // comes beyond it. A Unix socket keeps so many, and the sender of one more waits.
    std::size_t datagram_buffer_bytes = std::size_t{208} * 1024;
    std::size_t unix_datagram_count_max = 10;
    // One in so many IP datagrams never arrives, or is overtaken by later ones. 0: none.
    std::uint64_t datagram_loss_one_in = 0;
    std::uint64_t datagram_overtaken_one_in = 0;

    // Descriptors are below this number; a process starts with the lowest three taken.
    int descriptor_count_max = 1024;
    // Changes that a watch keeps unread; then it says that some were lost.
    std::size_t change_count_max = 16384;
    // What all files together may hold.
    std::uint64_t files_size_max_bytes = std::uint64_t{1} << 30u;
    // Blocking work that has not begun; more is refused.
    std::size_t work_count_max = 65536;
};

}  // namespace gyre::sim
