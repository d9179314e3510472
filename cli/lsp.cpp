// SPDX-License-Identifier: Apache-2.0
// gyre lsp: the language server of Vela over standard input and output, for editors.
#include <poll.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/vela_file.hpp"
#include "lang/vela/lsp/language_server.hpp"

namespace gyre::cli {
namespace {

class SystemWorkspace final : public vela::WorkspaceFiles {
public:
    [[nodiscard]] std::expected<std::string, std::string> read(const std::string& path) override {
        return files_.read(path);
    }

    [[nodiscard]] std::vector<std::string> list(const std::string& folder,
                                                std::size_t count_max) override {
        namespace fs = std::filesystem;
        // Folders that are not of the user, such as .git, and a bound on what is looked at.
        constexpr std::size_t entry_count_max = 50'000;
        constexpr int depth_max = 32;
        std::vector<std::string> paths;
        std::error_code error;
        fs::recursive_directory_iterator entries(
            folder, fs::directory_options::skip_permission_denied, error);
        std::size_t entry_count = 0;
        const fs::recursive_directory_iterator end;
        while (!error && entries != end && paths.size() < count_max &&
               ++entry_count < entry_count_max) {
            const std::string name = entries->path().filename().string();
            const bool is_folder = entries->is_directory(error);
            if (is_folder && (name.starts_with('.') || entries.depth() >= depth_max)) {
                entries.disable_recursion_pending();
            }
            if (!is_folder && entries->path().extension() == ".vela") {
                paths.push_back(entries->path().lexically_normal().string());
            }
            entries.increment(error);
        }
        std::sort(paths.begin(), paths.end());
        return paths;
    }

private:
    // The editor shows any file that its user can open.
    SystemSourceFiles files_{"/"};
};

bool has_input() {
    pollfd input{STDIN_FILENO, POLLIN, 0};
    return poll(&input, 1, 0) > 0;
}

bool write_all(const std::string& text) {
    return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() &&
           std::fflush(stdout) == 0;
}

// Input comes first: diagnostics of a text that the next message changes would be wasted.
int serve_editor() {
    SystemWorkspace files;
    vela::LanguageServer server(files);
    std::vector<char> block(std::size_t{1} << 16U);
    while (!server.is_over()) {
        if (server.has_work() && !has_input()) {
            server.work();
        } else {
            const ssize_t count = read(STDIN_FILENO, block.data(), block.size());
            if (count < 0 && errno == EINTR) continue;
            if (count <= 0) break;
            server.receive({block.data(), static_cast<std::size_t>(count)});
        }
        if (const std::string output = server.take_output(); !write_all(output)) return 1;
    }
    return server.exit_code();
}

}  // namespace

void add_lsp(CLI::App& program, ExitCode& exit_code) {
    CLI::App* command =
        program.add_subcommand("lsp", "Serve an editor: the language server of Vela, over stdio");
    // Editors' clients pass it to every server.
    auto is_stdio = std::make_shared<bool>(false);
    command->add_flag("--stdio", *is_stdio,
                      "Accepted and ignored: standard input and output are used anyway");
    command->callback(
        [&exit_code, is_stdio] { exit_code = static_cast<ExitCode>(serve_editor()); });
}

}  // namespace gyre::cli
