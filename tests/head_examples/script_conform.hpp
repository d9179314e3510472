// SPDX-License-Identifier: Apache-2.0
// What the examples of lang/script/conform take for granted.
#pragma once

#include "lang/script/conform/script_conform.hpp"

namespace gyre::script_conform_examples {

extern script::EngineFactory make_engine;

}  // namespace gyre::script_conform_examples
