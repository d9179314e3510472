// SPDX-License-Identifier: Apache-2.0
// Source: the text of one Vela file, and where its lines begin. A Span is a range of bytes in it; a
// Position is what people read: line and column from 1, the column in code points.
//
//     const vela::Source source("hello.vela", text);
//
// Thread: one at a time.
// Lifetime: outlives the trees and diagnostics made from it, which point into it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gyre::vela {

struct Span {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;

    friend bool operator==(const Span&, const Span&) = default;
};

// From the beginning of the first to the end of the second.
[[nodiscard]] inline Span joined(Span first, Span last) noexcept {
    return {first.begin, last.end};
}

struct Position {
    std::uint32_t line = 1;
    std::uint32_t column = 1;

    friend bool operator==(const Position&, const Position&) = default;
};

class Source {
public:
    Source(std::string name, std::string text);
    Source(const Source&) = delete;
    Source& operator=(const Source&) = delete;

    [[nodiscard]] const std::string& name() const noexcept { return name_; }
    [[nodiscard]] std::string_view text() const noexcept { return text_; }
    [[nodiscard]] std::string_view text(Span span) const noexcept {
        return std::string_view(text_).substr(span.begin, span.end - span.begin);
    }

    [[nodiscard]] Position position(std::uint32_t offset) const;
    [[nodiscard]] std::uint32_t line_number(std::uint32_t offset) const;
    // Without its line end.
    [[nodiscard]] std::string_view line(std::uint32_t number) const;
    [[nodiscard]] std::uint32_t line_begin(std::uint32_t number) const;

private:
    // Computed on first use: most files have no diagnostic.
    const std::vector<std::uint32_t>& line_begins() const;

    std::string name_;
    std::string text_;
    mutable std::vector<std::uint32_t> line_begins_;
};

// The length of the well-formed UTF-8 sequence at the beginning of `text`; 0 if there is none.
[[nodiscard]] std::uint32_t utf8_length(std::string_view text) noexcept;
// The number of code points in `text`; an invalid byte counts as one.
[[nodiscard]] std::uint32_t code_point_count(std::string_view text) noexcept;

}  // namespace gyre::vela
