// SPDX-License-Identifier: Apache-2.0
// gyre serve and gyre fetch in a build without gyre/http: both refuse. Vela has no system:http, WebAssembly modules have no
// HTTP effects, scripts no fetch.
#include <CLI/CLI.hpp>

#include "cli/commands.hpp"
#include "cli/script_http.hpp"
#include "cli/usage.hpp"
#include "cli/vela_host.hpp"
#include "cli/wasm_network.hpp"

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

std::unique_ptr<WasmNetwork> make_wasm_network(const std::vector<std::string>& /*allowed*/) {
    return nullptr;
}

bool is_network_op(const effect::OpInfo& /*op*/) noexcept {
    return false;
}

std::shared_ptr<void> add_script_http(script::Script& /*script*/, script::World& /*world*/,
                                      bool /*has_virtual_clock*/) {
    return nullptr;
}

const vela::vm::NativeLibrary* vela_http_library() {
    return nullptr;
}

}  // namespace gyre::cli
