// SPDX-License-Identifier: Apache-2.0
// Hints to unknown names: habits from other languages, and members of the own class.
#include <algorithm>
#include <array>

#include "lang/vela/check/internal/checker.hpp"

namespace gyre::vela::internal {
namespace {

struct Habit {
    std::string_view name;
    std::string_view hint;
};

constexpr std::array name_habits = {
    Habit{"null",
          "Vela has no null: a value that may be missing is an Option, `Some(..)` or `None`"},
    Habit{"nil", "Vela has no nil: a value that may be missing is an Option, `Some(..)` or `None`"},
    Habit{"undefined",
          "Vela has no undefined: a value that may be missing is an Option, `Some(..)` or `None`"},
    Habit{"NULL",
          "Vela has no null: a value that may be missing is an Option, `Some(..)` or `None`"},
    Habit{"True", "write `true`"},
    Habit{"False", "write `false`"},
    Habit{"not", "write `!`"},
    Habit{"console", "write `print(..)`"},
    Habit{"System", "write `print(..)`"},
    Habit{"printf", "write `print(..)`; `\"${value}\"` puts a value into a string"},
    Habit{"echo", "write `print(..)`"},
    Habit{"puts", "write `print(..)`"},
    Habit{"len", "the length of a list or string is its `length`"},
    Habit{"range", "a range is `0..10`"},
    Habit{"str", "`\"${value}\"` is the text of a value"},
    Habit{"require", "a file is imported with `import './file.vela'`"},
    Habit{"raise", "write `throw`"},
    Habit{"base", "a constructor begins with `super(..)`"},
    Habit{"fmt", "write `print(..)`"},
};

constexpr std::array member_habits = {
    Habit{"toString", "`\"${value}\"` is the text of a value"},
    Habit{"to_string", "`\"${value}\"` is the text of a value"},
    Habit{"append", "`push(..)` puts a value at the end"},
    Habit{"add", "`push(..)` puts a value at the end"},
    Habit{"size", "write `length`"},
    Habit{"count", "write `length`"},
    Habit{"len", "write `length`"},
    Habit{"includes", "write `contains(..)`"},
    Habit{"substring", "write `slice(from, to)`"},
    Habit{"substr", "write `slice(from, to)`"},
    Habit{"charAt", "write `slice(i, i + 1)`, or go through `chars()`"},
    Habit{"put", "write `set(key, value)`"},
    Habit{"containsKey", "write `has(key)`"},
    Habit{"foreach", "write `forEach(..)`"},
    Habit{"each", "write `forEach(..)`"},
    Habit{"fold", "write `reduce(..)`"},
    Habit{"all", "write `every(..)`"},
    Habit{"some", "write `any(..)`"},
    Habit{"parseInt", "write `toNumber()`"},
    Habit{"upper", "write `toUpperCase()`"},
    Habit{"lower", "write `toLowerCase()`"},
    Habit{"shift", "write `removeAt(0)`"},
};

template <class Table>
std::string_view habit_of(const Table& table, std::string_view name) {
    const auto found = std::find_if(table.begin(), table.end(),
                                    [&](const Habit& habit) { return habit.name == name; });
    return found == table.end() ? std::string_view() : found->hint;
}

}  // namespace

// True if the diagnostic has a hint now.
bool Checker::add_hint(Diagnostic& diagnostic, const Name& name) {
    if (const std::string_view hint = habit_of(name_habits, name.text); !hint.empty()) {
        diagnostic.note(std::string(hint));
        return true;
    }
    if (!has_this_) return false;
    const Member own = types_.find_member(class_->self, name.text);
    if (own.method == nullptr) return false;
    diagnostic.suggest({name.span.begin, name.span.begin}, "this.",
                       concat("a method is called on `this`: `this.", name.text, "`"));
    return true;
}

bool Checker::add_member_hint(Diagnostic& diagnostic, const Name& name) {
    const std::string_view hint = habit_of(member_habits, name.text);
    if (!hint.empty()) diagnostic.note(std::string(hint));
    return !hint.empty();
}

}  // namespace gyre::vela::internal
