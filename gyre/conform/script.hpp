// SPDX-License-Identifier: Apache-2.0
// Script: what to do and when, as text. Each line is the name of an event and the actions that
// follow it; `main` comes first, and an event without a line is only written down.
//
//     main: timeout t 1; immediate i; block 5
//     t: micro m; at 2 clear t; until 9 tick k
//
// A colon with a blank behind it ends the name. An action is a verb and its words. `at 2` before it
// means only the second time that the event happens, `until 9` only before the ninth, `times 3`
// three times in a row. The verbs belong to the table (kernel.hpp, loop.hpp, jobs.hpp,
// effects.hpp), but for `say word`, which is an event of its own. A value.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace gyre::conform {

struct Action {
    std::string verb;
    std::vector<std::string> words;
    std::uint64_t first = 1;  // of the times that the event happens
    std::uint64_t last = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t times = 1;

    // Both throw std::invalid_argument where there is no such word or number.
    [[nodiscard]] const std::string& word(std::size_t index) const;
    [[nodiscard]] double number(std::size_t index) const;
};

class Script {
public:
    // Throws std::invalid_argument for what is no script.
    explicit Script(std::string_view text);

    // Null: the event is only written down.
    [[nodiscard]] const std::vector<Action>* find(const std::string& event) const;
    [[nodiscard]] std::set<std::string> verbs() const;

private:
    std::map<std::string, std::vector<Action>> bodies_;
};

// The parts of a text, without the blanks around them; empty ones are left out.
[[nodiscard]] std::vector<std::string> split(std::string_view text, char separator);

}  // namespace gyre::conform
