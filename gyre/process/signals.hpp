// SPDX-License-Identifier: Apache-2.0
// signals: the signals that this process gets, as a stream of their numbers. They count from the
// time the future gives the stream; from then until it is closed or dropped they do not do what
// they do by default. Any number of streams, on any loops, may want the same one; each is told.
//
//     const std::vector<int> numbers{SIGHUP, SIGUSR1};
//     auto heard = co_await process::signals(numbers);
//     while (auto number = co_await heard.next()) reload(*number);
//
// One that comes several times before it is read is given as often as the platform counted. The
// Error `invalid_argument` for what is no signal or cannot be caught. Cancel class of `next`: did
// nothing but end the stream.
#pragma once

#include <vector>

#include "gyre/task/stream.hpp"

namespace gyre::process {

[[nodiscard]] Future<Stream<int>> signals(std::vector<int> numbers);

}  // namespace gyre::process
