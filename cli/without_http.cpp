// SPDX-License-Identifier: Apache-2.0
// gyre serve and gyre fetch in a build without gyre/http: both refuse. Vela has no system:http.
#include <CLI/CLI.hpp>

#include "cli/commands.hpp"
#include "cli/usage.hpp"
#include "lang/vela/run/run.hpp"

namespace gyre::cli {
namespace {

void add_refusal(CLI::App& program, const char* name) {
    CLI::App* command = program.add_subcommand(name, "Not in this build: it has no HTTP");
    command->allow_extras();
    command->callback(
        [] { throw UsageError("this build has no HTTP; install node-llhttp and build again"); });
}

}  // namespace

void add_serve(CLI::App& program, ExitCode& /*exit_code*/) {
    add_refusal(program, "serve");
}

void add_fetch(CLI::App& program, ExitCode& /*exit_code*/) {
    add_refusal(program, "fetch");
}

}  // namespace gyre::cli

const gyre::vela::vm::NativeLibrary* gyre::vela::http_library() {
    return nullptr;
}
