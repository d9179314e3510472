// SPDX-License-Identifier: Apache-2.0
// Puts a virtual clock under a library that reads the system's: the linked virtual_clock.cpp
// answers clock_gettime for the whole program, with the real time until a VirtualTime exists.
//
// That makes timer cases exact and equal: "all due" is one assignment, and nobody's figure holds
// the price of reading a clock. For the main thread, one VirtualTime at a time; threads must not
// run meanwhile.
#pragma once

#include <cstdint>

namespace gyre::bench {

class VirtualTime {
public:
    VirtualTime() noexcept;
    VirtualTime(const VirtualTime&) = delete;
    VirtualTime& operator=(const VirtualTime&) = delete;
    ~VirtualTime();

    // Since this object was made.
    void set(std::int64_t time_ns) noexcept;
};

}  // namespace gyre::bench
