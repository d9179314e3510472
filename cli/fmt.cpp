// SPDX-License-Identifier: Apache-2.0
// gyre fmt: formats Vela files in place, or lists those that are not formatted.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/vela_file.hpp"
#include "lang/vela/syntax/parser.hpp"

namespace gyre::cli {
namespace {

struct FmtOptions {
    std::vector<std::string> files;
    bool is_check = false;
};

// Writes a temporary file and renames it, so that a full disk does not destroy the original.
bool replace_file(const std::string& path, const std::string& text) {
    namespace fs = std::filesystem;
    std::error_code error;
    const fs::path target = fs::canonical(path, error);
    if (error) return false;
    fs::path beside = target;
    beside += ".fmt";
    std::ofstream file(beside, std::ios::binary);
    file << text;
    file.close();
    if (file) fs::permissions(beside, fs::status(target).permissions(), error);
    if (file && !error) fs::rename(beside, target, error);
    if (file && !error) return true;
    fs::remove(beside, error);
    return false;
}

ExitCode format_file(const std::string& path, bool is_check) {
    const auto text = read_vela_file(path);
    if (!text) {
        std::fprintf(stderr, "gyre fmt: %s\n", text.error().c_str());
        return ExitCode::usage;
    }
    const vela::Source source(path, *text);
    vela::Diagnostics diagnostics;
    const vela::Tree tree = vela::parse(source, diagnostics);
    if (diagnostics.has_errors()) {
        tell(diagnostics);
        return ExitCode::usage;
    }
    const std::string formatted = vela::format(tree);
    if (formatted == *text) return ExitCode::fine;
    if (is_check) {
        std::printf("%s\n", path.c_str());
        return ExitCode::failed;
    }
    if (replace_file(path, formatted)) return ExitCode::fine;
    std::fprintf(stderr, "gyre fmt: %s: cannot write the file\n", path.c_str());
    return ExitCode::usage;
}

}  // namespace

void add_fmt(CLI::App& program, ExitCode& exit_code) {
    CLI::App* command = program.add_subcommand("fmt", "Format Vela files in place");
    auto options = std::make_shared<FmtOptions>();
    command->add_option("FILE", options->files, "Vela files")->required()->type_name("");
    command->add_flag("--check", options->is_check,
                      "Change nothing; list the files that are not formatted and exit with 1");
    command->callback([options, &exit_code] {
        for (const std::string& file : options->files) {
            exit_code = std::max(exit_code, format_file(file, options->is_check));
        }
    });
}

}  // namespace gyre::cli
