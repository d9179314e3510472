// SPDX-License-Identifier: Apache-2.0
// gyre's own adapter for the table of the kernel. One thread, one scenario; a machine elsewhere
// has a loop and a thread of its own, or in simulated time a loop of the same simulation.
#pragma once

#include <memory>

#include "gyre/conform/ground.hpp"
#include "gyre/conform/kernel.hpp"

namespace gyre::conform {

[[nodiscard]] std::unique_ptr<KernelAdapter> make_gyre_kernel(std::unique_ptr<Ground> ground);

}  // namespace gyre::conform
