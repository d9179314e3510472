// SPDX-License-Identifier: Apache-2.0
// The program gyre: parses the command line and runs the command.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "cli/commands.hpp"
#include "cli/nearest.hpp"
#include "gyre/base/version.hpp"

namespace {

// Refuses a mistyped command with the nearest name: CLI11 has no such message.
bool refuses_command(const CLI::App& program, const char* word) {
    if (*word == '-') return false;
    std::vector<std::string> names;
    for (const CLI::App* command : program.get_subcommands({}))
        names.push_back(command->get_name());
    if (std::find(names.begin(), names.end(), word) != names.end()) return false;
    const std::string near = gyre::cli::nearest(word, names);
    const std::string advice =
        near.empty() ? "gyre --help lists them" : "did you mean " + near + "?";
    std::fprintf(stderr, "gyre: there is no command '%s': %s\n", word, advice.c_str());
    return true;
}

}  // namespace

int main(int argc, char** argv) {
    using gyre::ExitCode;
    CLI::App program("gyre, a C++ async runtime", "gyre");
    program.set_version_flag("--version", std::string(gyre::version_string));
    program.require_subcommand(0, 1);
    program.failure_message(CLI::FailureMessage::simple);
    program.footer("Exit codes: 0 fine, 1 failed, 2 usage error, 3 deadlock, 4 cancelled");

    ExitCode exit_code = ExitCode::fine;
#define GYRE_ADD_COMMAND(name) gyre::cli::add_##name(program, exit_code);
    GYRE_COMMANDS(GYRE_ADD_COMMAND)
#undef GYRE_ADD_COMMAND

    if (argc > 1 && refuses_command(program, argv[1])) return static_cast<int>(ExitCode::usage);
    try {
        program.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        // --help is reported as an error of status 0.
        return program.exit(error) == 0 ? 0 : static_cast<int>(ExitCode::usage);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "gyre: %s\n", error.what());
        return static_cast<int>(ExitCode::failed);
    }
    if (program.get_subcommands().empty()) {
        std::fprintf(stderr, "gyre: a command is required\n%s", program.help().c_str());
        exit_code = ExitCode::usage;
    }
    return static_cast<int>(exit_code);
}
