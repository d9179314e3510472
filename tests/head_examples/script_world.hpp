// SPDX-License-Identifier: Apache-2.0
// What the example of lang/script/world takes for granted.
#pragma once

#include "gyre/platform/system_clock.hpp"
#include "gyre/pool/pools.hpp"
#include "gyre/task/core/executor.hpp"
#include "lang/script/script.hpp"
#include "lang/script/v8/engine.hpp"

namespace gyre::script_world_examples {

extern platform::SystemClock clock;
extern script::System& system;
extern Platform& platform;
extern pool::Pools& pools;

}  // namespace gyre::script_world_examples
