// SPDX-License-Identifier: Apache-2.0
// gyre man: prints the manual page of the program, or of one command, in the format of man(7).
#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.hpp"
#include "cli/definitions.hpp"
#include "cli/usage.hpp"
#include "gyre/base/version.hpp"

namespace gyre::cli {
namespace {

std::string escaped(std::string_view text) {
    std::string out;
    for (const char each : text) {
        if (each == '\\') {
            out += "\\e";
        } else if (each == '-') {
            out += "\\-";
        } else {
            // A dot or an apostrophe at the start of a line would be a request.
            if (out.empty() && (each == '.' || each == '\'')) out += "\\&";
            out += each;
        }
    }
    return out;
}

std::string bold(std::string_view text) {
    return "\\fB" + escaped(text) + "\\fR";
}

std::string page_head(const std::string& name, const std::string& text) {
    std::string title = name;
    for (char& each : title)
        each = each >= 'a' && each <= 'z' ? static_cast<char>(each - 32) : each;
    return ".TH " + escaped(title) + " 1 \"\" \"gyre " + std::string(version_string) +
           "\" \"User Commands\"\n.SH NAME\n" + escaped(name) + " \\- " + escaped(text) +
           "\n.SH SYNOPSIS\n";
}

void add_flags(std::string& page, const std::vector<Flag>& flags, bool positional) {
    bool is_first = true;
    for (const Flag& flag : flags) {
        if (flag.is_positional != positional) continue;
        if (is_first) page += positional ? ".SH ARGUMENTS\n" : ".SH OPTIONS\n";
        is_first = false;
        page += ".TP\n" + bold(flag.name);
        if (!flag.value.empty() && flag.value != flag.name) page += " " + escaped(flag.value);
        page += "\n" + escaped(flag.text) + "\n";
    }
}

void add_exit_status(std::string& page) {
    page += ".SH EXIT STATUS\n";
    for (const ExitMeaning& meaning : exit_meanings) {
        page += ".TP\n" + bold(std::to_string(meaning.code)) + "\n" + meaning.text + "\n";
    }
}

std::string program_page(const CLI::App& program) {
    std::string page = page_head("gyre", "a C++ async runtime");
    page += bold("gyre") + " [OPTIONS] COMMAND [ARGUMENTS]\n.SH COMMANDS\n";
    for (const Command& command : commands_of(program)) {
        page += ".TP\n" + bold("gyre-" + command.name) + "(1)\n" + escaped(command.text) + "\n";
    }
    add_flags(page, flags_of(program), false);
    add_exit_status(page);
    return page;
}

std::string command_page(const Command& command) {
    std::string page = page_head("gyre-" + command.name, command.text);
    page += bold("gyre " + command.name) + " [OPTIONS]";
    for (const Flag& flag : command.flags) {
        if (flag.is_positional) page += " " + escaped(flag.usage());
    }
    page += "\n";
    add_flags(page, command.flags, true);
    add_flags(page, command.flags, false);
    add_exit_status(page);
    return page + ".SH SEE ALSO\n" + bold("gyre") + "(1)\n";
}

std::string page_of(const CLI::App& program, const std::string& name) {
    if (name.empty()) return program_page(program);
    for (const Command& command : commands_of(program)) {
        if (command.name == name) return command_page(command);
    }
    throw UsageError("there is no command '" + name + "': gyre --help lists them");
}

}  // namespace

void add_man(CLI::App& program, ExitCode& /*exit_code*/) {
    CLI::App* command =
        program.add_subcommand("man", "Print a manual page, for `man -l` or an installation");
    const auto name = std::make_shared<std::string>();
    command->add_option("COMMAND", *name, "A command; default: the page of the program")
        ->type_name("");
    command->callback([&program, name] { std::fputs(page_of(program, *name).c_str(), stdout); });
}

}  // namespace gyre::cli
