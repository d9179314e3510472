// SPDX-License-Identifier: Apache-2.0
// A line that is too long is parted at the first of these that it has, outside of brackets that are
// closed on it:
// - its blocks and braces, one statement, arm or field a line;
// - a chain of at least two calls, before each dot;
// - `&&` and `||`, before each;
// - the brackets that reach beyond the last column, one argument or element a line;
// - other operators, before each; or the last brackets; or behind the `=` or `=>`.
// Strings with interpolations are not parted.
#include "lang/vela/syntax/internal/break_lines.hpp"

#include <algorithm>

namespace gyre::vela::internal {
namespace {

bool opens(TokenKind kind) {
    using enum TokenKind;
    return kind == paren_open || kind == bracket_open || kind == brace_open;
}

// A pair of brackets with something between them, both on the line.
struct Pair {
    std::size_t open;
    std::size_t close;
};

class LineBreaker {
public:
    LineBreaker(const Tree& tree, std::size_t columns_max)
        : source_(*tree.source), tokens_(tree.tokens.tokens), columns_max_(columns_max) {}

    // The tokens from `first` up to `end` are on one line.
    void part(std::size_t first, std::size_t end) {
        line_begin_ = source_.line_begin(source_.line_number(tokens_[first].span.begin));
        // A comment behind the tokens is not counted: it cannot be parted.
        if (column_behind(end - 1) <= columns_max_) return;
        read_line(first, end);
        if (!blocks_.empty()) {
            for (const Pair& pair : blocks_) part_pair(pair);
            return;
        }
        if (part_chain() || part_before(conditions_) || part_long_pair()) return;
        if (part_before(operators_)) return;
        if (!pairs_.empty()) return part_pair(pairs_.back());
        if (behind_assign_ != 0) breaks_.push_back(tokens_[behind_assign_].span.begin);
    }
    std::vector<std::uint32_t> take() {
        std::sort(breaks_.begin(), breaks_.end());
        return std::move(breaks_);
    }

private:
    [[nodiscard]] std::size_t column_behind(std::size_t token) const {
        std::string_view text = source_.text({line_begin_, tokens_[token].span.end});
        // A string may have several lines.
        if (const std::size_t last = text.rfind('\n'); last != text.npos) {
            text.remove_prefix(last + 1);
        }
        return code_point_count(text);
    }
    // The last token of what begins with this one: the partner of a bracket, the end of a string.
    [[nodiscard]] std::size_t end_of(std::size_t at, std::size_t end) const {
        if (opens(tokens_[at].kind)) {
            const std::uint32_t partner = tokens_[at].partner;
            return partner != Token::no_partner && partner < end ? partner : at;
        }
        std::size_t depth = 0;
        for (std::size_t i = at; tokens_[at].kind == TokenKind::string_head && i < end; ++i) {
            if (tokens_[i].kind == TokenKind::string_head) ++depth;
            if (tokens_[i].kind == TokenKind::string_tail && --depth == 0) return i;
        }
        return at;
    }

    void read_line(std::size_t first, std::size_t end) {
        blocks_.clear();
        pairs_.clear();
        conditions_.clear();
        operators_.clear();
        dots_.clear();
        behind_assign_ = 0;
        for (std::size_t at = first; at < end; ++at) {
            const std::size_t last = end_of(at, end);
            if (last > at + 1 && opens(tokens_[at].kind)) read_pair({at, last});
            if (last == at) read_token(at, first, end);
            at = last;
        }
    }
    void read_pair(const Pair& pair) {
        const Token& open = tokens_[pair.open];
        const bool is_block = open.kind == TokenKind::brace_open && open.role != TokenRole::tight;
        (is_block ? blocks_ : pairs_).push_back(pair);
    }
    void read_token(std::size_t at, std::size_t first, std::size_t end) {
        const Token& token = tokens_[at];
        const bool is_inside = at > first && at + 1 < end;
        if (!is_inside || token.role != TokenRole::plain) return;
        switch (token.kind) {
            case TokenKind::and_and:
            case TokenKind::or_or:
                conditions_.push_back(at);
                break;
            case TokenKind::plus:
            case TokenKind::star:
            case TokenKind::double_question:
                operators_.push_back(at);
                break;
            case TokenKind::dot:
            case TokenKind::question_dot:
                if (at + 2 < end && tokens_[at + 2].kind == TokenKind::paren_open)
                    dots_.push_back(at);
                break;
            case TokenKind::assign:
            case TokenKind::fat_arrow:
                if (behind_assign_ == 0) behind_assign_ = at + 1;
                break;
            default:
                break;
        }
    }

    // Behind the opening bracket and each separator, and before the closing one.
    void part_pair(const Pair& pair) {
        for (std::size_t at = pair.open + 1; at < pair.close; ++at) {
            at = end_of(at, pair.close);
            const bool is_separator =
                tokens_[at].kind == TokenKind::comma || tokens_[at].kind == TokenKind::semicolon;
            if (is_separator && at + 1 < pair.close) {
                breaks_.push_back(tokens_[at + 1].span.begin);
            }
        }
        breaks_.push_back(tokens_[pair.open + 1].span.begin);
        breaks_.push_back(tokens_[pair.close].span.begin);
    }
    bool part_before(const std::vector<std::size_t>& places) {
        for (const std::size_t at : places) breaks_.push_back(tokens_[at].span.begin);
        return !places.empty();
    }
    // The calls of one expression: nothing but names and brackets between their dots.
    bool part_chain() {
        std::vector<std::size_t> chain;
        for (const std::size_t at : dots_) {
            if (!chain.empty() && !is_chained(chain.back(), at)) {
                if (chain.size() > 1) break;
                chain.clear();
            }
            chain.push_back(at);
        }
        return chain.size() > 1 && part_before(chain);
    }
    [[nodiscard]] bool is_chained(std::size_t from, std::size_t to) const {
        for (std::size_t at = from + 1; at < to; ++at) {
            at = end_of(at, to);
            const TokenKind kind = tokens_[at].kind;
            const bool is_part = kind == TokenKind::name || kind == TokenKind::dot ||
                                 kind == TokenKind::question || kind == TokenKind::paren_close ||
                                 kind == TokenKind::bracket_close;
            if (!is_part && !is_keyword(kind)) return false;
        }
        return true;
    }
    bool part_long_pair() {
        const auto reaches_out = [this](const Pair& pair) {
            return column_behind(pair.open) <= columns_max_ &&
                   column_behind(pair.close) > columns_max_;
        };
        const auto found = std::ranges::find_if(pairs_, reaches_out);
        if (found == pairs_.end()) return false;
        part_pair(*found);
        return true;
    }

    const Source& source_;
    const std::vector<Token>& tokens_;
    const std::size_t columns_max_;
    std::vector<std::uint32_t> breaks_;
    // Of the line.
    std::uint32_t line_begin_ = 0;
    std::vector<Pair> blocks_;
    std::vector<Pair> pairs_;  // other ones
    std::vector<std::size_t> conditions_;
    std::vector<std::size_t> operators_;
    std::vector<std::size_t> dots_;  // before a call
    std::size_t behind_assign_ = 0;  // the token; 0: none
};

}  // namespace

std::vector<std::uint32_t> breaks_of(const Tree& tree, std::size_t columns_max) {
    const std::vector<Token>& tokens = tree.tokens.tokens;
    LineBreaker breaker(tree, columns_max);
    std::size_t first = 0;
    for (std::size_t i = 1; i < tokens.size(); ++i) {
        const bool is_end = tokens[i].kind == TokenKind::end_of_file;
        if (!is_end && !tokens[i].is_after_newline) continue;
        breaker.part(first, i);
        first = i;
        if (is_end) break;
    }
    return breaker.take();
}

}  // namespace gyre::vela::internal
