// SPDX-License-Identifier: Apache-2.0
// What the example of lang/script/db takes for granted.
#pragma once

#include "gyre/task/core/executor.hpp"
#include "lang/script/script.hpp"
#include "lang/script/world/world.hpp"

namespace gyre::script_db_examples {

extern script::Script& program;
extern Executor& executor;

}  // namespace gyre::script_db_examples
