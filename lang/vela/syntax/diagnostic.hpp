// SPDX-License-Identifier: Apache-2.0
// Diagnostics: the errors and warnings of a program, with their places. Collected in any order;
// reported in the order of files and places, each once: as text for people, with the source line
// and a caret, or as JSON with spans and fixes for programs.
//
//     vela::Diagnostics diagnostics;
//     const vela::Tree tree = vela::parse(source, diagnostics);
//     std::fputs(vela::report(diagnostics.sorted()).c_str(), stderr);
//     if (diagnostics.has_errors()) return 2;
//
// Thread: one at a time; report and report_json are pure functions.
// Lifetime: points into Sources, which outlive it; a report is a value.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lang/vela/syntax/source.hpp"

namespace gyre::vela {

enum class Severity { error, warning };

// A further explanation, with a place of its own or without one.
struct Note {
    const Source* source = nullptr;
    Span span;
    std::string text;
};

// A replacement for the text of a span, which an editor can apply.
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

    // Chained where the error is reported: diagnostics.error(...).note(...).suggest(...).
    Diagnostic& note(const Source& where, Span place, std::string text);
    Diagnostic& note(std::string text);
    Diagnostic& suggest(Span place, std::string replacement, std::string text);
};

class Diagnostics {
public:
    // Further errors are dropped: they are mostly consequences of the first.
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

struct ReportOptions {
    bool has_colour = false;
};

// `file:line:column: error[CODE]: text`, then the line, the caret, the notes and the fix.
[[nodiscard]] std::string report(std::span<const Diagnostic> diagnostics,
                                 ReportOptions options = {});

// One array; an object for each diagnostic: file, line, column, end, severity, code, message,
// notes, fix. Lines and columns from 1, columns in code points.
[[nodiscard]] std::string report_json(std::span<const Diagnostic> diagnostics);

// Joins pieces of text, for messages.
template <class... Pieces>
[[nodiscard]] std::string concat(const Pieces&... pieces) {
    std::string result;
    (result.append(std::string_view(pieces)), ...);
    return result;
}

}  // namespace gyre::vela
