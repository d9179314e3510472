// SPDX-License-Identifier: Apache-2.0
// usable_cores, process_generation: how many processor cores this process may use, and whether it is
// a forked child.
//
//     const std::uint32_t cores = platform::usable_cores();
//
// Thread: any.
// Lifetime: numbers.
#pragma once

#include <cstdint>

namespace gyre::platform {

// The smaller of the cores the process may run on (its affinity) and the processor time its control
// groups grant, rounded up; at least 1. Asks the system each time.
[[nodiscard]] std::uint32_t usable_cores();

// How often this process and its parents have forked since watch_forks: a platform compares it to
// notice that it runs in a forked child, where it would share its descriptors with the parent.
[[nodiscard]] std::uint32_t process_generation() noexcept;
// Starts to count forks. Result: 0, or an error number.
[[nodiscard]] int watch_forks() noexcept;

}  // namespace gyre::platform
