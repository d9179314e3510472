// SPDX-License-Identifier: Apache-2.0
// The bounds of platforms that more than one file uses. Constants: any thread.
#pragma once

#include <algorithm>
#include <cstddef>

#include "gyre/kernel/clock.hpp"

namespace gyre::platform {

// What the system moves in one call at most, so that every count fits a result.
inline constexpr std::size_t call_size_max = 0x7ffff000;
inline unsigned call_size_of(std::size_t size_bytes) noexcept {
    return static_cast<unsigned>(std::min(size_bytes, call_size_max));
}

// What a ReceiveRingOp takes from the system in one call.
inline constexpr std::size_t scratch_size_bytes = std::size_t{64} * 1024;

// What one SendFileOp takes from its file at most, so that others get their turn.
inline constexpr std::size_t sent_from_file_max = std::size_t{1024} * 1024;

// How many ops of one side of one descriptor are served before others get their turn.
inline constexpr int attempts_per_run_max = 16;

// How long ops wait that the system cannot serve for lack of descriptors or memory; doubled each
// time that there are still none.
inline constexpr Duration retry_delay_min = std::chrono::milliseconds(10);
inline constexpr Duration retry_delay_max = std::chrono::seconds(1);

}  // namespace gyre::platform
