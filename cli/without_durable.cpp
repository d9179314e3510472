// SPDX-License-Identifier: Apache-2.0
// gyre runs in a build without gyre/durable: it refuses.
#include <CLI/CLI.hpp>

#include "cli/commands.hpp"
#include "cli/usage.hpp"

namespace gyre::cli {

void add_runs(CLI::App& program, ExitCode& /*exit_code*/) {
    CLI::App* command = program.add_subcommand("runs", "Not in this build: it has no databases");
    command->allow_extras();
    command->callback([] {
        throw UsageError("this build has no databases; install libssl-dev and build again");
    });
}

}  // namespace gyre::cli
