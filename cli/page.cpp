// SPDX-License-Identifier: Apache-2.0
#include "cli/page.hpp"

#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>

namespace gyre::cli {
namespace {

struct Unit {
    double size;
    const char* name;
};

// In the largest unit that gives at least 1.
template <std::size_t N>
std::string in_units(double value, const std::array<Unit, N>& largest_first) {
    for (const Unit& unit : largest_first) {
        if (value < unit.size && &unit != &largest_first.back()) continue;
        const double count = value / unit.size;
        std::array<char, 32> text{};
        std::snprintf(text.data(), text.size(), count < 10 ? "%.1f %s" : "%.0f %s", count,
                      unit.name);
        return text.data();
    }
    return {};
}

}  // namespace

Page::Page() : has_colour_(isatty(STDOUT_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr) {}

void Page::title(std::string_view text) {
    std::fputc('\n', stdout);
    write("", text, Ink::bold);
}

void Page::say(std::string_view text) {
    write("  ", text, Ink::plain);
}

void Page::saw(std::string_view text) {
    write("  > ", text, Ink::green);
}

void Page::failed(std::string_view text) {
    write("  ! ", text, Ink::red);
}

void Page::row(std::string_view name, std::string_view value) {
    constexpr std::size_t name_columns = 13;
    std::string mark(name);
    mark.resize(name_columns, ' ');
    write(mark, value, Ink::plain);
}

// The mark precedes the first line; the others are indented by its width.
void Page::write(std::string_view mark, std::string_view text, Ink ink) {
    static constexpr std::array<const char*, 4> starts = {"", "\033[1m", "\033[32m", "\033[31m"};
    const bool is_coloured = has_colour_ && ink != Ink::plain;
    const std::size_t width = columns_max - mark.size();
    std::string before(mark);
    while (!text.empty()) {
        std::size_t length = text.size();
        if (length > width) {
            const std::size_t space = text.rfind(' ', width);
            length = space == std::string_view::npos ? width : space;
        }
        std::printf("%s%s%.*s%s\n", is_coloured ? starts[static_cast<std::size_t>(ink)] : "",
                    before.c_str(), static_cast<int>(length), text.data(),
                    is_coloured ? "\033[0m" : "");
        text.remove_prefix(length);
        while (text.starts_with(' ')) text.remove_prefix(1);
        before.assign(mark.size(), ' ');
    }
    std::fflush(stdout);
}

std::string in_words(std::uint64_t count) {
    const std::string digits = std::to_string(count);
    std::string text;
    for (std::size_t i = 0; i < digits.size(); ++i) {
        if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
        text += digits[i];
    }
    return text;
}

std::string in_words(Duration time) {
    static constexpr std::array<Unit, 4> units = {
        {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}}};
    return in_units(static_cast<double>(time.count()), units);
}

std::string bytes_in_words(std::uint64_t bytes) {
    static constexpr std::array<Unit, 4> units = {
        {{1e9, "GB"}, {1e6, "MB"}, {1e3, "KB"}, {1, "bytes"}}};
    return in_units(static_cast<double>(bytes), units);
}

}  // namespace gyre::cli
