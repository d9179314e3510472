// SPDX-License-Identifier: Apache-2.0
// What can go wrong between the hosts of a World, and on their disks, while the program runs. A
// default value is a network or a disk without faults.
//
//     world.set_link(a, b, {.latency = {10ms, 50ms}, .loss_one_in = 20});
//     a.disk().sync_error_one_in = 10;
//     b.system().timer_delay = 300ms;
//
// Thread: that of the world.
// Lifetime: values.
#pragma once

#include <chrono>
#include <cstdint>

#include "gyre/kernel/clock.hpp"

namespace gyre::sim {

// An inclusive range.
struct DurationRange {
    Duration min;
    Duration max;
};

// One direction between two hosts. "One in": 0 is never, 1 is always.
struct LinkFaults {
    DurationRange latency = {std::chrono::microseconds(50), std::chrono::microseconds(500)};
    std::uint64_t bytes_per_second = 0;  // 0: no limit

    // Of datagrams. TCP sends again what is lost, so its bytes are late instead.
    std::uint64_t loss_one_in = 0;
    std::uint64_t duplicate_one_in = 0;
    std::uint64_t overtaken_one_in = 0;

    // Nothing arrives. Bytes of a connection wait until the link heals, or until their sender gives
    // up; a connect gets no answer.
    bool is_cut = false;
    // A connect is refused, as by a firewall that answers.
    bool refuses_connects = false;
};

struct DiskFaults {
    std::uint64_t read_error_one_in = 0;   // EIO
    std::uint64_t write_error_one_in = 0;  // EIO, nothing written
    std::uint64_t sync_error_one_in = 0;   // EIO: what was to be synced is not safe, now or later
    std::uint64_t short_one_in = 0;        // fewer bytes than asked
    bool is_full = false;                  // ENOSPC
    Duration delay = Duration(0);          // longer than it would take anyway
};

// Of the system that a host's process runs on: what is late, and by how much at most.
struct SystemFaults {
    Duration timer_delay = Duration(0);  // a sleeping loop is woken for a timer
    Duration wake_delay = Duration(0);   // a sleeping loop is woken for input
    Duration work_delay = Duration(0);   // blocking work: look-ups of names, calls on other threads
    bool names_fail = false;             // no name of another host is found
};

}  // namespace gyre::sim
