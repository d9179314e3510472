// SPDX-License-Identifier: Apache-2.0
// run_to_exit: a program of jobs from its first to its last callback. Call it on the loop's thread.
#pragma once

#include "gyre/job/pump.hpp"

namespace gyre::job {

// Turns the loop until it has run dry; then the host's on_before_exit may start something, as often
// as that happens; at last on_exit. Returns at once when the loop is stopped, or stuck in simulated
// time: the pump goes on with the next run. What the host's on_error stopped goes to on_exit.
Loop::End run_to_exit(Loop& loop, Pump& pump);

}  // namespace gyre::job
