// SPDX-License-Identifier: Apache-2.0
// run_machine: runs a lowered program on the machine, on a simulated loop, and gives its outcome, to
// compare with those of the interpreters. One thread.
#pragma once

#include "lang/vela/reference/outcome.hpp"
#include "lang/vela/run/run.hpp"

namespace gyre::vela {

[[nodiscard]] Outcome run_machine(const Lowered& lowered, MachineOptions options = {},
                                  RunReport* report = nullptr);

}  // namespace gyre::vela
