// SPDX-License-Identifier: Apache-2.0
// gyre's own adapter for the table of the loop: gyre::handle. One thread, one scenario.
#pragma once

#include <memory>

#include "gyre/conform/ground.hpp"
#include "gyre/conform/loop.hpp"

namespace gyre::conform {

[[nodiscard]] std::unique_ptr<LoopAdapter> make_gyre_loop(std::unique_ptr<Ground> ground);

}  // namespace gyre::conform
