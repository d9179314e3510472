// SPDX-License-Identifier: Apache-2.0
#include "cli/vela_file.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>

#include "lang/vela/syntax/diagnostic.hpp"
#include "lang/vela/syntax/parser.hpp"

namespace gyre::cli {
namespace {

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

std::expected<std::string, std::string> SystemSourceFiles::read(const std::string& path) {
    std::error_code error;
    if (std::filesystem::is_directory(path, error)) {
        return std::unexpected(path + ": is a directory; name the files in it");
    }
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                               &std::fclose);
    if (file == nullptr) return std::unexpected(path + ": " + std::strerror(errno));
    std::string text = read_all(*file);
    if (std::ferror(file.get()) != 0) return std::unexpected(path + ": cannot be read");
    return text;
}

void tell(const vela::Diagnostics& diagnostics) {
    const bool has_colour = isatty(STDERR_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr;
    const std::string text = vela::report(diagnostics.sorted(), {.has_colour = has_colour});
    std::fputs(text.c_str(), stderr);
}

}  // namespace gyre::cli
