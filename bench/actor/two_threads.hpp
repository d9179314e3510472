// SPDX-License-Identifier: Apache-2.0
// The case of two actors on two loops, each made, run and ended by its own thread. Used by
// main.cpp.
#pragma once

#include "bench/protocol.hpp"

namespace gyre::bench {

void measure_ping_pong_2(Run& run);

}  // namespace gyre::bench
