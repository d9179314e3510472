// SPDX-License-Identifier: Apache-2.0
#include "gyre/vela/syntax/lexer.hpp"

#include <algorithm>
#include <string>

#include "gyre/vela/syntax/concat.hpp"
#include "gyre/vela/syntax/internal/characters.hpp"
#include "gyre/vela/syntax/internal/signs.hpp"

namespace gyre::vela {
namespace {

using internal::is_in;
using internal::Sign;

class Lexer {
public:
    Lexer(const Source& source, Diagnostics& diagnostics, const Limits& limits)
        : source_(source), text_(source.text()), diagnostics_(diagnostics), limits_(limits) {}

    TokenList run() {
        if (text_.size() > limits_.file_bytes_max) {
            error({0, 0}, concat("the file has ", std::to_string(text_.size()),
                                 " bytes; the limit on file size is ",
                                 std::to_string(limits_.file_bytes_max)));
            text_ = {};
        }
        list_.tokens.reserve(text_.size() / 4 + 1);
        if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
        while (!diagnostics_.is_full() && skip_blanks()) read_token();
        at_ = size();
        add(TokenKind::end_of_file, at_);
        return std::move(list_);
    }

private:
    // An open `${`: the string goes on at the brace that closes it.
    struct Interpolation {
        bool is_multi_line;
        std::uint32_t begin;
        // Brackets open before it, and braces opened since.
        std::size_t bracket_count = 0;
        std::size_t brace_count = 0;
    };

    std::uint32_t size() const { return static_cast<std::uint32_t>(text_.size()); }
    // NUL behind the end; a NUL in the text is no character of any token either.
    char peek(std::uint32_t ahead = 0) const {
        return at_ + ahead < size() ? text_[at_ + ahead] : '\0';
    }
    bool looking_at(std::string_view wanted) const { return text_.substr(at_).starts_with(wanted); }

    Diagnostic& error(Span span, std::string message) {
        list_.error_offsets.push_back(span.begin);
        return diagnostics_.error("E0101", source_, span, std::move(message));
    }

    void add(TokenKind kind, std::uint32_t begin) {
        Token token;
        token.kind = kind;
        token.is_after_newline = is_after_newline_;
        token.span = {begin, at_};
        list_.tokens.push_back(token);
        is_after_newline_ = false;
        if (at_ - begin > limits_.token_bytes_max) {
            error({begin, begin + 1}, concat("a token of ", std::to_string(at_ - begin),
                                             " bytes; the limit on token length is ",
                                             std::to_string(limits_.token_bytes_max)));
        }
    }

    // True when something other than blanks and comments is left.
    bool skip_blanks() {
        while (at_ < size()) {
            const char c = text_[at_];
            if (is_in(c, internal::blank)) {
                is_after_newline_ |= c == '\n';
                ++at_;
            } else if (c == '#' || (c == '/' && peek(1) == '/')) {
                const std::uint32_t begin = at_;
                at_ = std::min(size(), static_cast<std::uint32_t>(text_.find('\n', at_)));
                std::uint32_t end = at_;
                while (is_in(text_[end - 1], internal::blank)) --end;
                check_utf8({begin, end});
                list_.comments.push_back({begin, end});
            } else if (c == '/' && peek(1) == '*') {
                block_comment();
            } else {
                return true;
            }
        }
        return false;
    }

    void block_comment() {
        const std::uint32_t begin = at_;
        const std::size_t end = text_.find("*/", at_ + 2);
        if (end == std::string_view::npos) {
            error({begin, begin + 2}, "this comment is not closed with `*/`");
            at_ = size();
        } else {
            at_ = static_cast<std::uint32_t>(end) + 2;
        }
        check_utf8({begin, at_});
        list_.comments.push_back({begin, at_});
        const bool has_newline = text_.substr(begin, at_ - begin).find('\n') != text_.npos;
        is_after_newline_ |= has_newline;
    }

    void read_token() {
        const char c = text_[at_];
        if (is_in(c, internal::letter)) return word();
        if (is_in(c, internal::digit)) return number();
        if (c == '"' || c == '\'') return string();
        if (static_cast<unsigned char>(c) >= 0x80) return wide_word();
        punctuation();
    }

    void skip_word() {
        for (;;) {
            while (at_ < size() && is_in(text_[at_], internal::letter | internal::digit)) ++at_;
            if (at_ == size() || static_cast<unsigned char>(text_[at_]) < 0x80) return;
            const std::uint32_t length = utf8_length(text_.substr(at_));
            if (length == 0) return;
            if (!internal::is_name_code_point(internal::code_point(text_.substr(at_, length)))) {
                return;
            }
            at_ += length;
        }
    }

    void word() {
        const std::uint32_t begin = at_;
        skip_word();
        add(internal::keyword(text_.substr(begin, at_ - begin)), begin);
    }

    // A word that begins with a character above ASCII.
    void wide_word() {
        const std::uint32_t begin = at_;
        skip_word();
        if (at_ > begin) return add(TokenKind::name, begin);
        unknown_character();
    }

    // One error for a whole row of them.
    void unknown_character() {
        const std::uint32_t begin = at_;
        const std::uint32_t length = utf8_length(text_.substr(at_));
        at_ += std::max(1U, length);
        if (length == 0) {
            while (at_ < size() && utf8_length(text_.substr(at_)) == 0) ++at_;
            error({begin, at_}, "this is not UTF-8");
        } else if (begin != after_unknown_) {
            const auto byte = static_cast<unsigned char>(text_[begin]);
            const bool is_control = byte < 0x20 || byte == 0x7F;
            error({begin, at_}, is_control ? std::string("a control character has no meaning here")
                                           : concat("`", text_.substr(begin, length),
                                                    "` has no meaning in Vela"));
        }
        after_unknown_ = at_;
    }

    void number() {
        const std::uint32_t begin = at_;
        const auto skip_digits = [this] {
            while (is_in(peek(), internal::digit)) ++at_;
        };
        bool is_real = false;
        if (peek() == '0' && (peek(1) == 'x' || peek(1) == 'b')) {
            at_ += 2;
            while (is_in(peek(), internal::letter | internal::digit)) ++at_;
            return add_based_integer(begin);
        }
        skip_digits();
        if (peek() == '.' && is_in(peek(1), internal::digit)) {
            is_real = true;
            ++at_;
            skip_digits();
        }
        if (peek() == 'e' || peek() == 'E') {
            const std::uint32_t sign = peek(1) == '-' || peek(1) == '+' ? 1 : 0;
            if (is_in(peek(1 + sign), internal::digit)) {
                is_real = true;
                at_ += 1 + sign;
                skip_digits();
            }
        }
        if (is_in(peek(), internal::letter)) {
            skip_word();
            error({begin, at_}, concat("`", shortened(begin), "` is not a number"));
        }
        add(is_real ? TokenKind::real : TokenKind::integer, begin);
    }

    void add_based_integer(std::uint32_t begin) {
        const std::string_view digits = text_.substr(begin + 2, at_ - begin - 2);
        const std::string_view allowed = text_[begin + 1] == 'x' ? "0123456789abcdefABCDEF" : "01";
        if (digits.empty() || digits.find_first_not_of(allowed) != digits.npos) {
            error({begin, at_}, concat("`", shortened(begin), "` is not a number"));
        }
        add(TokenKind::integer, begin);
    }

    std::string shortened(std::uint32_t begin) const {
        const std::string_view word = text_.substr(begin, at_ - begin);
        return word.size() <= 40 ? std::string(word) : std::string(word.substr(0, 40)) + "...";
    }

    void string() {
        const std::uint32_t begin = at_;
        if (text_[at_] == '\'') {
            const std::size_t end = text_.find_first_of("'\n", at_ + 1);
            if (end == text_.npos || text_[end] == '\n') return unclosed(begin, begin);
            at_ = static_cast<std::uint32_t>(end) + 1;
            check_utf8({begin, at_});
            return add(TokenKind::string, begin);
        }
        const bool is_multi_line = looking_at("\"\"\"");
        at_ += is_multi_line ? 3 : 1;
        string_text({is_multi_line, begin}, begin, true);
    }

    // From the quote, or from the brace that ends an interpolation, to the next `${` or the end.
    void string_text(Interpolation in, std::uint32_t begin, bool is_first) {
        while (at_ < size()) {
            const char c = text_[at_];
            if (c == '\\') {
                escape();
            } else if (c == '$' && peek(1) == '{') {
                at_ += 2;
                check_utf8({begin, at_});
                add(is_first ? TokenKind::string_head : TokenKind::string_middle, begin);
                return open_interpolation(in);
            } else if (in.is_multi_line ? looking_at("\"\"\"") : c == '"') {
                at_ += in.is_multi_line ? 3 : 1;
                check_utf8({begin, at_});
                return add(is_first ? TokenKind::string : TokenKind::string_tail, begin);
            } else if (c == '\n' && !in.is_multi_line) {
                break;
            } else {
                ++at_;
            }
        }
        unclosed(in.begin, begin);
    }

    void open_interpolation(Interpolation in) {
        in.bracket_count = brackets_.size();
        in.brace_count = 0;
        if (interpolations_.size() >= limits_.nesting_max) {
            error({at_ - 2, at_},
                  concat("the limit on nesting is ", std::to_string(limits_.nesting_max),
                         " strings inside one another"));
            at_ = size();
            return;
        }
        interpolations_.push_back(in);
    }

    // Whoever forgot a quote forgot it on this line: whatever was open there ends with it.
    void unclosed(std::uint32_t string_begin, std::uint32_t token_begin) {
        const bool is_multi_line = text_.substr(string_begin).starts_with("\"\"\"");
        at_ = is_multi_line ? size()
                            : std::min(size(), static_cast<std::uint32_t>(
                                                   text_.find('\n', std::max(at_, token_begin))));
        while (!interpolations_.empty() && !interpolations_.back().is_multi_line) {
            string_begin = interpolations_.back().begin;
            interpolations_.pop_back();
        }
        error({string_begin, string_begin + 1}, is_multi_line
                                                    ? "this string is not closed with `\"\"\"`"
                                                    : "this string is not closed on its line");
        add(TokenKind::string, token_begin);
    }

    void escape() {
        const std::uint32_t begin = at_++;
        if (at_ == size() || peek() == '\n') return;
        if (std::string_view("ntr\"\\$0").find(peek()) == std::string_view::npos) {
            const std::uint32_t length = std::max(1U, utf8_length(text_.substr(at_)));
            error({begin, at_ + length},
                  concat("unknown escape `\\", text_.substr(at_, length), "`"))
                .note("known are \\n \\t \\r \\\" \\\\ \\$ \\0");
        }
        ++at_;
    }

    void check_utf8(Span span) {
        std::string_view rest = text_.substr(span.begin, span.end - span.begin);
        std::uint32_t offset = span.begin;
        while (!rest.empty()) {
            const std::uint32_t length =
                static_cast<unsigned char>(rest[0]) < 0x80 ? 1 : utf8_length(rest);
            if (length == 0) {
                error({offset, offset + 1}, "this is not UTF-8");
                return;
            }
            rest.remove_prefix(length);
            offset += length;
        }
    }

    void punctuation() {
        const auto first = static_cast<unsigned char>(text_[at_]);
        for (std::size_t i = internal::sign_begins[first]; i < std::size(internal::signs); ++i) {
            const Sign& sign = internal::signs[i];
            if (static_cast<unsigned char>(sign.text[0]) != first) break;
            if (!looking_at(sign.text)) continue;
            if (sign.kind == TokenKind::brace_close && closes_interpolation()) return;
            const std::uint32_t begin = at_;
            at_ += static_cast<std::uint32_t>(sign.text.size());
            add(sign.kind, begin);
            return note_bracket(sign.kind);
        }
        unknown_character();
    }

    bool closes_interpolation() {
        if (interpolations_.empty()) return false;
        if (interpolations_.back().brace_count > 0) {
            --interpolations_.back().brace_count;
            return false;
        }
        const Interpolation in = interpolations_.back();
        brackets_.resize(in.bracket_count);
        interpolations_.pop_back();
        const std::uint32_t begin = at_++;
        string_text(in, begin, false);
        return true;
    }

    void note_bracket(TokenKind kind) {
        using enum TokenKind;
        const auto index = static_cast<std::uint32_t>(list_.tokens.size() - 1);
        TokenKind open = end_of_file;
        switch (kind) {
            case brace_open:
                if (!interpolations_.empty()) ++interpolations_.back().brace_count;
                [[fallthrough]];
            case paren_open:
            case bracket_open:
                brackets_.push_back(index);
                return;
            case paren_close:
                open = paren_open;
                break;
            case bracket_close:
                open = bracket_open;
                break;
            case brace_close:
                open = brace_open;
                break;
            default:
                return;
        }
        // An opening bracket in between has no partner; a closing one without any has none either.
        // Only as many are looked at as may be inside one another.
        const std::size_t floor =
            interpolations_.empty() ? 0 : interpolations_.back().bracket_count;
        const std::size_t depth_max = limits_.nesting_max;
        for (std::size_t i = brackets_.size(); i > floor && brackets_.size() - i <= depth_max;
             --i) {
            const std::uint32_t candidate = brackets_[i - 1];
            if (list_.tokens[candidate].kind != open) continue;
            list_.tokens[candidate].partner = index;
            list_.tokens[index].partner = candidate;
            brackets_.resize(i - 1);
            return;
        }
    }

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

}  // namespace

TokenList lex(const Source& source, Diagnostics& diagnostics, const Limits& limits) {
    return Lexer(source, diagnostics, limits).run();
}

}  // namespace gyre::vela
