// SPDX-License-Identifier: Apache-2.0
// gyre version: the version, and what the program was built with.
#include <CLI/CLI.hpp>
#include <cstdio>

#include "cli/build.hpp"
#include "cli/commands.hpp"
#include "cli/script_engines.hpp"
#include "cli/wasm_line.hpp"

namespace gyre::cli {

void add_version(CLI::App& program, ExitCode& /*exit_code*/) {
    CLI::App* command = program.add_subcommand("version", "Print the version of gyre");
    command->callback([] {
        std::printf("%s\n", build_line().c_str());
        std::printf("WebAssembly: %s\n", wasm_engine_line().c_str());
        std::printf("JavaScript: %s\n", script_engine_line().c_str());
    });
}

}  // namespace gyre::cli
