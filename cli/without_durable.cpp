// SPDX-License-Identifier: Apache-2.0
// gyre runs and gyre run --store in a build without gyre/durable: they refuse.
#include <CLI/CLI.hpp>

#include "cli/commands.hpp"
#include "cli/run_durable.hpp"
#include "cli/usage.hpp"

namespace gyre::cli {
namespace {

constexpr const char* refusal = "this build has no databases; install libssl-dev and build again";

}  // namespace

Future<std::optional<effect::RunOutcome<effect::Value>>> run_durable(
    Executor& /*executor*/, effect::Scheduler& /*scheduler*/, const RunRequest& /*request*/,
    DurableProgram /*program*/) {
    throw UsageError(refusal);
}

void add_runs(CLI::App& program, ExitCode& /*exit_code*/) {
    CLI::App* command = program.add_subcommand("runs", "Not in this build: it has no databases");
    command->allow_extras();
    command->callback([] { throw UsageError(refusal); });
}

}  // namespace gyre::cli
