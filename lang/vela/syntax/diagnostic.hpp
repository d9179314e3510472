// SPDX-License-Identifier: Apache-2.0
// Diagnostics: the errors and warnings of a program, with their places. Collected in any order;
// reported in the order of files and places, each once.
//
//     vela::Diagnostics diagnostics;
//     if (diagnostics.has_errors()) return 2;
//
// Thread: one at a time.
// Lifetime: points into Sources, which outlive it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lang/vela/syntax/source.hpp"

namespace gyre::vela {

enum class Severity { error, warning };

// A second place that helps to understand the first, or a sentence without one.
struct Note {
    const Source* source = nullptr;
    Span span;
    std::string text;
};

// What to write instead of the text at a span; an editor can apply it.
struct Fix {
    Span span;
    std::string replacement;
    std::string text;
};

struct Diagnostic {
    Severity severity = Severity::error;
    std::string_view code;
    const Source* source = nullptr;
    Span span;
    std::string message;
    std::vector<Note> notes;
    std::optional<Fix> fix;

    // For the place that reports: diagnostics.error(...).note(...).suggest(...).
    Diagnostic& note(const Source& where, Span place, std::string text);
    Diagnostic& note(std::string text);
    Diagnostic& suggest(Span place, std::string replacement, std::string text);
};

class Diagnostics {
public:
    // More than this many errors are not told: the rest mostly follows from them.
    static constexpr std::size_t error_count_max = 100;

    Diagnostic& error(std::string_view code, const Source& source, Span span, std::string message);
    Diagnostic& warning(std::string_view code, const Source& source, Span span,
                        std::string message);

    [[nodiscard]] bool has_errors() const noexcept { return error_count_ > 0; }
    [[nodiscard]] bool is_full() const noexcept { return error_count_ >= error_count_max; }
    // By file in the order of their first diagnostic, then by place; duplicates removed.
    [[nodiscard]] std::vector<Diagnostic> sorted() const;

private:
    Diagnostic& add(Severity severity, std::string_view code, const Source& source, Span span,
                    std::string message);

    std::vector<Diagnostic> all_;
    std::size_t error_count_ = 0;
    Diagnostic overflow_;
};

}  // namespace gyre::vela
