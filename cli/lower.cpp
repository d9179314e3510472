// SPDX-License-Identifier: Apache-2.0
// gyre lower: prints the lowered code of Vela files: instructions and states.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/permissions.hpp"
#include "cli/vela_file.hpp"
#include "lang/vela/check/check.hpp"
#include "lang/vela/lower/lower.hpp"
#include "lang/vela/run/run.hpp"

namespace gyre::cli {
namespace {

struct LowerCommand {
    std::vector<std::string> files;
    std::vector<std::string> allowed;
    bool shows_code = false;
};

ExitCode lower_file(const std::string& path, const LowerCommand& command) {
    auto files = SystemSourceFiles::of_program(path, read_permissions(command.allowed).folders);
    auto text = read_vela_file(path);
    if (!text) {
        std::fprintf(stderr, "gyre lower: %s\n", text.error().c_str());
        return ExitCode::usage;
    }
    const auto program = vela::check(path, std::move(*text), files);
    tell(program->diagnostics);
    if (program->diagnostics.has_errors()) return ExitCode::usage;
    const auto lowered = vela::lower(*program);
    const std::string shown =
        command.shows_code ? vela::print_code(*lowered) : vela::print(*lowered);
    std::fputs(shown.c_str(), stdout);
    const std::vector<std::string> problems =
        command.shows_code ? vela::verify_code(*lowered) : vela::verify(*lowered, program->types);
    for (const std::string& problem : problems) {
        std::fprintf(stderr, "gyre lower: %s: the lowered code is invalid: %s\n", path.c_str(),
                     problem.c_str());
    }
    return problems.empty() ? ExitCode::fine : ExitCode::failed;
}

}  // namespace

void add_lower(CLI::App& program, ExitCode& exit_code) {
    CLI::App* command = program.add_subcommand(
        "lower", "Print the lowered code of Vela files: instructions and states; exit with 0 or 2");
    auto options = std::make_shared<LowerCommand>();
    command->add_option("FILE", options->files, "Vela files")->required()->type_name("");
    command->add_flag("--code", options->shows_code,
                      "Print the instructions that the machine runs");
    add_import_option(*command, options->allowed);
    command->callback([options, &exit_code] {
        for (const std::string& file : options->files) {
            exit_code = std::max(exit_code, lower_file(file, *options));
        }
    });
}

}  // namespace gyre::cli
