// SPDX-License-Identifier: Apache-2.0
// The program gyre: reads the command line and leaves the rest to the command that it names.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "cli/commands.hpp"
#include "gyre/base/version.hpp"

int main(int argc, char** argv) {
    using gyre::cli::ExitCode;
    CLI::App program("gyre, a C++ async runtime", "gyre");
    program.set_version_flag("--version", std::string(gyre::version_string));
    program.require_subcommand(0, 1);
    program.failure_message(CLI::FailureMessage::simple);

    ExitCode exit_code = ExitCode::fine;
#define GYRE_ADD_COMMAND(name) gyre::cli::add_##name(program, exit_code);
    GYRE_COMMANDS(GYRE_ADD_COMMAND)
#undef GYRE_ADD_COMMAND

    try {
        program.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        // A wish for help comes this way too.
        return program.exit(error) == 0 ? 0 : static_cast<int>(ExitCode::usage);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "gyre: %s\n", error.what());
        return static_cast<int>(ExitCode::failed);
    }
    if (program.get_subcommands().empty()) {
        std::fprintf(stderr, "gyre: say what to do\n%s", program.help().c_str());
        exit_code = ExitCode::usage;
    }
    return static_cast<int>(exit_code);
}
