// SPDX-License-Identifier: Apache-2.0
// The option --trace FILE for commands that run loops; its default is GYRE_TRACE. Call it before
// the command line is parsed; `path` outlives the parsing, and names a trace::TraceFile.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "gyre/trace/trace.hpp"

namespace gyre::cli {

inline void add_trace_option(CLI::App& command, std::string& path) {
    command
        .add_option("--trace", path,
                    "Write a trace of the loops to FILE, for ui.perfetto.dev or chrome://tracing")
        ->type_name("FILE")
        ->envname(trace::file_variable);
}

}  // namespace gyre::cli
