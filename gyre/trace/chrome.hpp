// SPDX-License-Identifier: Apache-2.0
// chrome_json, write_chrome: a trace in Chrome's trace event format, for ui.perfetto.dev and
// chrome://tracing.
//
//     trace::Trace trace;
//     trace.add_loop({.loop = "main"}).on_mark("here");
//     std::puts(trace::chrome_json(trace).c_str());
//
// Thread: any, after the last turn of every loop of the trace.
// Lifetime: the trace is used only during the call.
//
//   a world   a process
//   a loop    a thread, with slices for waits and turns, and inside turns for the ticks of machines
//   a task    a thread with the name of the task, with slices where it ran
//   an op     a flow from its submission over each machine that it is routed to, to its completion
//   a mark    an instant event
//
// The flow of an op in flight ends in a slice `in flight` at the end of the trace. An op whose
// submission was overwritten has no flow. Times are microseconds from the first event, with
// nanoseconds after the point.
#pragma once

#include <string>

#include "gyre/trace/sink.hpp"
#include "gyre/trace/trace.hpp"

namespace gyre::trace {

// Writes in pieces: a long trace need not be in memory twice.
void write_chrome(const Trace& trace, TraceSink& sink);
[[nodiscard]] std::string chrome_json(const Trace& trace);

}  // namespace gyre::trace
