// SPDX-License-Identifier: Apache-2.0
// name_this_thread, pin_this_thread, cores_of_this_thread: the name of a thread, and the cores it
// may run on.
//
//     platform::name_this_thread("worker");
//
// Thread: each function concerns the calling thread.
// Lifetime: the thread.
#pragma once

#include <string_view>
#include <vector>

#include "gyre/base/result.hpp"

namespace gyre::platform {

// For debuggers and `ps`; the system keeps the first 15 bytes.
void name_this_thread(std::string_view name) noexcept;

// Restricts the thread to one core.
[[nodiscard]] Result<void> pin_this_thread(int core) noexcept;

// The numbers of the cores that this thread may run on; empty if the system does not report them.
[[nodiscard]] std::vector<int> cores_of_this_thread();

}  // namespace gyre::platform
