// SPDX-License-Identifier: Apache-2.0
// gyre run FILE.wasm and gyre inspect in a build without lang/wasm/wasmtime: both refuse.
#include <CLI/CLI.hpp>

#include "cli/commands.hpp"
#include "cli/conform_engines.hpp"
#include "cli/run.hpp"
#include "cli/tour/stage.hpp"
#include "cli/usage.hpp"
#include "cli/wasm_line.hpp"

namespace gyre::cli {
namespace {

constexpr const char* text =
    "this build has no WebAssembly engine; run ./dev setup engines and build again";

}  // namespace

std::string wasm_engine_line() {
    return "none: ./dev setup engines, and build again";
}

ExitCode run_wasm(const RunRequest& /*request*/) {
    throw UsageError(text);
}

conform::Results conform_wasm(const std::vector<std::string>& /*platforms*/) {
    throw UsageError(text);
}

bool show_wasm(const Stage& stage) {
    stage.page.say("This build has no WebAssembly engine, so there is nothing to show.");
    return true;
}

void add_inspect(CLI::App& program, ExitCode& /*exit_code*/) {
    CLI::App* command =
        program.add_subcommand("inspect", "Not in this build: it has no WebAssembly engine");
    command->allow_extras();
    command->callback([] { throw UsageError(text); });
}

}  // namespace gyre::cli
