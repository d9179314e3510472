// SPDX-License-Identifier: Apache-2.0
// lex: text in, tokens and comments out. It never fails: characters that it cannot read are
// reported (E0101) and left out. A pure function; tokens point into the source.
//
// Lexer goes through the text once. Strings are in lexer_strings.cpp, all other tokens in
// lexer.cpp.
#pragma once

#include <string>

#include "lang/vela/syntax/parser.hpp"

namespace gyre::vela {

[[nodiscard]] TokenList lex(const Source& source, Diagnostics& diagnostics,
                            const Limits& limits = {});

}  // namespace gyre::vela

namespace gyre::vela::internal {

class Lexer {
public:
    Lexer(const Source& source, Diagnostics& diagnostics, const Limits& limits)
        : source_(source), text_(source.text()), diagnostics_(diagnostics), limits_(limits) {}

    TokenList run();

private:
    // An open `${`: the string continues after its closing brace.
    struct Interpolation {
        bool is_multi_line;
        std::uint32_t begin;
        // Brackets open before it, and braces opened inside.
        std::size_t bracket_count = 0;
        std::size_t brace_count = 0;
    };

    std::uint32_t size() const { return static_cast<std::uint32_t>(text_.size()); }
    // NUL after the end of the text; NUL is not part of any token.
    char peek(std::uint32_t ahead = 0) const {
        return at_ + ahead < size() ? text_[at_ + ahead] : '\0';
    }
    bool looking_at(std::string_view wanted) const { return text_.substr(at_).starts_with(wanted); }

    // ---- lexer.cpp
    Diagnostic& error(Span span, std::string message);
    void add(TokenKind kind, std::uint32_t begin);
    bool skip_blanks();
    void block_comment();
    void read_token();
    void skip_word();
    void word();
    void wide_word();
    void unknown_character();
    void number();
    void add_based_integer(std::uint32_t begin);
    std::string shortened(std::uint32_t begin) const;
    void punctuation();
    void note_bracket(TokenKind kind);

    // ---- lexer_strings.cpp
    void string();
    void doc_comment();
    void string_text(Interpolation in, std::uint32_t begin, bool is_first);
    void open_interpolation(Interpolation in);
    bool closes_interpolation();
    void unclosed(std::uint32_t string_begin, std::uint32_t token_begin);
    void escape();
    void check_utf8(Span span);

    const Source& source_;
    std::string_view text_;
    Diagnostics& diagnostics_;
    const Limits& limits_;
    TokenList list_;
    std::uint32_t at_ = 0;
    std::uint32_t after_unknown_ = UINT32_MAX;
    bool is_after_newline_ = true;
    std::vector<std::uint32_t> brackets_;
    std::vector<Interpolation> interpolations_;
};

}  // namespace gyre::vela::internal
