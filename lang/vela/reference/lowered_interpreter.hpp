// SPDX-License-Identifier: Apache-2.0
// An interpreter of lowered code: slow and strict. At a suspension it clears every register that
// the state does not keep; a read of a cleared or unwritten register is a fault of the lowering. It
// shares values, natives and the order of tasks with the reference evaluator, but no evaluation
// code. A pure function.
#pragma once

#include "lang/vela/lower/detail/code.hpp"
#include "lang/vela/reference/natives.hpp"

namespace gyre::vela {

[[nodiscard]] Outcome run_lowered(const Lowered& lowered, RuntimeOptions options = {});

}  // namespace gyre::vela
