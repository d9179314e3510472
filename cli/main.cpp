// SPDX-License-Identifier: Apache-2.0
// The program gyre: parses the command line, runs the command, and reports its failure in one line.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.hpp"
#include "cli/definitions.hpp"
#include "cli/output.hpp"
#include "cli/run.hpp"
#include "cli/usage.hpp"
#include "gyre/base/version.hpp"

namespace gyre::cli {
namespace {

std::string exit_codes_line() {
    std::string line;
    for (const ExitMeaning& meaning : exit_meanings) {
        line += line.empty() ? "Exit codes: " : ", ";
        line += std::to_string(meaning.code) + " " + meaning.text;
    }
    return line;
}

ExitCode fail(const CLI::App& program, const std::string& why, ExitCode code) {
    std::fprintf(stderr, "%s: %s\n", command_name(program).c_str(), why.c_str());
    return code;
}

// The command line, with "run" where a program stands in place of a command.
std::vector<std::string> words_of(int argc, char** argv) {
    std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
    if (words.empty() || !is_program(words.front())) return words;
    if (words.front() == "-pe") words.front() = "--print";
    words.insert(words.begin(), "run");
    return words;
}

ExitCode run_command(CLI::App& program, std::vector<std::string> words, const ExitCode& exit_code) {
    try {
        std::ranges::reverse(words);  // CLI11 takes them from the end
        program.parse(words);
        if (program.get_subcommands().empty()) {
            throw UsageError("a command is required: gyre --help lists them");
        }
    } catch (const CLI::Success& asked) {  // --help or --version
        static_cast<void>(program.exit(asked));
    } catch (const CLI::ParseError& error) {
        return fail(program, usage_error(program, error).what(), ExitCode::usage);
    } catch (const UsageError& error) {
        return fail(program, error.what(), ExitCode::usage);
    } catch (const std::exception& error) {
        return fail(program, error.what(), ExitCode::failed);
    }
    if (const auto why = finish_output()) return fail(program, *why, ExitCode::failed);
    return exit_code;
}

}  // namespace
}  // namespace gyre::cli

int main(int argc, char** argv) {
    using gyre::ExitCode;
    gyre::cli::prepare_standard_streams();
    CLI::App program("gyre, a C++ async runtime", "gyre");
    program.set_version_flag("--version", std::string(gyre::version_string),
                             "Print the version and exit");
    program.set_help_flag("-h,--help", "Print this help and exit");
    program.require_subcommand(0, 1);
    program.footer(gyre::cli::exit_codes_line());

    ExitCode exit_code = ExitCode::fine;
#define GYRE_ADD_COMMAND(name) gyre::cli::add_##name(program, exit_code);
    GYRE_COMMANDS(GYRE_ADD_COMMAND)
#undef GYRE_ADD_COMMAND
    return static_cast<int>(
        gyre::cli::run_command(program, gyre::cli::words_of(argc, argv), exit_code));
}
