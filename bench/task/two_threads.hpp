// SPDX-License-Identifier: Apache-2.0
// Cases of tasks on two threads, each a loop with an executor of its own. Used by main.cpp.
#pragma once

#include "bench/protocol.hpp"

namespace gyre::bench {

void measure_channel_ping_pong_2(Run& run);

}  // namespace gyre::bench
