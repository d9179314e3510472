// SPDX-License-Identifier: Apache-2.0
// Page: text for people on standard output, at most 80 columns wide, with colour only on a terminal
// and without NO_COLOR. One thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "gyre/kernel/clock.hpp"

namespace gyre::cli {

class Page {
public:
    static constexpr std::size_t columns_max = 80;

    Page();

    void title(std::string_view text);
    // A paragraph, wrapped and indented.
    void say(std::string_view text);
    // The result of a scene: like say, with a mark before it.
    void saw(std::string_view text);
    void failed(std::string_view text);
    // Two columns, the second wrapped.
    void row(std::string_view name, std::string_view value);

private:
    enum class Ink { plain, bold, green, red };
    void write(std::string_view mark, std::string_view text, Ink ink);

    const bool has_colour_;
};

// "1,234,567"; "1.2 ms"; "12 MB": for people, not for programs.
[[nodiscard]] std::string in_words(std::uint64_t count);
[[nodiscard]] std::string in_words(Duration time);
[[nodiscard]] std::string bytes_in_words(std::uint64_t bytes);

}  // namespace gyre::cli
