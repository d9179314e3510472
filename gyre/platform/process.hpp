// SPDX-License-Identifier: Apache-2.0
// usable_cores, usable_memory_bytes, process_generation: how many CPU cores and how much memory this
// process may use, and whether it is a forked child.
//
//     const std::uint32_t cores = platform::usable_cores();
//
// Thread: any.
// Lifetime: numbers.
#pragma once

#include <cstdint>

namespace gyre::platform {

// The smaller of the number of cores in the process's affinity mask and the CPU quota of its
// control groups, rounded up; at least 1. Queries the system each time.
[[nodiscard]] std::uint32_t usable_cores();

// The least of the machine's memory, the limits of the process (RLIMIT_AS, RLIMIT_DATA) and those of
// its control groups. Queries the system each time.
[[nodiscard]] std::uint64_t usable_memory_bytes();

// How often this process and its ancestors have forked since watch_forks: a platform compares it to
// detect that it runs in a forked child, where it would share its descriptors with the parent.
[[nodiscard]] std::uint32_t process_generation() noexcept;
// Starts to count forks. Result: 0, or an error number.
[[nodiscard]] int watch_forks() noexcept;

}  // namespace gyre::platform
