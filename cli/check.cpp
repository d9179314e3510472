// SPDX-License-Identifier: Apache-2.0
// gyre check: parses and type-checks Vela files, and reports their errors.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <expected>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.hpp"
#include "cli/permissions.hpp"
#include "cli/vela_file.hpp"
#include "lang/vela/check/check.hpp"
#include "lang/vela/syntax/diagnostic.hpp"

namespace gyre::cli {
namespace {

struct CheckCommand {
    std::vector<std::string> files;
    bool is_json = false;
    bool is_strict = false;
    std::vector<std::string> allowed;
};

constexpr std::string_view standard_input = "-";

std::expected<std::string, std::string> read_input(const std::string& path) {
    return path == standard_input ? read_standard_input() : read_vela_file(path);
}

struct InputFile {
    std::string path;
    std::string root;  // the folder that its imports stay in
};

// A folder stands for the Vela files in it and below, in the order of their names.
std::vector<InputFile> files_of(const std::vector<std::string>& paths) {
    namespace fs = std::filesystem;
    std::vector<InputFile> result;
    for (const std::string& path : paths) {
        std::error_code error;
        if (!fs::is_directory(path, error)) {
            result.push_back({path, fs::path(path).parent_path().string()});
            continue;
        }
        std::vector<std::string> found;
        const auto options = fs::directory_options::skip_permission_denied;
        for (fs::recursive_directory_iterator at(path, options, error), end; !error && at != end;
             at.increment(error)) {
            const bool is_vela = at->path().extension() == ".vela";
            if (is_vela && at->is_regular_file(error)) found.push_back(at->path().string());
        }
        // The name of an empty folder is reported as what cannot be read.
        if (found.empty()) found.push_back(path);
        std::sort(found.begin(), found.end());
        for (std::string& file : found) result.push_back({std::move(file), path});
    }
    return result;
}

ExitCode run_check(const CheckCommand& command) {
    ExitCode exit_code = ExitCode::fine;
    std::vector<vela::Diagnostic> all;
    // Keeps the programs alive that diagnostics point into.
    std::vector<std::unique_ptr<vela::Program>> programs;
    const std::vector<std::string> permitted = read_permissions(command.allowed).folders;
    for (const auto& [path, root] : files_of(command.files)) {
        SystemSourceFiles files(root, permitted);
        auto text = read_input(path);
        if (!text) {
            std::fprintf(stderr, "gyre check: %s\n", text.error().c_str());
            exit_code = ExitCode::usage;
            continue;
        }
        vela::CheckOptions options;
        options.is_strict = command.is_strict;
        const std::string name = path == standard_input ? "<stdin>" : path;
        auto program = vela::check(name, std::move(*text), files, options);
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
    command
        ->add_option("FILE", options->files,
                     "Vela files, folders with such files, or - for standard input")
        ->required()
        ->type_name("");
    command->add_flag("--json", options->is_json, "Print the diagnostics as JSON, for editors");
    command->add_flag("--strict", options->is_strict,
                      "Warn where a variable changes that is not marked `state`");
    add_import_option(*command, options->allowed);
    command->callback([options, &exit_code] { exit_code = run_check(*options); });
}

}  // namespace gyre::cli
