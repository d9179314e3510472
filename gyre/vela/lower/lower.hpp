// SPDX-License-Identifier: Apache-2.0
// lower: a program that was checked and is right, as instructions and state machines. A pure
// function; any thread that may use the Program.
#pragma once

#include <memory>

#include "gyre/vela/lower/code.hpp"

namespace gyre::vela {

// The program must be without errors, and outlive what is made of it.
[[nodiscard]] std::unique_ptr<Lowered> lower(Program& program);

}  // namespace gyre::vela
