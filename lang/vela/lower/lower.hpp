// SPDX-License-Identifier: Apache-2.0
// lower: a checked, correct program as instructions and state machines. A pure function.
//
//     const auto lowered = vela::lower(*program);
//
// Thread: any that may use the Program.
// Lifetime: the result points into the Program.
#pragma once

#include <memory>

#include "lang/vela/lower/detail/code.hpp"

namespace gyre::vela {

// The program must be without errors, and outlive what is made of it.
[[nodiscard]] std::unique_ptr<Lowered> lower(Program& program);

}  // namespace gyre::vela
