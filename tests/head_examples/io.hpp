// SPDX-License-Identifier: Apache-2.0
// What the examples of gyre/io take for granted.
#pragma once

#include "tests/head_examples/common.hpp"

namespace gyre::io_examples {

extern Loop& loop;
extern Sockets& sockets;
extern Fd fd;
extern Fd socket;
extern Fd file;
extern Op& op;
extern std::array<std::byte, 4096> buffer;
extern ConstBytes head;
extern std::size_t size_bytes;
void submit(Op& op);  // as Machine::submit
void count_connection();
void refuse();

}  // namespace gyre::io_examples
