// SPDX-License-Identifier: Apache-2.0
#include "gyre/db/statement_text.hpp"

#include <string>
#include <utility>

namespace gyre::db {

namespace {

bool is_word_part(char letter) noexcept {
    const auto byte = static_cast<unsigned char>(letter);
    const char lower = static_cast<char>(byte | 0x20U);
    return byte >= 0x80 || letter == '_' || (letter >= '0' && letter <= '9') ||
           (lower >= 'a' && lower <= 'z');
}

enum class Part { space, word, semicolon, other, unfinished, end };

// The parts of a text, one after another.
class Parts {
public:
    Parts(std::string_view text, bool is_postgres) noexcept
        : text_(text), is_postgres_(is_postgres) {}

    [[nodiscard]] Part next() {
        if (at_ == text_.size()) return Part::end;
        const char letter = text_[at_];
        if (is_word_part(letter)) return take_word();
        if (text_.substr(at_).starts_with("--")) return take_up_to("\n", Part::space, true);
        if (text_.substr(at_).starts_with("/*")) return take_comment();
        if (letter == '$' && is_postgres_) return take_dollar();
        if (letter == '\'' || letter == '"') return take_quoted(letter, is_escaped_);
        if (!is_postgres_ && letter == '`') return take_quoted('`', false);
        if (!is_postgres_ && letter == '[') return take_up_to("]", Part::other, false);
        ++at_;
        if (letter == ';') return Part::semicolon;
        const bool is_space = std::string_view(" \t\r\n\f\v").contains(letter);
        return is_space ? Part::space : Part::other;
    }
    // The last word, in small letters.
    [[nodiscard]] const std::string& word() const noexcept { return word_; }
    [[nodiscard]] std::size_t at() const noexcept { return at_; }

private:
    Part take_word() {
        word_.clear();
        for (; at_ < text_.size() && (is_word_part(text_[at_]) || text_[at_] == '$'); ++at_) {
            const char letter = text_[at_];
            word_ += letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter | 0x20) : letter;
        }
        // E'…' has backslashes.
        is_escaped_ = is_postgres_ && word_ == "e" && at_ < text_.size() && text_[at_] == '\'';
        return Part::word;
    }
    Part take_up_to(std::string_view mark, Part part, bool may_be_missing) {
        const std::size_t found = text_.find(mark, at_ + 1);
        if (found == std::string_view::npos) {
            at_ = text_.size();
            return may_be_missing ? part : Part::unfinished;
        }
        at_ = found + mark.size();
        return part;
    }
    // PostgreSQL nests them.
    Part take_comment() {
        int depth = 0;
        do {
            const std::string_view rest = text_.substr(at_);
            if (rest.size() < 2) return take_rest();
            if (rest.starts_with("*/")) {
                --depth;
                at_ += 2;
            } else if (rest.starts_with("/*") && (depth == 0 || is_postgres_)) {
                ++depth;
                at_ += 2;
            } else {
                ++at_;
            }
        } while (depth > 0);
        return Part::space;
    }
    Part take_quoted(char quote, bool is_escaped) {
        is_escaped_ = false;
        for (++at_; at_ < text_.size(); ++at_) {
            if (is_escaped && text_[at_] == '\\') {
                ++at_;
            } else if (text_[at_] == quote && text_.substr(at_ + 1, 1) == text_.substr(at_, 1)) {
                ++at_;  // a doubled one
            } else if (text_[at_] == quote) {
                ++at_;
                return Part::other;
            }
        }
        return take_rest();
    }
    // $1, $$…$$, $tag$…$tag$.
    Part take_dollar() {
        std::size_t end = at_ + 1;
        const bool is_number = end < text_.size() && text_[end] >= '0' && text_[end] <= '9';
        while (!is_number && end < text_.size() && is_word_part(text_[end])) ++end;
        if (is_number || end >= text_.size() || text_[end] != '$') {
            ++at_;
            return Part::other;
        }
        const std::string_view tag = text_.substr(at_, end + 1 - at_);
        const std::size_t found = text_.find(tag, end + 1);
        if (found == std::string_view::npos) return take_rest();
        at_ = found + tag.size();
        return Part::other;
    }
    Part take_rest() {
        at_ = text_.size();
        return Part::unfinished;
    }

    const std::string_view text_;
    const bool is_postgres_;
    std::size_t at_ = 0;
    bool is_escaped_ = false;
    std::string word_;
};

// Whether the present semicolon is inside of the body of a trigger of SQLite, which ends with `; end ;`, or
// of a function of PostgreSQL with a body in SQL, between `begin` and `end`.
class Body {
public:
    explicit Body(bool is_postgres) noexcept : is_postgres_(is_postgres) {}

    void take_word(const std::string& word) {
        if (std::exchange(is_first_word_, false)) {
            kind_ = word == "create" ? Kind::open : Kind::usual;
        } else if (kind_ == Kind::open) {
            kind_ = kind_of(word);
        } else if (is_postgres_ && kind_ == Kind::function) {
            if (word == "begin" || (word == "case" && depth_ > 0)) ++depth_;
            if (word == "end" && depth_ > 0) --depth_;
        }
        is_closing_ = word == "end" && is_behind_semicolon_;
        is_behind_semicolon_ = false;
    }
    void take_other() { is_closing_ = is_behind_semicolon_ = false; }
    // True if it ends the statement.
    [[nodiscard]] bool take_semicolon() {
        is_behind_semicolon_ = true;
        if (is_postgres_) return depth_ == 0;
        return kind_ != Kind::trigger || is_closing_;
    }

private:
    // Open: `create` was seen, and not yet what is created.
    enum class Kind { usual, open, trigger, function };

    [[nodiscard]] static Kind kind_of(const std::string& word) noexcept {
        if (word == "trigger") return Kind::trigger;
        if (word == "function" || word == "procedure") return Kind::function;
        const bool goes_on =
            word == "temp" || word == "temporary" || word == "or" || word == "replace";
        return goes_on ? Kind::open : Kind::usual;
    }

    const bool is_postgres_;
    Kind kind_ = Kind::usual;
    bool is_first_word_ = true;
    int depth_ = 0;
    bool is_behind_semicolon_ = false;
    bool is_closing_ = false;
};

}  // namespace

std::size_t statement_end(std::string_view text, bool is_postgres) {
    Parts parts(text, is_postgres);
    Body body(is_postgres);
    for (;;) {
        switch (parts.next()) {
            case Part::space:
                break;
            case Part::word:
                body.take_word(parts.word());
                break;
            case Part::other:
                body.take_other();
                break;
            case Part::semicolon:
                if (body.take_semicolon()) return parts.at();
                break;
            case Part::unfinished:
            case Part::end:
                return 0;
        }
    }
}

bool is_blank_sql(std::string_view text, bool is_postgres) {
    Parts parts(text, is_postgres);
    for (;;) {
        const Part part = parts.next();
        if (part == Part::end) return true;
        if (part != Part::space && part != Part::semicolon) return false;
    }
}

}  // namespace gyre::db
