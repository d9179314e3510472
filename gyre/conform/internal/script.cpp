// SPDX-License-Identifier: Apache-2.0
#include "gyre/conform/internal/script.hpp"
#include "gyre/base/failure.hpp"

#include <cstdlib>
#include <stdexcept>

namespace gyre::conform {
namespace {

std::uint64_t count_of(const std::string& word, const std::string& action) {
    char* end = nullptr;
    const std::uint64_t count = std::strtoull(word.c_str(), &end, 10);
    if (*end != '\0' || count == 0) {
        throw Failure("'" + word + "' in '" + action + "' is no count");
    }
    return count;
}

Action action_of(const std::string& text) {
    Action action;
    std::vector<std::string> words = split(text, ' ');
    while (words.size() > 2) {
        const std::string& prefix = words[0];
        if (prefix == "at") {
            action.first = action.last = count_of(words[1], text);
        } else if (prefix == "until") {
            action.last = count_of(words[1], text) - 1;
        } else if (prefix == "times") {
            action.times = count_of(words[1], text);
        } else {
            break;
        }
        words.erase(words.begin(), words.begin() + 2);
    }
    action.verb = words.front();
    action.words.assign(words.begin() + 1, words.end());
    return action;
}

}  // namespace

std::vector<std::string> split(std::string_view text, char separator) {
    constexpr std::string_view blanks = " \t\n";
    std::vector<std::string> parts;
    while (!text.empty()) {
        const std::size_t end = text.find(separator);
        std::string_view part = text.substr(0, end);
        text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
        const std::size_t first = part.find_first_not_of(blanks);
        if (first == std::string_view::npos) continue;
        parts.emplace_back(part.substr(first, part.find_last_not_of(blanks) - first + 1));
    }
    return parts;
}

const std::string& Action::word(std::size_t index) const {
    if (index >= words.size()) {
        throw Failure("the verb '" + verb + "' wants more words");
    }
    return words[index];
}

double Action::number(std::size_t index) const {
    const std::string& text = word(index);
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (*end != '\0') throw Failure("'" + text + "' is no number");
    return value;
}

Script::Script(std::string_view text) {
    for (const std::string& line : split(text, '\n')) {
        const std::size_t colon = (line + " ").find(": ");
        if (colon == std::string::npos) {
            throw Failure("'" + line + "' is no line of a script: event: actions");
        }
        std::vector<Action>& body = bodies_[line.substr(0, colon)];
        for (const std::string& action : split(line.substr(colon + 1), ';')) {
            body.push_back(action_of(action));
        }
    }
    if (!bodies_.contains("main")) throw Failure("a script has a line for main");
}

const std::vector<Action>* Script::find(const std::string& event) const {
    const auto found = bodies_.find(event);
    return found == bodies_.end() ? nullptr : &found->second;
}

std::set<std::string> Script::verbs() const {
    std::set<std::string> verbs;
    for (const auto& [event, actions] : bodies_) {
        for (const Action& action : actions) verbs.insert(action.verb);
    }
    return verbs;
}

}  // namespace gyre::conform
