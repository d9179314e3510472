// SPDX-License-Identifier: Apache-2.0
// The commands of the program gyre. To add one, write its file and one line here. Called by main,
// on its thread, before the command line is read.
#pragma once

#include "gyre/task/core/run.hpp"

namespace CLI {
class App;
}

// clang-format off
#define GYRE_COMMANDS(command) \
    command(tour)              \
    command(run)               \
    command(test)              \
    command(sim)               \
    command(inspect)           \
    command(conform)           \
    command(check)             \
    command(explain)           \
    command(fmt)               \
    command(lower)             \
    command(repl)              \
    command(lsp)               \
    command(doc)               \
    command(serve)             \
    command(fetch)             \
    command(sql)               \
    command(uv)                \
    command(runs)              \
    command(doctor)            \
    command(man)               \
    command(completions)       \
    command(version)
// clang-format on

namespace gyre::cli {

// Each adds its subcommand to the program: name, options, and the callback that runs it and sets the
// exit code. A callback that throws UsageError ends the program with 2, any other exception with 1,
// and its text in one line. Both arguments outlive the parsing of the command line.
#define GYRE_DECLARE_COMMAND(name) void add_##name(CLI::App& program, ExitCode& exit_code);
GYRE_COMMANDS(GYRE_DECLARE_COMMAND)
#undef GYRE_DECLARE_COMMAND

}  // namespace gyre::cli
