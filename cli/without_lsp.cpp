// SPDX-License-Identifier: Apache-2.0
// In place of gyre lsp in a build without nlohmann-json.
#include <CLI/CLI.hpp>

#include "cli/commands.hpp"
#include "cli/usage.hpp"

namespace gyre::cli {

void add_lsp(CLI::App& program, ExitCode& /*exit_code*/) {
    CLI::App* command =
        program.add_subcommand("lsp", "Serve an editor: the language server of Vela, over stdio");
    command->callback([] {
        throw UsageError(
            "this gyre was built without nlohmann-json, which the language server needs");
    });
}

}  // namespace gyre::cli
