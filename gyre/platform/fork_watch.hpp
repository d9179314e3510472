// SPDX-License-Identifier: Apache-2.0
// Counts forks, so that a platform notices that it runs in a forked child, where it would share its
// descriptors with the parent.
//
//     const std::uint32_t generation = platform::process_generation();
//
// Thread: any.
// Lifetime: the process.
#pragma once

#include <cstdint>

namespace gyre::platform {

// To be called before the first question. Result: 0, or an error number.
[[nodiscard]] int watch_forks() noexcept;

// How often this process has been forked off: the same as long as it is the same process.
[[nodiscard]] std::uint32_t process_generation() noexcept;

}  // namespace gyre::platform
