// SPDX-License-Identifier: Apache-2.0
// gyre check: parses and type-checks Vela files, and reports their errors.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/vela_file.hpp"
#include "lang/vela/check/check.hpp"
#include "lang/vela/syntax/diagnostic.hpp"

namespace gyre::cli {
namespace {

struct CheckCommand {
    std::vector<std::string> files;
    bool is_json = false;
    bool is_strict = false;
};

ExitCode run_check(const CheckCommand& command) {
    ExitCode exit_code = ExitCode::fine;
    std::vector<vela::Diagnostic> all;
    // Keeps the programs alive that diagnostics point into.
    std::vector<std::unique_ptr<vela::Program>> programs;
    SystemSourceFiles files;
    for (const std::string& path : command.files) {
        auto text = files.read(path);
        if (!text) {
            std::fprintf(stderr, "gyre check: %s\n", text.error().c_str());
            exit_code = ExitCode::usage;
            continue;
        }
        vela::CheckOptions options;
        options.is_strict = command.is_strict;
        auto program = vela::check(path, std::move(*text), files, options);
        if (program->diagnostics.has_errors()) exit_code = ExitCode::usage;
        if (!command.is_json) tell(program->diagnostics);
        const auto sorted = program->diagnostics.sorted();
        all.insert(all.end(), sorted.begin(), sorted.end());
        programs.push_back(std::move(program));
    }
    if (command.is_json) std::fputs(vela::report_json(all).c_str(), stdout);
    return exit_code;
}

}  // namespace

void add_check(CLI::App& program, ExitCode& exit_code) {
    CLI::App* command =
        program.add_subcommand("check", "Parse and type-check Vela files; exit with 0 or 2");
    auto options = std::make_shared<CheckCommand>();
    command->add_option("FILE", options->files, "Vela files")->required()->type_name("");
    command->add_flag("--json", options->is_json, "Print the diagnostics as JSON, for editors");
    command->add_flag("--strict", options->is_strict,
                      "Warn where a variable changes that is not marked `state`");
    command->callback([options, &exit_code] { exit_code = run_check(*options); });
}

}  // namespace gyre::cli
