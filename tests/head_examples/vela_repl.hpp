// SPDX-License-Identifier: Apache-2.0
// What the examples of lang/vela/repl take for granted.
#pragma once

#include <cstdio>

#include "lang/vela/check/check.hpp"

namespace gyre::vela_repl_examples {

extern vela::SourceTable files;

}  // namespace gyre::vela_repl_examples
