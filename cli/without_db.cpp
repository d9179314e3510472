// SPDX-License-Identifier: Apache-2.0
// In a build without gyre/bridge/db_tls gyre sql refuses, Vela has no system:db, and scripts have no gyre:db.
#include <CLI/CLI.hpp>

#include "cli/commands.hpp"
#include "cli/script_db.hpp"
#include "cli/usage.hpp"
#include "cli/vela_host.hpp"

namespace gyre::cli {

void add_sql(CLI::App& program, ExitCode& /*exit_code*/) {
    CLI::App* command = program.add_subcommand("sql", "Not in this build: it has no databases");
    command->allow_extras();
    command->callback([] {
        throw UsageError("this build has no databases; install libssl-dev and build again");
    });
}

const vela::vm::NativeLibrary* vela_db_library() {
    return nullptr;
}

std::shared_ptr<void> add_script_db(script::Script& /*script*/, script::World& /*world*/) {
    return nullptr;
}

}  // namespace gyre::cli
