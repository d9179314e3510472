// SPDX-License-Identifier: Apache-2.0
// gyre doc: writes the documentation of Vela files as HTML pages.
#include "lang/vela/doc/doc_pages.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/permissions.hpp"
#include "cli/usage.hpp"
#include "cli/vela_file.hpp"

namespace gyre::cli {
namespace {

namespace fs = std::filesystem;

struct DocCommand {
    std::vector<std::string> paths;
    std::string output = "doc";
    std::vector<std::string> allowed;
};

struct NamedFile {
    std::string path;
    std::string title;
    std::string root;  // the folder that its imports stay in
};

// A file by its name, the files of a folder by their paths in it.
std::vector<NamedFile> files_of(const DocCommand& command) {
    constexpr std::size_t file_count_max = 10'000;
    std::vector<NamedFile> files;
    for (const std::string& path : command.paths) {
        std::error_code error;
        if (!fs::is_directory(path, error)) {
            files.push_back(
                {path, fs::path(path).filename().string(), fs::path(path).parent_path().string()});
            continue;
        }
        const std::size_t before = files.size();
        for (const auto& entry : fs::recursive_directory_iterator(
                 path, fs::directory_options::skip_permission_denied)) {
            if (entry.path().extension() != ".vela") continue;
            files.push_back(
                {entry.path().string(), entry.path().lexically_relative(path).string(), path});
            if (files.size() > file_count_max) {
                throw UsageError("the limit is " + std::to_string(file_count_max) + " files");
            }
        }
        if (files.size() == before) throw UsageError(path + ": there is no .vela file in it");
        std::sort(files.begin() + static_cast<std::ptrdiff_t>(before), files.end(),
                  [](const NamedFile& a, const NamedFile& b) { return a.title < b.title; });
    }
    return files;
}

void write_page(const fs::path& folder, const vela::DocPage& page) {
    std::ofstream file(folder / page.name, std::ios::binary);
    file << page.html;
    file.close();
    if (!file) throw UsageError((folder / page.name).string() + ": cannot write the file");
}

ExitCode write_docs(const DocCommand& command) {
    const std::vector<std::string> permitted = read_permissions(command.allowed).folders;
    std::vector<std::unique_ptr<vela::Program>> programs;
    std::vector<vela::DocInput> inputs;
    bool is_wrong = false;
    for (const NamedFile& file : files_of(command)) {
        SystemSourceFiles files(file.root, permitted);
        auto text = read_vela_file(file.path);
        if (!text) throw UsageError(text.error());
        programs.push_back(vela::check(file.path, std::move(*text), files));
        if (programs.back()->diagnostics.has_errors()) {
            tell(programs.back()->diagnostics);
            is_wrong = true;
            continue;
        }
        inputs.push_back({file.title, programs.back().get()});
    }
    if (is_wrong) return ExitCode::usage;
    std::error_code error;
    fs::create_directories(command.output, error);
    if (error) throw UsageError(command.output + ": " + error.message());
    const auto pages = vela::doc_pages(inputs);
    for (const vela::DocPage& page : pages) write_page(command.output, page);
    std::printf("%zu pages in %s\n", pages.size(), command.output.c_str());
    return ExitCode::fine;
}

}  // namespace

void add_doc(CLI::App& program, ExitCode& exit_code) {
    CLI::App* command = program.add_subcommand(
        "doc", "Write pages of documentation from the comments of Vela files");
    auto options = std::make_shared<DocCommand>();
    command->add_option("FILE", options->paths, "Vela files, or folders of them")
        ->required()
        ->type_name("");
    command->add_option("--output", options->output, "The folder of the pages; default: doc")
        ->type_name("DIR");
    add_import_option(*command, options->allowed);
    command->callback([options, &exit_code] { exit_code = write_docs(*options); });
}

}  // namespace gyre::cli
