// SPDX-License-Identifier: Apache-2.0
// What the examples of gyre/base take for granted.
#pragma once

#include "tests/head_examples/common.hpp"

namespace gyre::base_examples {

extern net::Stream& stream;
extern Sockets& sockets;
extern std::size_t count;
extern std::size_t room;
extern int delay_ms;
void use(TimerOp& timer);
void count_lost();

}  // namespace gyre::base_examples
