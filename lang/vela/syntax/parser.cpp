// SPDX-License-Identifier: Apache-2.0
#include "lang/vela/syntax/parser.hpp"

#include <algorithm>

#include "lang/vela/syntax/diagnostic.hpp"
#include "lang/vela/syntax/internal/lexer.hpp"
#include "lang/vela/syntax/internal/parser.hpp"

namespace gyre::vela {

Tree parse(const Source& source, Diagnostics& diagnostics, const Limits& limits) {
    Tree tree;
    tree.source = &source;
    tree.tokens = lex(source, diagnostics, limits);
    internal::Parser(tree, diagnostics, limits).parse_file();
    return tree;
}

namespace internal {

Parser::Parser(Tree& tree, Diagnostics& diagnostics, const Limits& limits)
    : tree_(tree), tokens_(tree.tokens.tokens), diagnostics_(diagnostics), limits_(limits) {}

void Parser::parse_file() {
    if (is(TokenKind::string) && text(peek()).starts_with("\"\"\"")) {
        mark_item();
        tree_.doc = take().span;
    }
    Gather<Decl*> declarations(*this);
    while (!is(end_of_file)) {
        if (take_if(semicolon)) continue;
        const std::uint32_t begin = at_;
        mark_item();
        try {
            Decl* const made = declaration();
            declarations.add(made);
            if (made->kind == DeclKind::statement) end_item("the declaration");
        } catch (const Failure&) {
            recover(begin);
            // Skips an unmatched closing brace, which would otherwise stop every later declaration.
            if (at_ == begin || is(brace_close)) take();
        }
    }
    tree_.declarations = declarations.take();
}

const Token& Parser::peek(std::uint32_t ahead) const {
    const std::size_t index = std::size_t{at_} + ahead;
    return index < tokens_.size() ? tokens_[index] : tokens_.back();
}

bool Parser::is_word(std::string_view word, std::uint32_t ahead) const {
    return kind(ahead) == name && text(peek(ahead)) == word;
}

const Token& Parser::take() {
    const Token& token = tokens_[at_];
    if (token.kind != end_of_file) ++at_;
    return token;
}

bool Parser::take_if(TokenKind wanted) {
    if (!is(wanted)) return false;
    take();
    return true;
}

const Token& Parser::expect(TokenKind wanted, std::string_view what) {
    if (!is(wanted)) fail(what);
    return take();
}

Name Parser::expect_name(std::string_view what) {
    if (is_keyword(kind())) {
        fail_at(peek().span,
                concat("expected ", what, ", found ", found(), ", which is a reserved word"));
    }
    const Token& token = expect(name, what);
    return {text(token), token.span};
}

Name Parser::expect_member_name() {
    if (!is(name) && !is_keyword(kind())) fail("a name");
    const Token& token = take();
    return {text(token), token.span};
}

std::string Parser::found() const {
    const Token& token = peek();
    if (token.kind == end_of_file) return "the end of the file";
    const std::string_view word = text(token);
    if (token.kind == TokenKind::string || token.kind == string_head) return "a string";
    if (word.size() > 40) return concat("`", word.substr(0, 40), "...`");
    return concat("`", word, "`");
}

void Parser::fail(std::string_view expected) {
    fail_at(peek().span, concat("expected ", expected, ", found ", found()));
}

void Parser::fail_at(Span span, std::string message) {
    if (!follows_from_lexer(span)) {
        Diagnostic& diagnostic =
            diagnostics_.error("E0201", *tree_.source, span, std::move(message));
        if (span.begin == peek().span.begin) add_hint(diagnostic);
    }
    throw Failure{};
}

// Whether an error at `span` is a consequence of an error that the lexer has reported on the same
// lines.
bool Parser::follows_from_lexer(Span span) const {
    const std::vector<std::uint32_t>& errors = tree_.tokens.error_offsets;
    if (errors.empty()) return false;
    const auto line_of = [this](std::uint32_t offset) { return tree_.source->line_number(offset); };
    // An incomplete line shows only at the next token, which may be lines below: looks at all lines
    // between.
    const std::uint32_t first = at_ > 0 ? line_of(tokens_[at_ - 1].span.begin) : 1;
    const std::uint32_t last = line_of(span.begin);
    return std::any_of(errors.begin(), errors.end(), [&](std::uint32_t offset) {
        return line_of(offset) >= std::min(first, last) && line_of(offset) <= last;
    });
}

Span Parser::span_from(std::uint32_t begin) const {
    if (at_ == begin) return {tokens_[begin].span.begin, tokens_[begin].span.begin};
    return {tokens_[begin].span.begin, tokens_[at_ - 1].span.end};
}

// A statement, member or arm ends at a line end, a `;`, or before the `}` around it.
void Parser::end_item(std::string_view after) {
    if (take_if(semicolon)) return;
    if (is(end_of_file) || is(brace_close) || peek().is_after_newline) return;
    fail(concat("a new line or `;` after ", after));
}

// Skips to the end of the item that began at `begin` and failed at at_: the first line end after
// the failure outside of brackets opened within the item.
void Parser::recover(std::uint32_t begin) {
    const std::uint32_t failed_at = at_;
    if (diagnostics_.is_full()) {
        at_ = static_cast<std::uint32_t>(tokens_.size() - 1);
        return;
    }
    std::uint32_t index = begin;
    for (;;) {
        const Token& token = tokens_[index];
        if (token.kind == end_of_file) break;
        const bool is_behind = index > begin && index >= failed_at;
        if (is_behind && (token.is_after_newline || token.kind == semicolon)) break;
        if (token.kind == brace_close && index >= failed_at) break;
        const bool opens = token.partner != Token::no_partner && token.partner > index;
        index = opens ? token.partner + 1 : index + 1;
    }
    at_ = index;
    take_if(semicolon);
}

void Parser::limit_items(std::size_t count, std::string_view what) {
    if (count <= limits_.items_max) return;
    fail_at(span_from(at_ - 1),
            concat("the limit on ", what, " is ", std::to_string(limits_.items_max)));
}

Parser::Nesting::Nesting(Parser& parser) : parser_(parser) {
    if (++parser.depth_ > parser.limits_.nesting_max) {
        --parser.depth_;
        const Span span = parser.peek().span;
        // The enclosing rules fail too, without a further report.
        parser.at_ = static_cast<std::uint32_t>(parser.tokens_.size() - 1);
        parser.fail_at(
            span, concat("the limit on nesting is ", std::to_string(parser.limits_.nesting_max),
                         " brackets, blocks or operators inside one another"));
    }
}

}  // namespace internal
}  // namespace gyre::vela
