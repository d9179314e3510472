// SPDX-License-Identifier: Apache-2.0
// Limits that more than one file of the platforms uses. Constants: any thread.
#pragma once

#include <algorithm>
#include <cstddef>

#include "gyre/kernel/clock.hpp"

namespace gyre::platform {

// The most bytes that Linux transfers in one call, so that every count fits a result.
inline constexpr std::size_t call_size_max = 0x7ffff000;
inline unsigned call_size_of(std::size_t size_bytes) noexcept {
    return static_cast<unsigned>(std::min(size_bytes, call_size_max));
}

// The most bytes that a ReceiveRingOp takes in one call.
inline constexpr std::size_t scratch_size_bytes = std::size_t{64} * 1024;

// The most bytes that one SendFileOp takes from its file, so that other ops are served in between.
inline constexpr std::size_t sent_from_file_max = std::size_t{1024} * 1024;

// How many ops of one side of one descriptor are served in one run, so that others are not starved.
inline constexpr int attempts_per_run_max = 16;

// The delay before ops that failed for lack of descriptors or memory are retried; doubled after
// each failed retry.
inline constexpr Duration retry_delay_min = std::chrono::milliseconds(10);
inline constexpr Duration retry_delay_max = std::chrono::seconds(1);

}  // namespace gyre::platform
