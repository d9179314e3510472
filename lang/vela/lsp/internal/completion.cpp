// SPDX-License-Identifier: Apache-2.0
// Completion: a name that occurs nowhere is put at the place, and the checker records what could
// stand there. A line that is not finished yet is closed for that.
#include <algorithm>
#include <filesystem>
#include <utility>

#include "lang/vela/lsp/internal/server.hpp"

namespace gyre::vela {

using Json = lsp::Json;

namespace {

constexpr std::size_t item_count_max = 1000;

// The kinds of items of the protocol.
int item_kind(const Candidate& candidate) {
    if (candidate.is_keyword) return 14;
    switch (candidate.kind) {
        case EntityKind::method:
            return 2;
        case EntityKind::function:
            return 3;
        case EntityKind::field:
            return 5;
        case EntityKind::variable:
            return 6;
        case EntityKind::type:
        case EntityKind::alias:
            return 7;
        case EntityKind::module:
            return 9;
        case EntityKind::variant:
            return 20;
        case EntityKind::generic:
            return 25;
    }
    return 6;
}

// The brackets that are open between two places, closed in reverse order.
std::string closers(std::string_view text) {
    std::string open;
    for (const char letter : text) {
        if (letter == '(') open += ')';
        if (letter == '[') open += ']';
        if (letter == '{') open += '}';
        const bool closes = letter == ')' || letter == ']' || letter == '}';
        if (closes && !open.empty()) open.pop_back();
    }
    return {open.rbegin(), open.rend()};
}

// Inside a comment, or in the text of a string (an interpolated expression is code).
bool is_in_text(const Tree& tree, std::uint32_t offset) {
    const auto covers = [&](Span span) { return span.begin < offset && offset < span.end; };
    const auto& comments = tree.tokens.comments;
    const bool is_comment = std::any_of(comments.begin(), comments.end(), [&](Span comment) {
        return comment.begin < offset && offset <= comment.end;
    });
    if (is_comment) return true;
    const auto& tokens = tree.tokens.tokens;
    return std::any_of(tokens.begin(), tokens.end(), [&](const Token& token) {
        const bool is_string =
            token.kind == TokenKind::string || token.kind == TokenKind::string_head ||
            token.kind == TokenKind::string_middle || token.kind == TokenKind::string_tail;
        return is_string && covers(token.span);
    });
}

Json item_of(const Candidate& candidate) {
    Json item = {{"label", candidate.name}, {"kind", item_kind(candidate)}};
    if (!candidate.detail.empty()) item["detail"] = candidate.detail;
    return item;
}

}  // namespace

// Inside the quotes of an import: the modules of the standard surface, and the files beside.
Json LanguageServer::State::import_items(const lsp::Document& document, std::uint32_t offset) {
    namespace fs = std::filesystem;
    const std::string_view text = document.text;
    const std::size_t line_begin = offset == 0 ? 0 : text.rfind('\n', offset - 1) + 1;
    const std::string_view line = text.substr(line_begin, offset - line_begin);
    const std::size_t quote = line.find('\'');
    if (!line.starts_with("import ") || quote == std::string_view::npos) return nullptr;
    if (line.find('\'', quote + 1) != std::string_view::npos) return nullptr;
    const auto begin = static_cast<std::uint32_t>(line_begin + quote + 1);
    Json items = Json::array();
    const auto add = [&](const std::string& path) {
        items.push_back(
            {{"label", path},
             {"kind", 9},
             {"filterText", path},
             {"textEdit", {{"range", range_in(text, {begin, offset})}, {"newText", path}}}});
    };
    for (const std::string_view name : system_module_names()) add(std::string(name));
    const std::string folder = fs::path(document.path).parent_path().string();
    for (const std::string& path : files_.list(folder, item_count_max)) {
        if (path == document.path) continue;
        add(concat("./", fs::path(path).lexically_relative(folder).string()));
    }
    return items;
}

Json LanguageServer::State::completion(const Json& params) {
    const lsp::Document& document = document_of(params);
    const std::string& text = document.text;
    const std::uint32_t offset = offset_of(text, lsp::part_at(params, "position"));
    if (Json items = import_items(document, offset); !items.is_null()) return items;

    const Source source(document.path, text);
    Diagnostics ignored;
    if (is_in_text(parse(source, ignored), offset)) return Json::array();
    std::size_t begin = offset;
    while (begin > 0 && lsp::is_word_part(text[begin - 1])) --begin;
    std::size_t end = offset;
    while (end < text.size() && lsp::is_word_part(text[end])) ++end;
    // The name keeps its first letters: whether a pattern binds or names a variant depends on them.
    std::string asked = text.substr(begin, end - begin) + "AskedHere";
    while (text.find(asked) != std::string::npos) asked += 'X';

    const std::size_t line_begin = begin == 0 ? 0 : text.rfind('\n', begin - 1) + 1;
    const std::size_t line_end = std::min(text.find('\n', end), text.size());
    const std::string line = text.substr(line_begin, begin - line_begin);
    const std::string head = text.substr(0, begin) + asked;
    const std::string attempts[] = {
        head + text.substr(end),
        head + closers(line) + text.substr(line_end),
        head + " { }" + text.substr(line_end),
        head + ": Number = 1" + text.substr(line_end),
    };
    lsp::Analysis best;
    Overlay files(*this);
    for (const std::string& attempt : attempts) {
        best = check_text(document.path, attempt, files, asked);
        if (best.program->editor->asked.kind != AskedKind::none) break;
    }
    Json items = Json::array();
    // After a dot only members make sense.
    const bool is_member = (line.ends_with('.') && !line.ends_with("..")) || line.ends_with("::");
    const bool is_known = best.program->editor->asked.kind != AskedKind::none;
    if (best.root == nullptr || (is_member && !is_known)) return items;
    for (const Candidate& candidate : candidates(*best.program, *best.root)) {
        if (items.size() >= item_count_max) break;
        items.push_back(item_of(candidate));
    }
    return items;
}

}  // namespace gyre::vela
