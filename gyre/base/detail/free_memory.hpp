// SPDX-License-Identifier: Apache-2.0
// Gives memory that the program has freed back to the system, where the C library keeps it. It walks through
// the whole heap: for the end of something large, not for a steady state. Any thread.
#pragma once

namespace gyre {

void give_back_free_memory() noexcept;

}  // namespace gyre
