// SPDX-License-Identifier: Apache-2.0
#include "lang/vela/doc/internal/html.hpp"

#include <algorithm>

#include "lang/vela/syntax/diagnostic.hpp"

namespace gyre::vela::internal {
namespace {

constexpr std::string_view style = R"css(
:root { color-scheme: light dark; }
body { font: 16px/1.55 system-ui, sans-serif; max-width: 52rem; margin: 0 auto; padding: 1.5rem; }
h1 { font-size: 1.7rem; margin-bottom: .3rem; }
h2 { font-size: 1.25rem; margin-top: 2.2rem; border-bottom: 1px solid #8886; padding-bottom: .2rem; }
h3 { font-size: 1.05rem; margin: 1.6rem 0 .3rem; }
pre, code { font-family: ui-monospace, monospace; font-size: .92em; }
pre { background: #8882; padding: .6rem .8rem; border-radius: 6px; overflow-x: auto; margin: .3rem 0; }
section { margin-left: 1rem; }
nav, .kind { color: #777; }
a { color: #0b63c4; text-decoration: none; }
a:hover { text-decoration: underline; }
@media (prefers-color-scheme: dark) { a { color: #7ab7ff; } }
dt { font-family: ui-monospace, monospace; font-size: .92em; margin-top: .5rem; }
dd { margin-left: 1.2rem; }
)css";

// A line without escapes; text between backticks is code.
std::string inline_html(std::string_view text) {
    std::string html;
    while (!text.empty()) {
        const std::size_t begin = text.find('`');
        const std::size_t end = begin == std::string_view::npos ? begin : text.find('`', begin + 1);
        if (end == std::string_view::npos) return html + escaped(text);
        html += escaped(text.substr(0, begin));
        html += concat("<code>", escaped(text.substr(begin + 1, end - begin - 1)), "</code>");
        text.remove_prefix(end + 1);
    }
    return html;
}

enum class LineKind { empty, text, item, code };

LineKind kind_of(std::string_view line) {
    if (line.find_first_not_of(' ') == std::string_view::npos) return LineKind::empty;
    if (line.starts_with("- ")) return LineKind::item;
    return line.starts_with("  ") ? LineKind::code : LineKind::text;
}

// Collects lines of one kind, and closes their element when another kind follows.
class Blocks {
public:
    void add(std::string_view line) {
        const LineKind kind = kind_of(line);
        // An indented line continues the item before it.
        const bool continues = kind == LineKind::code && kind_ == LineKind::item;
        if (kind != kind_ && !continues) close();
        if (kind == LineKind::empty) return;
        if (!continues) kind_ = kind;
        if (kind_ == LineKind::item) {
            if (!continues) html_ += lines_.empty() ? "<ul>\n<li>" : "</li>\n<li>";
            html_ += concat(inline_html(line.substr(2)), " ");
            lines_ += '.';
        } else if (kind_ == LineKind::code) {
            lines_ += concat(line, "\n");
        } else {
            lines_ += concat(lines_.empty() ? "" : "\n", line);
        }
    }
    std::string take() {
        close();
        return std::move(html_);
    }

private:
    void close() {
        if (kind_ == LineKind::item) html_ += "</li>\n</ul>\n";
        if (kind_ == LineKind::code)
            html_ += concat("<pre><code>", escaped(lines_), "</code></pre>\n");
        if (kind_ == LineKind::text) html_ += concat("<p>", inline_html(lines_), "</p>\n");
        lines_.clear();
        kind_ = LineKind::empty;
    }

    LineKind kind_ = LineKind::empty;
    std::string lines_;
    std::string html_;
};

}  // namespace

std::string escaped(std::string_view text) {
    std::string html;
    for (const char letter : text) {
        switch (letter) {
            case '&':
                html += "&amp;";
                break;
            case '<':
                html += "&lt;";
                break;
            case '>':
                html += "&gt;";
                break;
            case '"':
                html += "&quot;";
                break;
            default:
                html += letter;
        }
    }
    return html;
}

std::string comment_html(std::string_view text) {
    Blocks blocks;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        blocks.add(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return blocks.take();
}

std::string summary_html(std::string_view text) {
    text = text.substr(0, text.find("\n\n"));
    const std::size_t stop = std::min(text.find(". "), text.find(".\n"));
    if (stop != std::string_view::npos) text = text.substr(0, stop + 1);
    return inline_html(text);
}

std::string page_html(std::string_view title, std::string_view body) {
    return concat(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n",
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
        escaped(title), "</title>\n<style>", style, "</style>\n</head>\n<body>\n", body,
        "</body>\n</html>\n");
}

}  // namespace gyre::vela::internal
