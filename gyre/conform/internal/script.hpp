// SPDX-License-Identifier: Apache-2.0
// Script: the parsed script of a scenario. scenario.hpp describes the language. A value; any
// thread.
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
    // Runs from the first-th to the last-th time that the event happens, `times` times each.
    std::uint64_t first = 1;
    std::uint64_t last = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t times = 1;

    // Both throw Failure when the word is missing or not a number.
    [[nodiscard]] const std::string& word(std::size_t index) const;
    [[nodiscard]] double number(std::size_t index) const;
};

class Script {
public:
    // Throws Failure with a message for the author of the script.
    explicit Script(std::string_view text);

    // Null: the event has no line.
    [[nodiscard]] const std::vector<Action>* find(const std::string& event) const;
    [[nodiscard]] std::set<std::string> verbs() const;

private:
    std::map<std::string, std::vector<Action>> bodies_;
};

// The parts of a text, without the blanks around them and without empty parts.
[[nodiscard]] std::vector<std::string> split(std::string_view text, char separator);

}  // namespace gyre::conform
