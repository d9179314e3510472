// SPDX-License-Identifier: Apache-2.0
// Reading Vela files and printing their diagnostics, for the commands on Vela. One thread.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "lang/vela/check/check.hpp"
#include "lang/vela/syntax/diagnostic.hpp"

namespace CLI {
class App;
}

namespace gyre::cli {

// A file that the user names, wherever it is.
[[nodiscard]] std::expected<std::string, std::string> read_vela_file(const std::string& path);

// The files that a program imports: regular files with the ending .vela, below the folder of the
// program or a permitted one. Links are followed, and refused if they lead elsewhere: a diagnostic
// prints lines of no other file.
class SystemSourceFiles final : public vela::SourceFiles {
public:
    // `permitted` are folders of `--allow fs=DIR`.
    explicit SystemSourceFiles(const std::string& folder,
                               const std::vector<std::string>& permitted = {});
    // Of the program in this file; of one on standard input the current folder is the root.
    [[nodiscard]] static SystemSourceFiles of_program(
        const std::string& path, const std::vector<std::string>& permitted = {});

    [[nodiscard]] std::expected<std::string, std::string> read(const std::string& path) override;

private:
    std::vector<std::string> roots_;  // without links
};

// `--allow fs=DIR` of a command that checks programs without running them.
void add_import_option(CLI::App& command, std::vector<std::string>& allowed);

// All of standard input, up to the limit on the size of a file.
[[nodiscard]] std::expected<std::string, std::string> read_standard_input();

// To standard error, with colour only on a terminal and without NO_COLOR.
void tell(const vela::Diagnostics& diagnostics);

}  // namespace gyre::cli
