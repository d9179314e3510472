// SPDX-License-Identifier: Apache-2.0
// Hints to syntax errors: habits from other languages, and brackets that are left open.
#include <algorithm>
#include <array>

#include "lang/vela/syntax/internal/parser.hpp"

namespace gyre::vela::internal {
namespace {

struct Habit {
    std::string_view word;
    std::string_view hint;
};

// At the beginning of a statement.
constexpr std::array statement_habits = {
    Habit{"const", "Vela has no `const`: write `name = value`; what changes is marked `state`"},
    Habit{"var", "Vela has no `var`: write `name = value`, or `state name = value`"},
    Habit{"val", "Vela has no `val`: write `name = value`"},
    Habit{"auto", "Vela has no `auto`: write `name = value`, its type is inferred"},
    Habit{"int", "the name comes first: `name: Number = value`, or `name = value`"},
    Habit{"string", "the name comes first: `name: String = value`, or `name = value`"},
    Habit{"bool", "the name comes first: `name: Bool = value`, or `name = value`"},
    Habit{"float", "the name comes first: `name: Float = value`, or `name = value`"},
    Habit{"String", "the name comes first: `name: String = value`, or `name = value`"},
    Habit{"Number", "the name comes first: `name: Number = value`, or `name = value`"},
    Habit{"switch", "Vela's `switch` is `match value { pattern => .. }`"},
    Habit{"case", "an arm of a `match` is `pattern => ..`"},
    Habit{"default", "the last arm of a `match` is `_ => ..`"},
    Habit{"def", "a function is `fn name(parameter: Type) -> Type { .. }`"},
    Habit{"function", "a function is `fn name(parameter: Type) -> Type { .. }`"},
    Habit{"func", "a function is `fn name(parameter: Type) -> Type { .. }`"},
    Habit{"fun", "a function is `fn name(parameter: Type) -> Type { .. }`"},
    Habit{"void", "a function is `fn name(parameter: Type) -> void { .. }`"},
    Habit{"elif", "write `else if`"},
    Habit{"elsif", "write `else if`"},
    Habit{"do", "Vela has no `do`: write `while true { .. }` and leave it with `break`"},
    Habit{"loop", "an endless loop is `while true { .. }`"},
    Habit{"foreach", "write `for item in list { .. }`"},
    Habit{"unless", "write `if !condition { .. }`"},
    Habit{"until", "write `while !condition { .. }`"},
    Habit{"print", "arguments stand in parentheses: `print(..)`"},
    Habit{"module", "a file is a module; it needs no declaration"},
    Habit{"export", "what a file declares is visible to others unless it is `private`"},
    Habit{"extern", "Vela has no `extern`"},
    Habit{"trait", "write `interface`"},
    Habit{"impl", "methods stand inside the class"},
    Habit{"super", "`super(..)` is a call"},
};

// Before or at the token that was not expected.
constexpr std::array word_habits = {
    Habit{"and", "write `&&`"},
    Habit{"or", "write `||`"},
    Habit{"not", "write `!`"},
    Habit{"is", "write `==`, or take it apart with `match`"},
    Habit{"new", "an object is made without `new`: `Name(..)`"},
    Habit{"then", "the branch of an `if` stands in braces: `if condition { .. }`"},
    Habit{"elif", "write `else if`"},
    Habit{"elsif", "write `else if`"},
    Habit{"lambda", "a lambda is `x => ..`"},
    Habit{"mut", "what changes is marked `state`: `state name = value`"},
    Habit{"instanceof", "a `catch` or a `match` tells types apart"},
    Habit{"function", "a lambda is `x => ..`, a function `fn name(..) { .. }`"},
};

template <class Table>
std::string_view habit_of(const Table& table, std::string_view word) {
    const auto found = std::find_if(table.begin(), table.end(),
                                    [&](const Habit& habit) { return habit.word == word; });
    return found == table.end() ? std::string_view() : found->hint;
}

}  // namespace

std::string_view Parser::sign_habit() const {
    const TokenKind before = at_ > 0 ? tokens_[at_ - 1].kind : end_of_file;
    const bool is_near = at_ > 0 && tokens_[at_ - 1].span.end == peek().span.begin;
    if (is(plus) && before == plus && is_near) return "Vela has no `++`: write `name += 1`";
    const bool is_double_minus = before == minus && at_ > 1 && tokens_[at_ - 2].kind == minus &&
                                 tokens_[at_ - 2].span.end == tokens_[at_ - 1].span.begin;
    if (is_double_minus) {
        return "Vela has no `--`: write `name -= 1`";
    }
    if (is(assign) && is_near && (before == equal || before == not_equal)) {
        return "Vela compares with `==` and `!=`";
    }
    if (is_in_for_head()) return "a loop over numbers is `for i in 0..10 { .. }`";
    if (before == kw_catch) return "write `catch (e: Error) { .. }`";
    if (is(assign)) return "`=` assigns; two values are compared with `==`";
    if (before == question && !peek().is_after_newline) {
        return "Vela has no `? :`: write `if condition { a } else { b }`";
    }
    if (is(arrow)) return "lambdas and the arms of a `match` have `=>`";
    if (is(colon) && peek(1).is_after_newline) return "a block stands in braces: `{ .. }`";
    return {};
}

// The innermost bracket before the error that nothing closes.
const Token* Parser::open_bracket() const {
    constexpr std::uint32_t search_max = 4096;
    for (std::uint32_t back = 1; back <= std::min(at_, search_max); ++back) {
        const Token& token = tokens_[at_ - back];
        const bool is_open = token.kind == paren_open || token.kind == bracket_open;
        if (is_open && token.partner == Token::no_partner) return &token;
    }
    return nullptr;
}

void Parser::add_hint(Diagnostic& diagnostic) const {
    if (const Token* open = open_bracket()) {
        diagnostic.note(*tree_.source, open->span,
                        concat("`", text(*open), "` is opened here and not closed"));
        return;
    }
    std::string_view hint = sign_habit();
    if (hint.empty() && is(name)) hint = habit_of(word_habits, text(peek()));
    if (hint.empty() && at_ > 0 && tokens_[at_ - 1].kind == name) {
        hint = habit_of(word_habits, text(tokens_[at_ - 1]));
    }
    const bool is_in_statement = item_begin_ < at_ && tokens_[item_begin_].kind == name &&
                                 (at_ == item_begin_ + 1 || text(tokens_[item_begin_]) != "print");
    if (hint.empty() && is_in_statement) {
        hint = habit_of(statement_habits, text(tokens_[item_begin_]));
    }
    if (hint.empty() && is(name) && at_ > 0 && tokens_[at_ - 1].kind == name &&
        tokens_[item_begin_].kind == kw_fn) {
        hint = "the name comes first: `name: Type`";
    }
    if (!hint.empty()) diagnostic.note(std::string(hint));
}

bool Parser::is_in_for_head() const {
    return item_begin_ + 1 < at_ && tokens_[item_begin_].kind == kw_for &&
           tokens_[item_begin_ + 1].kind == paren_open;
}

}  // namespace gyre::vela::internal
