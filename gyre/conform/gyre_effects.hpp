// SPDX-License-Identifier: Apache-2.0
// gyre's own adapter for the table of effects: gyre::effect. One thread, one scenario.
#pragma once

#include <memory>

#include "gyre/conform/effects.hpp"
#include "gyre/conform/ground.hpp"

namespace gyre::conform {

[[nodiscard]] std::unique_ptr<EffectsAdapter> make_gyre_effects(std::unique_ptr<Ground> ground);

}  // namespace gyre::conform
