// SPDX-License-Identifier: Apache-2.0
#include "lang/vela/syntax/diagnostic.hpp"

#include <algorithm>
#include <array>

namespace gyre::vela {
namespace {

// Longer lines are cut to the columns around the place.
constexpr std::uint32_t shown_columns_max = 120;
constexpr std::uint32_t shown_columns_before = 40;

class Reporter {
public:
    explicit Reporter(ReportOptions options) : has_colour_(options.has_colour) {}

    void tell(const Diagnostic& diagnostic) {
        const bool is_error = diagnostic.severity == Severity::error;
        bold(place(*diagnostic.source, diagnostic.span) + ": ");
        ink(is_error ? "\033[1;31m" : "\033[1;33m",
            std::string(is_error ? "error" : "warning") + "[" + std::string(diagnostic.code) + "]");
        bold(": " + diagnostic.message);
        text_ += '\n';
        show(*diagnostic.source, diagnostic.span, is_error ? "\033[1;31m" : "\033[1;33m");
        for (const Note& note : diagnostic.notes) {
            ink("\033[1;34m", "  note: ");
            if (note.source != nullptr) text_ += place(*note.source, note.span) + ": ";
            text_ += note.text + "\n";
            if (note.source != nullptr) show(*note.source, note.span, "\033[1;34m");
        }
        if (diagnostic.fix) {
            ink("\033[1;32m", "  help: ");
            text_ += diagnostic.fix->text + "\n";
        }
    }

    std::string take() { return std::move(text_); }

private:
    static std::string place(const Source& source, Span span) {
        const Position at = source.position(span.begin);
        return source.name() + ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
    }

    void ink(std::string_view colour, const std::string& text) {
        if (has_colour_) text_ += colour;
        text_ += text;
        if (has_colour_) text_ += "\033[0m";
    }
    void bold(const std::string& text) { ink("\033[1m", text); }

    // The source line with a caret below the place. For a span of several lines, the first line.
    void show(const Source& source, Span span, std::string_view colour) {
        const Position at = source.position(span.begin);
        const std::string_view line = source.line(at.line);
        // Bounded, because one line may be the whole file.
        const std::size_t looked_at = 4 * (std::size_t{at.column} + shown_columns_max);
        const std::uint32_t line_columns = code_point_count(line.substr(0, looked_at));
        const std::uint32_t line_offset = source.line_begin(at.line);
        const std::uint32_t line_end = line_offset + static_cast<std::uint32_t>(line.size());
        std::uint32_t width = 1;
        if (span.end > span.begin && span.begin < line_end) {
            width = std::max(
                1U, code_point_count(source.text({span.begin, std::min(span.end, line_end)})));
        }

        std::uint32_t first = 1;
        if (line_columns > shown_columns_max && at.column > shown_columns_before) {
            first = at.column - shown_columns_before;
        }
        std::string shown = columns(line, first, shown_columns_max);
        width =
            std::min(width, shown_columns_max - std::min(shown_columns_max - 1, at.column - first));
        std::string margin = under(line, first, at.column);
        if (first > 1) {
            shown.insert(0, "...");
            margin.insert(0, "   ");
        }
        if (line_columns > first - 1 + shown_columns_max) shown += "...";

        const std::string number = std::to_string(at.line);
        ink("\033[1;34m", "  " + number + " | ");
        text_ += shown + "\n";
        ink("\033[1;34m", "  " + std::string(number.size(), ' ') + " | ");
        text_ += margin;
        ink(colour, std::string(width, '^'));
        text_ += '\n';
    }

    // Code points `first` to `first + count` of a line; control characters as a space.
    static std::string columns(std::string_view line, std::uint32_t first, std::uint32_t count) {
        std::string result;
        for (std::uint32_t column = 1; !line.empty() && column < first + count; ++column) {
            const std::uint32_t length = utf8_length(line);
            if (column >= first) {
                const bool is_control = length == 1 && static_cast<unsigned char>(line[0]) < 0x20;
                if (length == 0) {
                    result += '?';
                } else if (is_control && line[0] != '\t') {
                    result += ' ';
                } else {
                    result += line.substr(0, length);
                }
            }
            line.remove_prefix(std::max(1U, length));
        }
        return result;
    }

    // Blanks up to the caret; keeps the tabs of the line, so that the caret is aligned.
    static std::string under(std::string_view line, std::uint32_t first, std::uint32_t column) {
        std::string result = columns(line, first, column - first);
        std::string blank;
        while (!result.empty()) {
            const std::uint32_t length = std::max(1U, utf8_length(result));
            blank += result[0] == '\t' ? '\t' : ' ';
            result.erase(0, length);
        }
        return blank;
    }

    const bool has_colour_;
    std::string text_;
};

class JsonWriter {
public:
    void tell(const Diagnostic& diagnostic) {
        text_ += text_.empty() ? "[\n  {" : ",\n  {";
        place(*diagnostic.source, diagnostic.span);
        member("severity", diagnostic.severity == Severity::error ? "error" : "warning");
        member("code", diagnostic.code);
        member("message", diagnostic.message);
        text_ += ", \"notes\": [";
        bool is_first = true;
        for (const Note& note : diagnostic.notes) {
            text_ += is_first ? "{" : ", {";
            is_first = false;
            if (note.source != nullptr) {
                place(*note.source, note.span);
                text_ += ", ";
            }
            text_ += "\"text\": ";
            string(note.text);
            text_ += '}';
        }
        text_ += "], \"fix\": ";
        if (diagnostic.fix) {
            text_ += '{';
            place(*diagnostic.source, diagnostic.fix->span);
            member("replacement", diagnostic.fix->replacement);
            member("text", diagnostic.fix->text);
            text_ += '}';
        } else {
            text_ += "null";
        }
        text_ += '}';
    }

    std::string take() { return text_.empty() ? "[]\n" : text_ + "\n]\n"; }

private:
    void place(const Source& source, Span span) {
        const Position begin = source.position(span.begin);
        const Position end = source.position(span.end);
        text_ += "\"file\": ";
        string(source.name());
        const std::array<std::pair<const char*, std::uint32_t>, 6> numbers = {{
            {"line", begin.line},
            {"column", begin.column},
            {"end_line", end.line},
            {"end_column", end.column},
            {"begin_byte", span.begin},
            {"end_byte", span.end},
        }};
        for (const auto& [name, value] : numbers) {
            text_ += std::string(", \"") + name + "\": " + std::to_string(value);
        }
    }

    void member(const char* name, std::string_view value) {
        text_ += std::string(", \"") + name + "\": ";
        string(value);
    }

    void string(std::string_view value) {
        static constexpr std::string_view digits = "0123456789abcdef";
        text_ += '"';
        while (!value.empty()) {
            const std::uint32_t length = utf8_length(value);
            const auto byte = static_cast<unsigned char>(value[0]);
            if (length == 0) {
                text_ += "\\ufffd";
            } else if (byte == '"' || byte == '\\') {
                text_ += '\\';
                text_ += value[0];
            } else if (byte < 0x20) {
                text_ += "\\u00";
                text_ += digits[byte >> 4U];
                text_ += digits[byte & 15U];
            } else {
                text_ += value.substr(0, length);
            }
            value.remove_prefix(std::max(1U, length));
        }
        text_ += '"';
    }

    std::string text_;
};

template <class Writer>
std::string tell_all(std::span<const Diagnostic> diagnostics, Writer writer) {
    for (const Diagnostic& diagnostic : diagnostics) writer.tell(diagnostic);
    return writer.take();
}

}  // namespace

std::string report(std::span<const Diagnostic> diagnostics, ReportOptions options) {
    return tell_all(diagnostics, Reporter(options));
}

std::string report_json(std::span<const Diagnostic> diagnostics) {
    return tell_all(diagnostics, JsonWriter());
}

}  // namespace gyre::vela
