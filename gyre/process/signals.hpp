// SPDX-License-Identifier: Apache-2.0
// signals: the signals that this process receives, as a stream of their numbers.
//
//     const std::vector<int> numbers{SIGHUP, SIGUSR1};
//     auto received = co_await process::signals(numbers);
//     while (auto number = co_await received.next()) std::printf("signal %d\n", *number);
//
// Thread: any loop's thread; several streams, on any loops, may wait for the same signal, and each
// gets it.
// Lifetime: the default action is disabled from the time the future returns until the stream is
// closed or destroyed.
// Cancel: `next` did nothing but end the stream.
//
// A signal that arrives several times before it is read is returned as often as the platform
// counted. The Error `invalid_argument` for a number that is no signal or cannot be caught.
#pragma once

#include <vector>

#include "gyre/task/stream/stream.hpp"

namespace gyre::process {

[[nodiscard]] Future<Stream<int>> signals(std::vector<int> numbers);

}  // namespace gyre::process
