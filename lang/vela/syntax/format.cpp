// SPDX-License-Identifier: Apache-2.0
// The formatter works on pieces: the tokens and comments in the order of the text. lines_between
// and has_blank decide whether two neighbours are separated by line ends, a blank or nothing. The
// only other change is that a `;` at the end of a line is dropped.
//
// Then lines that are too long are parted (break_lines.cpp) and what came of it is formatted, until
// no line is parted any more: text that is formatted stays as it is.
#include "lang/vela/syntax/parser.hpp"

#include <algorithm>

#include "lang/vela/syntax/internal/break_lines.hpp"
#include "lang/vela/syntax/internal/spacing.hpp"
#include "lang/vela/syntax/internal/tree_text.hpp"

namespace gyre::vela {
namespace {

constexpr std::size_t indent_columns = 2;

bool opens(TokenKind kind) {
    return kind == TokenKind::paren_open || kind == TokenKind::bracket_open ||
           kind == TokenKind::brace_open;
}
bool closes(TokenKind kind) {
    return kind == TokenKind::paren_close || kind == TokenKind::bracket_close ||
           kind == TokenKind::brace_close;
}
bool follows_brace(TokenKind kind) {
    return kind == TokenKind::kw_else || kind == TokenKind::kw_catch ||
           kind == TokenKind::kw_finally;
}

class Formatter {
public:
    explicit Formatter(const Tree& tree)
        : source_(*tree.source), tokens_(tree.tokens.tokens), comments_(tree.tokens.comments) {}

    std::string run() {
        out_.reserve(source_.text().size() + source_.text().size() / 8);
        std::size_t comment = 0;
        for (std::size_t i = 0; i < tokens_.size(); ++i) {
            const Token& token = tokens_[i];
            while (comment < comments_.size() && comments_[comment].begin < token.span.begin) {
                put({comments_[comment], nullptr, i});
                ++comment;
            }
            if (token.kind != TokenKind::end_of_file && !is_dropped(i)) {
                put({token.span, &token, i});
            }
        }
        if (!out_.empty()) out_ += '\n';
        return std::move(out_);
    }

private:
    struct Piece {
        Span span;
        const Token* token = nullptr;  // null: a comment
        std::size_t index = 0;         // of the token, or of the token after the comment
    };

    bool is_kind(const Piece& piece, TokenKind kind) const {
        return piece.token != nullptr && piece.token->kind == kind;
    }
    bool is_line_comment(const Piece& piece) const {
        return piece.token == nullptr && !source_.text(piece.span).starts_with("/*");
    }

    bool is_dropped(std::size_t i) const {
        if (tokens_[i].kind != TokenKind::semicolon) return false;
        const Token& next = tokens_[i + 1];
        const std::string_view between = source_.text({last_.span.end, tokens_[i].span.begin});
        return is_first_ || between.find('\n') != between.npos || next.is_after_newline ||
               next.kind == TokenKind::end_of_file || next.kind == TokenKind::semicolon ||
               next.kind == TokenKind::brace_close || is_kind(last_, TokenKind::brace_open);
    }

    void put(const Piece& piece) {
        const std::size_t lines = is_first_ ? 0 : lines_between(last_, piece);
        if (is_first_ || lines > 0) {
            out_.append(lines, '\n');
            begin_line(piece);
        } else if (piece.token == nullptr || last_.token == nullptr) {
            out_ += is_line_comment(piece) ? "  " : " ";
        } else if (internal::has_blank(tokens_, last_.index, piece.index)) {
            out_ += ' ';
        }
        const bool is_split = piece.token != nullptr && internal::is_split(*piece.token);
        out_ += is_split ? "> =" : source_.text(piece.span);
        if (piece.token != nullptr && opens(piece.token->kind)) {
            bracket_indents_.push_back(line_indent_);
        }
        if (piece.token != nullptr && closes(piece.token->kind) && !bracket_indents_.empty()) {
            bracket_indents_.pop_back();
        }
        last_ = piece;
        is_first_ = false;
    }

    // One step deeper than the line that opened the innermost bracket; a continuation line one step
    // more.
    void begin_line(const Piece& piece) {
        const bool is_closing = piece.token != nullptr && closes(piece.token->kind);
        const bool is_item = piece.token == nullptr || piece.token->begins_item || is_closing ||
                             follows_brace(piece.token->kind);
        line_indent_ = 0;
        if (!bracket_indents_.empty())
            line_indent_ = bracket_indents_.back() + (is_closing ? 0 : 1);
        if (!is_item) ++line_indent_;
        out_.append(line_indent_ * indent_columns, ' ');
    }

    // 0: on the same line; 1: on a new line; 2: after an empty line.
    std::size_t lines_between(const Piece& before, const Piece& piece) const {
        const std::string_view between = source_.text({before.span.end, piece.span.begin});
        const auto given =
            static_cast<std::size_t>(std::count(between.begin(), between.end(), '\n'));
        const std::size_t kept = std::min<std::size_t>(given, 2);
        const bool is_behind_open = before.token != nullptr && opens(before.token->kind);
        if (piece.token == nullptr) return is_behind_open ? std::min<std::size_t>(given, 1) : kept;
        if (is_line_comment(before)) return closes(piece.token->kind) ? 1 : kept;

        const Token& token = *piece.token;
        if (is_kind(before, TokenKind::brace_open) && token.kind != TokenKind::brace_close &&
            is_broken(before.index)) {
            return 1;
        }
        if (token.kind == TokenKind::brace_close && token.partner != Token::no_partner) {
            if (is_kind(before, TokenKind::brace_open)) return 0;
            if (is_broken(token.partner)) return 1;
        }
        if (before.token != nullptr) {
            if (follows_brace(token.kind) && before.token->kind == TokenKind::brace_close) return 0;
            // An opening brace stays on the line of its construct.
            if (token.kind == TokenKind::brace_open && !token.begins_item) return 0;
        }
        if (is_behind_open || closes(token.kind)) return std::min<std::size_t>(given, 1);
        return kept;
    }

    // Whether the contents of a brace span several lines, ignoring brackets inside.
    bool is_broken(std::size_t open) const {
        const std::uint32_t partner = tokens_[open].partner;
        if (tokens_[open].role == TokenRole::tight || partner == Token::no_partner) return false;
        for (std::size_t i = open + 1; i <= partner; ++i) {
            if (tokens_[i].is_after_newline) return true;
            const bool jumps = opens(tokens_[i].kind) && tokens_[i].partner != Token::no_partner;
            if (jumps) i = std::max<std::size_t>(i, tokens_[i].partner);
        }
        return false;
    }

    const Source& source_;
    const std::vector<Token>& tokens_;
    const std::vector<Span>& comments_;
    std::string out_;
    // The indentation of the line that opened each enclosing bracket.
    std::vector<std::size_t> bracket_indents_;
    std::size_t line_indent_ = 0;
    Piece last_;
    bool is_first_ = true;
};

// With a line end before each offset, which are in order.
std::string parted(std::string_view text, const std::vector<std::uint32_t>& breaks) {
    std::string made;
    made.reserve(text.size() + breaks.size());
    std::size_t from = 0;
    for (const std::uint32_t at : breaks) {
        made.append(text.substr(from, at - from));
        made += '\n';
        from = at;
    }
    return made.append(text.substr(from));
}

// Once more; empty if no line can be parted. A line end that would change the meaning is not made:
// the trees are compared.
std::string broken_once(const std::string& text, const std::string& meaning,
                        std::size_t columns_max) {
    const Source before("formatted", text);
    Diagnostics diagnostics;
    const Tree tree = parse(before, diagnostics);
    if (diagnostics.has_errors()) return {};
    const std::vector<std::uint32_t> breaks = internal::breaks_of(tree, columns_max);
    if (breaks.empty()) return {};
    const Source after("parted", parted(text, breaks));
    const Tree made = parse(after, diagnostics);
    if (diagnostics.has_errors() || tree_text(made) != meaning) return {};
    std::string result = Formatter(made).run();
    return result == text ? std::string() : result;
}

bool has_long_line(std::string_view text, std::size_t columns_max) {
    std::size_t begin = 0;
    while (begin < text.size()) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        if (end - begin > columns_max) return true;  // in bytes: perhaps
        begin = end + 1;
    }
    return false;
}

}  // namespace

std::string format(const Tree& tree, const FormatOptions& options) {
    std::string text = Formatter(tree).run();
    if (!has_long_line(text, options.columns_max)) return text;
    const std::string meaning = tree_text(tree);
    for (;;) {
        std::string next = broken_once(text, meaning, options.columns_max);
        if (next.empty()) return text;
        text = std::move(next);
    }
}

}  // namespace gyre::vela
