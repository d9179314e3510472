// SPDX-License-Identifier: Apache-2.0
// What the examples of gyre/base take for granted.
#pragma once

#include "tests/head_examples/common.hpp"

namespace gyre::base_examples {

extern net::Connection& stream;
extern Sockets& sockets;
extern std::size_t count;
extern std::size_t room;
extern int delay_ms;
void use(TimerOp& timer);
void count_lost();
void send_report();
void raise(const char* limit);
void retry_later(const std::error_code& code);
void give_up(const char* why);

}  // namespace gyre::base_examples
