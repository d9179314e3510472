// SPDX-License-Identifier: Apache-2.0
// The commands of the program gyre. To add one, write its file and one line here. Called by main,
// on its thread, before the command line is read.
#pragma once

namespace CLI {
class App;
}

// clang-format off
#define GYRE_COMMANDS(command) \
    command(tour)              \
    command(conform)           \
    command(check)             \
    command(fmt)               \
    command(lower)             \
    command(serve)             \
    command(fetch)             \
    command(doctor)            \
    command(version)
// clang-format on

namespace gyre::cli {

// What the program ends with. A deadlock: nothing can wake what still waits. Over: cancelled, or
// over a limit.
enum class ExitCode { fine = 0, failed = 1, usage = 2, deadlock = 3, over = 4 };

// Each adds itself to the program: its name, its options, and what it does when it is chosen, which
// sets the exit code. Both arguments outlive the reading of the command line.
#define GYRE_DECLARE_COMMAND(name) void add_##name(CLI::App& program, ExitCode& exit_code);
GYRE_COMMANDS(GYRE_DECLARE_COMMAND)
#undef GYRE_DECLARE_COMMAND

}  // namespace gyre::cli
