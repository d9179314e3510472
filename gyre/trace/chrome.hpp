// SPDX-License-Identifier: Apache-2.0
// A trace in Chrome's trace event format, for ui.perfetto.dev and chrome://tracing. Call these when
// no loop of the trace turns any more.
//
//   a world          a process
//   a loop           a thread: slices for waits, turns and, inside them, the ticks of machines
//   a task           a thread of its own, named after it: slices where it ran
//   an op            a flow from its submission over each machine it is routed to, on whatever
//                    thread, to its completion. An op still in flight ends its flow in a slice
//                    `in flight` at the end; one whose submission was overwritten has none
//   a mark           an instant event
//
// Times are microseconds from the first event, with nanoseconds behind the point.
#pragma once

#include <string>

#include "gyre/trace/sink.hpp"
#include "gyre/trace/trace.hpp"

namespace gyre::trace {

void write_chrome(const Trace& trace, TraceSink& sink);
[[nodiscard]] std::string chrome_json(const Trace& trace);

}  // namespace gyre::trace
