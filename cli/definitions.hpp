// SPDX-License-Identifier: Apache-2.0
// The commands and flags of the program as data. They are defined once, where each command adds
// itself to CLI11's parser: parsing, --help, the manual pages (manual.hpp) and the completions
// (completions.hpp) all come from there. One thread.
#pragma once

#include <CLI/CLI.hpp>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace gyre::cli {

struct Flag {
    std::string name;   // "--port"; of a positional argument "DIR"
    std::string value;  // "PORT"; "epoll|uring": one of these; empty: takes no value
    std::string text;
    bool is_positional = false;
    bool is_required = false;
    bool repeats = false;

    // The words of a value that is one of several; else empty.
    [[nodiscard]] std::vector<std::string> choices() const;
    [[nodiscard]] bool is_file() const { return value == "FILE" || value == "CERT KEY"; }
    [[nodiscard]] bool is_folder() const { return value == "DIR"; }
    // "--port PORT"; "[FILE]..."
    [[nodiscard]] std::string usage() const;
};

struct Command {
    std::string name;
    std::string text;
    std::vector<Flag> flags;  // positional arguments first
};

[[nodiscard]] std::vector<Flag> flags_of(const CLI::App& command);
[[nodiscard]] std::vector<Command> commands_of(const CLI::App& program);

struct ExitMeaning {
    int code;
    const char* text;
};
inline constexpr std::array<ExitMeaning, 5> exit_meanings = {
    {{0, "fine"}, {1, "failed"}, {2, "usage error"}, {3, "deadlock"}, {4, "cancelled"}}};

// The value is one of the words.
void choose(CLI::Option& option, const std::vector<std::string>& words);
// The value is a whole number of this range; `name` stands for it in the usage.
void count(CLI::Option& option, const char* name, std::uint64_t least, std::uint64_t most);
// The value is a time in seconds, above 0.
void seconds(CLI::Option& option);

}  // namespace gyre::cli
