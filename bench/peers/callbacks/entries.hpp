// SPDX-License-Identifier: Apache-2.0
// The tables of the peer `callbacks`, one a source file of the same name. Called once by main.
#pragma once

#include <vector>

#include "bench/protocol.hpp"

namespace gyre::bench {

std::vector<Entry> await_entries();
std::vector<Entry> switch_entries();
std::vector<Entry> channel_entries();
std::vector<Entry> tree_entries();

}  // namespace gyre::bench
