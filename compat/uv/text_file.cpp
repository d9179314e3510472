// SPDX-License-Identifier: Apache-2.0
#include "compat/uv/internal/text_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>

namespace gyre::uv {

std::optional<std::string> read_text_file(const char* path) {
    const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return {};
    std::string text;
    char part[4096];
    for (;;) {
        const ssize_t count = ::read(fd, part, sizeof part);
        if (count > 0) {
            text.append(part, static_cast<std::size_t>(count));
        } else if (count == 0 || errno != EINTR) {
            ::close(fd);
            if (count < 0) return {};
            return text;
        }
    }
}

std::optional<std::uint64_t> number_after(std::string_view text, std::string_view key) {
    const std::size_t place = text.find(key);
    if (place == std::string_view::npos) return {};
    text.remove_prefix(place + key.size());
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    std::uint64_t number = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
    if (parsed.ec != std::errc{}) return {};
    return number;
}

std::optional<std::uint64_t> read_number(const std::string& path) {
    const std::optional<std::string> text = read_text_file(path.c_str());
    return text ? number_after(*text, "") : std::nullopt;
}

}  // namespace gyre::uv
