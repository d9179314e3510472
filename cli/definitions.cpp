// SPDX-License-Identifier: Apache-2.0
#include "cli/definitions.hpp"

#include <charconv>
#include <system_error>

namespace gyre::cli {
namespace {

constexpr double seconds_max = 1e6;

template <class T>
bool parses(const std::string& text, T& value) {
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    return error == std::errc() && stop == end;
}

std::string joined(const std::vector<std::string>& words, const char* between) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
    return text;
}

Flag flag_of(const CLI::Option& option) {
    Flag flag;
    flag.text = option.get_description();
    flag.is_required = option.get_required();
    flag.is_positional = option.get_positional();
    const bool takes_value = option.get_type_size() != 0;
    if (takes_value) flag.value = option.get_type_name();
    if (flag.is_positional) {
        flag.name = option.get_single_name();
        if (flag.value.empty()) flag.value = flag.name;
    } else {
        flag.name = "--" + option.get_lnames().front();
    }
    flag.repeats = takes_value && option.get_items_expected_max() > option.get_type_size();
    return flag;
}

}  // namespace

std::vector<std::string> Flag::choices() const {
    std::vector<std::string> words;
    if (value.find('|') == std::string::npos) return words;
    std::size_t begin = 0;
    while (begin <= value.size()) {
        const std::size_t end = std::min(value.find('|', begin), value.size());
        words.push_back(value.substr(begin, end - begin));
        begin = end + 1;
    }
    return words;
}

std::string Flag::usage() const {
    std::string line = is_positional ? name : name + (value.empty() ? "" : " " + value);
    if (!is_required) line = "[" + line + "]";
    return repeats ? line + "..." : line;
}

std::vector<Flag> flags_of(const CLI::App& command) {
    std::vector<Flag> flags;
    for (const bool positional : {true, false}) {
        for (const CLI::Option* option : command.get_options()) {
            if (option->get_positional() == positional) flags.push_back(flag_of(*option));
        }
    }
    return flags;
}

std::vector<Command> commands_of(const CLI::App& program) {
    std::vector<Command> commands;
    for (const CLI::App* command : program.get_subcommands({})) {
        commands.push_back({command->get_name(), command->get_description(), flags_of(*command)});
    }
    return commands;
}

void choose(CLI::Option& option, const std::vector<std::string>& words) {
    option.type_name(joined(words, "|"));
    option.check([words](const std::string& text) -> std::string {
        if (std::find(words.begin(), words.end(), text) != words.end()) return {};
        return "'" + text + "' is none of " + joined(words, ", ");
    });
}

void count(CLI::Option& option, const char* name, std::uint64_t least, std::uint64_t most) {
    option.type_name(name);
    option.check([least, most](const std::string& text) -> std::string {
        std::uint64_t value = 0;
        if (parses(text, value) && value >= least && value <= most) return {};
        return "'" + text + "' is not a number from " + std::to_string(least) + " to " +
               std::to_string(most);
    });
}

void seconds(CLI::Option& option) {
    option.type_name("SECONDS");
    option.check([](const std::string& text) -> std::string {
        double value = 0;
        if (parses(text, value) && value > 0 && value <= seconds_max) return {};
        return "'" + text + "' is not a number of seconds above 0, such as 2.5";
    });
}

}  // namespace gyre::cli
