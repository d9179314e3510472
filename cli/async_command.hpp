// SPDX-License-Identifier: Apache-2.0
// AsyncCommand: the task of a command. A cancel, as of Ctrl-C, is told in one line. What the task throws is a
// failure of the command, which main tells of, and not one of a task, which the runtime would. One thread.
//
//     AsyncCommand command("gyre fetch");
//     return command.end(run(program, [&] { return command.run(fetch()); }).exit_code());
#pragma once

#include <exception>

#include "cli/commands.hpp"
#include "gyre/task/core/future.hpp"

namespace gyre::cli {

class AsyncCommand {
public:
    explicit AsyncCommand(const char* name) noexcept : name_(name) {}

    // Awaits the work, and gives the exit status of the program.
    [[nodiscard]] Future<int> run(Future<int> work);
    // The exit status of the command; throws what the work has thrown.
    [[nodiscard]] ExitCode end(int exit_code) const;

private:
    const char* name_;
    std::exception_ptr failure_;
};

}  // namespace gyre::cli
