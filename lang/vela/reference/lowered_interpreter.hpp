// SPDX-License-Identifier: Apache-2.0
// A second interpreter, for lowered code: slow, and strict about what it is given. At a suspension
// it forgets every register that the state does not keep, and whoever reads a forgotten or
// unwritten one is a fault of the lowering. Shares values, natives and the order of tasks with the
// reference evaluator, and nothing of how programs are evaluated. A pure function; any thread.
#pragma once

#include "lang/vela/lower/detail/code.hpp"
#include "lang/vela/reference/natives.hpp"

namespace gyre::vela {

[[nodiscard]] Outcome run_lowered(const Lowered& lowered, RuntimeOptions options = {});

}  // namespace gyre::vela
