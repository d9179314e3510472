// SPDX-License-Identifier: Apache-2.0
// name_this_thread, pin_this_thread: what a thread tells the system about itself.
//
//     platform::name_this_thread("worker");
//
// Thread: concerns the calling thread.
// Lifetime: the thread.
#pragma once

#include <string_view>

#include "gyre/base/result.hpp"

namespace gyre::platform {

// For debuggers and `ps`; the system keeps the first 15 bytes.
void name_this_thread(std::string_view name) noexcept;

// Ties the thread to one core.
[[nodiscard]] Result<void> pin_this_thread(int core) noexcept;

}  // namespace gyre::platform
