// SPDX-License-Identifier: Apache-2.0
// gyre completions: prints a script that completes commands and flags in bash, zsh or fish.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.hpp"
#include "cli/definitions.hpp"

namespace gyre::cli {
namespace {

std::string words_of(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
    return text;
}

std::string flag_names(const std::vector<Flag>& flags) {
    std::vector<std::string> names;
    for (const Flag& flag : flags) {
        if (!flag.is_positional) names.push_back(flag.name);
    }
    return words_of(names);
}

// For single quotes of a shell; with the characters that zsh's _arguments reads itself.
std::string quoted(std::string_view text, std::string_view special = "") {
    std::string out;
    for (const char each : text) {
        if (each == '\'') {
            out += "'\\''";
            continue;
        }
        if (special.find(each) != std::string_view::npos) out += '\\';
        out += each;
    }
    return out;
}

// The bash statement that completes the value of a flag; empty if there is nothing to propose.
std::string bash_value(const Flag& flag) {
    const std::vector<std::string> choices = flag.choices();
    if (!choices.empty()) return "_gyre_words '" + words_of(choices) + "'";
    if (flag.is_folder()) return "_gyre_paths -d";
    return flag.is_file() ? "_gyre_paths -f" : "";
}

std::string bash_case(const Command& command) {
    std::string text = "    " + command.name + ")\n        case $previous in\n";
    std::string rest = "return";
    for (const Flag& flag : command.flags) {
        const std::string value = bash_value(flag);
        if (flag.is_positional) {
            if (!value.empty()) rest = value;
        } else if (!flag.value.empty()) {
            text += "        " + flag.name + ") " +
                    (value.empty() ? "return" : value + "; return") + " ;;\n";
        }
    }
    return text + "        esac\n        if [[ $current == -* ]]; then _gyre_words '" +
           flag_names(command.flags) + "'; else " + rest + "; fi ;;\n";
}

std::string bash_script(const CLI::App& program) {
    std::string names;
    std::string cases;
    for (const Command& command : commands_of(program)) {
        names += command.name + " ";
        cases += bash_case(command);
    }
    return R"(# Completes the program gyre in bash.
_gyre_words() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$current"); }
_gyre_paths() { compopt -o filenames; mapfile -t COMPREPLY < <(compgen "$1" -- "$current"); }
_gyre() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        _gyre_words ')" +
           names + flag_names(flags_of(program)) + R"('
        return
    fi
    case ${COMP_WORDS[1]} in
)" + cases +
           R"(    esac
}
complete -F _gyre gyre
)";
}

// The action of _arguments that completes a value.
std::string zsh_action(const Flag& flag) {
    const std::vector<std::string> choices = flag.choices();
    if (!choices.empty()) return "(" + words_of(choices) + ")";
    if (flag.is_folder()) return "_files -/";
    return flag.is_file() ? "_files" : "";
}

std::string zsh_argument(const Flag& flag) {
    const std::string action = zsh_action(flag);
    if (flag.is_positional) {
        const std::string place = flag.repeats ? "*" : "";
        return "'" + place + ":" + flag.name + ":" + action + "'";
    }
    std::string text = flag.repeats ? "'*" : "'";
    text += flag.name + "[" + quoted(flag.text, "[]:\\") + "]";
    if (!flag.value.empty()) text += ":" + quoted(flag.value, ":") + ":" + action;
    return text + "'";
}

std::string zsh_arguments(const std::vector<Flag>& flags) {
    std::string text = "_arguments";
    for (const Flag& flag : flags) text += " \\\n            " + zsh_argument(flag);
    return text;
}

std::string zsh_script(const CLI::App& program) {
    std::string names;
    std::string cases;
    for (const Command& command : commands_of(program)) {
        names += "            '" + command.name + ":" + quoted(command.text, ":\\") + "'\n";
        cases += "    " + command.name + ")\n        " + zsh_arguments(command.flags) + " ;;\n";
    }
    return R"(#compdef gyre
# Completes the program gyre in zsh.
_gyre() {
    if ((CURRENT == 2)); then
        local -a commands=(
)" + names +
           R"(        )
        _describe command commands
        )" +
           zsh_arguments(flags_of(program)) + R"(
        return
    fi
    local command=$words[2]
    shift words
    ((CURRENT--))
    case $command in
)" + cases +
           R"(    esac
}
_gyre "$@"
)";
}

std::string fish_line(const std::string& condition, const Flag& flag) {
    const std::vector<std::string> choices = flag.choices();
    const bool is_path = flag.is_file() || flag.is_folder();
    if (flag.is_positional && choices.empty() && !is_path) return {};
    std::string line = "complete -c gyre -n '" + condition + "'";
    if (!flag.is_positional) {
        line += " -l " + flag.name.substr(2) + " -d '" + quoted(flag.text, "\\") + "'";
        if (!flag.value.empty()) line += " -r";
    }
    if (!choices.empty()) line += " -a '" + words_of(choices) + "'";
    return line + (is_path ? " -F\n" : " -f\n");
}

std::string fish_script(const CLI::App& program) {
    std::string text = "# Completes the program gyre in fish.\ncomplete -c gyre -f\n";
    for (const Flag& flag : flags_of(program)) text += fish_line("__fish_use_subcommand", flag);
    for (const Command& command : commands_of(program)) {
        text += "complete -c gyre -n __fish_use_subcommand -a " + command.name + " -d '" +
                quoted(command.text, "\\") + "'\n";
        const std::string condition = "__fish_seen_subcommand_from " + command.name;
        for (const Flag& flag : command.flags) text += fish_line(condition, flag);
    }
    return text;
}

std::string script_for(const std::string& shell, const CLI::App& program) {
    if (shell == "bash") return bash_script(program);
    return shell == "zsh" ? zsh_script(program) : fish_script(program);
}

}  // namespace

void add_completions(CLI::App& program, ExitCode& /*exit_code*/) {
    CLI::App* command =
        program.add_subcommand("completions", "Print a script of completions for a shell");
    const auto shell = std::make_shared<std::string>();
    CLI::Option* option = command->add_option("SHELL", *shell, "The shell")->required();
    choose(*option, {"bash", "zsh", "fish"});
    command->callback(
        [&program, shell] { std::fputs(script_for(*shell, program).c_str(), stdout); });
}

}  // namespace gyre::cli
