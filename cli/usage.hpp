// SPDX-License-Identifier: Apache-2.0
// A wrong command line or input: throw UsageError, and main prints "gyre COMMAND: text" in one line
// and exits with 2. One thread.
#pragma once

#include <stdexcept>
#include <string>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace gyre::cli {

// Its text says what is wrong, and what to do.
class UsageError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// "gyre serve", or "gyre" if the command line names no command.
[[nodiscard]] std::string command_name(const CLI::App& program);

// The text of a command line that cannot be parsed; a mistyped name comes with the nearest one.
[[nodiscard]] UsageError usage_error(const CLI::App& program, const CLI::ParseError& error);

}  // namespace gyre::cli
