// SPDX-License-Identifier: Apache-2.0
// Tells a platform that it has been carried into a child process by fork(), where it would share
// its descriptors with the parent. Any thread may ask; lives as long as the process.
#pragma once

#include <cstdint>

namespace gyre::platform {

// To be called before the first question. Result: 0, or an error number.
[[nodiscard]] int watch_forks() noexcept;

// How often this process has been forked off: the same as long as it is the same process.
[[nodiscard]] std::uint32_t process_generation() noexcept;

}  // namespace gyre::platform
