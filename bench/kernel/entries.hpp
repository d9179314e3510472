// SPDX-License-Identifier: Apache-2.0
// The tables of bench_kernel, one a source file of the same name. Called once by main.
#pragma once

#include <vector>

#include "bench/protocol.hpp"

namespace gyre::bench {

std::vector<Entry> wheel_entries();
std::vector<Entry> timer_machine_entries();
std::vector<Entry> message_loop_entries();
std::vector<Entry> doorbell_entries();
std::vector<Entry> two_loops_entries();
std::vector<Entry> turn_entries();
std::vector<Entry> op_entries();
std::vector<Entry> fd_loop_entries();

}  // namespace gyre::bench
