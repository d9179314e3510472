// SPDX-License-Identifier: Apache-2.0
#include "cli/vela_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>

#include "gyre/io/permissions.hpp"
#include "lang/vela/syntax/diagnostic.hpp"
#include "lang/vela/syntax/parser.hpp"

namespace gyre::cli {
namespace {

using OpenFile = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

std::string read_all(std::FILE& file) {
    std::string text;
    // Reads one byte more than the limit, so that the lexer reports a file that is too large.
    const std::size_t room = std::size_t{vela::Limits{}.file_bytes_max} + 1;
    char block[1U << 16U];
    while (text.size() < room) {
        const std::size_t count = std::fread(block, 1, sizeof(block), &file);
        if (count == 0) break;
        text.append(block, count);
    }
    return text;
}

}  // namespace

std::expected<std::string, std::string> read_standard_input() {
    std::string text = read_all(*stdin);
    if (std::ferror(stdin) != 0) return std::unexpected("standard input cannot be read");
    return text;
}

std::expected<std::string, std::string> read_vela_file(const std::string& path) {
    std::error_code error;
    if (std::filesystem::is_directory(path, error)) {
        return std::unexpected(path + ": is a directory; name the files in it");
    }
    const OpenFile file(std::fopen(path.c_str(), "rb"), &std::fclose);
    if (file == nullptr) return std::unexpected(path + ": " + std::strerror(errno));
    std::string text = read_all(*file);
    if (std::ferror(file.get()) != 0) return std::unexpected(path + ": cannot be read");
    return text;
}

SystemSourceFiles::SystemSourceFiles(const std::string& folder,
                                     const std::vector<std::string>& permitted) {
    const auto add = [this](const std::string& root) {
        std::error_code error;
        const auto real = std::filesystem::canonical(root.empty() ? "." : root, error);
        if (!error) roots_.push_back(real.string());
    };
    add(folder);
    for (const std::string& other : permitted) add(other);
}

SystemSourceFiles SystemSourceFiles::of_program(const std::string& path,
                                                const std::vector<std::string>& permitted) {
    return SystemSourceFiles(std::filesystem::path(path).parent_path().string(), permitted);
}

std::expected<std::string, std::string> SystemSourceFiles::read(const std::string& path) {
    // Without waiting for a writer, if it is a pipe.
    const int fd = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return std::unexpected(path + ": " + std::strerror(errno));
    const OpenFile file(fdopen(fd, "rb"), &std::fclose);
    if (file == nullptr) return std::unexpected(path + ": " + std::strerror(errno));
    struct stat found{};
    if (::fstat(fd, &found) != 0 || !S_ISREG(found.st_mode)) {
        return std::unexpected(path + ": is no file");
    }
    // The file that is open, whatever its path names by now.
    std::error_code error;
    const std::string real =
        std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(fd), error).string();
    const bool is_inside_one =
        !error && std::any_of(roots_.begin(), roots_.end(),
                              [&](const std::string& root) { return is_inside(real, root); });
    if (!is_inside_one) {
        return std::unexpected(path +
                               ": is outside of the folder of the program; "
                               "--allow fs=DIR permits another one");
    }
    if (!real.ends_with(".vela")) {
        return std::unexpected(path + ": is a link to a file that is no `.vela` file");
    }
    std::string text = read_all(*file);
    if (std::ferror(file.get()) != 0) return std::unexpected(path + ": cannot be read");
    return text;
}

void add_import_option(CLI::App& command, std::vector<std::string>& allowed) {
    command
        .add_option("--allow", allowed,
                    "Let programs import files below fs=DIR, beside those below their own folders")
        ->type_name("WHAT")
        ->allow_extra_args(false);
}

void tell(const vela::Diagnostics& diagnostics) {
    const bool has_colour = isatty(STDERR_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr;
    const std::string text = vela::report(diagnostics.sorted(), {.has_colour = has_colour});
    std::fputs(text.c_str(), stderr);
}

}  // namespace gyre::cli
