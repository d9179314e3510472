// SPDX-License-Identifier: Apache-2.0
#include "cli/usage.hpp"

#include <CLI/CLI.hpp>
#include <vector>

#include "cli/definitions.hpp"
#include "cli/nearest.hpp"

namespace gyre::cli {
namespace {

const CLI::App* chosen_command(const CLI::App& program) {
    const auto chosen = program.get_subcommands();
    return chosen.empty() ? nullptr : chosen.front();
}

// The nearest of the names, or where they are listed.
std::string advice(std::string_view word, const std::vector<std::string>& names,
                   const std::string& otherwise) {
    const std::string near = nearest(word, names);
    return near.empty() ? otherwise : "did you mean " + near + "?";
}

std::string unknown_command(const CLI::App& program, const std::string& word) {
    std::vector<std::string> names;
    for (const Command& command : commands_of(program)) names.push_back(command.name);
    return "there is no command '" + word + "': " + advice(word, names, "gyre --help lists them");
}

std::string unknown_flag(const CLI::App& command, const std::string& name, std::string word) {
    word = word.substr(0, word.find('='));
    std::vector<std::string> names;
    for (const Flag& flag : flags_of(command)) {
        if (!flag.is_positional) names.push_back(flag.name);
    }
    return "unknown flag " + word + ": " + advice(word, names, name + " --help lists them");
}

std::string unexpected_words(const CLI::App& program) {
    const std::string name = command_name(program);
    const CLI::App* command = chosen_command(program);
    const std::vector<std::string> words = program.remaining(true);
    const std::string first = words.empty() ? "" : words.front();
    if (command == nullptr && !first.starts_with('-')) return unknown_command(program, first);
    for (const std::string& word : words) {
        if (!word.starts_with('-')) continue;
        return unknown_flag(command == nullptr ? program : *command, name, word);
    }
    return "unexpected argument '" + first + "': " + name + " --help shows the arguments";
}

}  // namespace

std::string command_name(const CLI::App& program) {
    const CLI::App* command = chosen_command(program);
    return command == nullptr ? "gyre" : "gyre " + command->get_name();
}

UsageError usage_error(const CLI::App& program, const CLI::ParseError& error) {
    if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
        return UsageError(unexpected_words(program));
    }
    // The text of a validator says already what to do.
    if (dynamic_cast<const CLI::ValidationError*>(&error) != nullptr) {
        return UsageError(error.what());
    }
    return UsageError(std::string(error.what()) + ": " + command_name(program) +
                      " --help shows the arguments");
}

}  // namespace gyre::cli
