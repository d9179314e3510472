// SPDX-License-Identifier: Apache-2.0
// The option --trace FILE, for every command that runs loops; GYRE_TRACE stands in for it. Called
// before the command line is read; the path outlives that. Make a trace::TraceFile of it.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "gyre/trace/trace.hpp"

namespace gyre::cli {

inline void add_trace_option(CLI::App& command, std::string& path) {
    command
        .add_option("--trace", path,
                    "Write what the loops did to FILE, for ui.perfetto.dev or chrome://tracing")
        ->type_name("FILE")
        ->envname(trace::file_variable);
}

}  // namespace gyre::cli
