// SPDX-License-Identifier: Apache-2.0
// gyre serve and gyre fetch in a build without gyre/http: both refuse.
#include <CLI/CLI.hpp>
#include <cstdio>

#include "cli/commands.hpp"

namespace gyre::cli {
namespace {

void add_refusal(CLI::App& program, ExitCode& exit_code, const char* name) {
    CLI::App* command = program.add_subcommand(name, "Not in this build: it has no HTTP");
    command->allow_extras();
    command->callback([name, &exit_code] {
        std::fprintf(
            stderr, "gyre %s: this build has no HTTP; install node-llhttp and build again\n", name);
        exit_code = ExitCode::usage;
    });
}

}  // namespace

void add_serve(CLI::App& program, ExitCode& exit_code) {
    add_refusal(program, exit_code, "serve");
}

void add_fetch(CLI::App& program, ExitCode& exit_code) {
    add_refusal(program, exit_code, "fetch");
}

}  // namespace gyre::cli
