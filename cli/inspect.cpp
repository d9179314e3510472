// SPDX-License-Identifier: Apache-2.0
// gyre inspect: what a WebAssembly module says of itself: its functions, its effects, what it asks of its host.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <set>

#include "cli/commands.hpp"
#include "cli/usage.hpp"
#include "cli/wasm_file.hpp"
#include "cli/wasm_network.hpp"
#include "gyre/bridge/effect_json/handler_script.hpp"
#include "lang/wasm/standard/standard.hpp"

namespace gyre::cli {
namespace {

struct InspectCommand {
    std::string file;
    std::string handlers;
};

const char* kind_text(wasm::ExportedFunction::Kind kind) noexcept {
    using Kind = wasm::ExportedFunction::Kind;
    return kind == Kind::effectful ? "effectful" : kind == Kind::serialized ? "frames" : "direct";
}

const char* handled_by(const effect::Handlers& scripted, const effect::OpInfo& op,
                       bool is_task_op) {
    if (is_task_op) return "the scheduler";
    if (scripted.find(op) != nullptr) return "the script";
    if (wasm::Standard::has(op)) {
        return wasm::Standard::needs_permission(op) ? "gyre, where --allow permits it" : "gyre";
    }
    if (is_network_op(op)) return "gyre, where --allow permits it";
    return "none";
}

ExitCode inspect(const InspectCommand& command) {
    const CachedEngine made = make_wasm_engine();
    const auto program = read_wasm(*made.engine, command.file);
    effect::Handlers scripted;
    if (!command.handlers.empty()) {
        const std::string text = read_whole_file(command.handlers, std::size_t{16} << 20u);
        if (const auto added = effect::add_handler_script(scripted, text); !added) {
            throw UsageError(command.handlers + ": " + added.error().message);
        }
    }
    std::printf("%s: %s\n", command.file.c_str(), wasm::name_of(program->generation()));
    std::printf("\nfunctions\n");
    for (const auto& function : program->functions()) {
        std::printf("  %-9s  %s\n", kind_text(function.kind), function.to_text().c_str());
    }
    if (!program->module().imports().empty()) std::printf("\nimports\n");
    for (const wasm::Item& item : program->module().imports()) {
        std::printf("  %s.%s\n", item.module.c_str(), item.name.c_str());
    }
    if (!program->externals().empty()) std::printf("\nexternal functions\n");
    for (const wasm::ExternalFunction& function : program->externals()) {
        const effect::OpInfo named(function.interface_id, function.name, effect::ResumeKind::tail);
        const char* by = scripted.find(named) != nullptr ? "the script" : "none";
        std::printf("  %-5s  %s  handler: %s\n", function.is_async ? "async" : "sync",
                    function.to_text().c_str(), by);
    }
    if (!program->ops().empty())
        std::printf("\neffects (a module may list ops that it never performs)\n");
    for (std::size_t i = 0; i < program->ops().size(); ++i) {
        const effect::OpInfo& op = program->ops()[i];
        std::printf("  %s::%s  %s  0x%08x  handler: %s\n", std::string(op.effect).c_str(),
                    std::string(op.op).c_str(), effect::name_of(op.kind), op.signature,
                    handled_by(scripted, op, program->is_task_op(i)));
    }
    return ExitCode::fine;
}

}  // namespace

void add_inspect(CLI::App& program, ExitCode& exit_code) {
    const auto options = std::make_shared<InspectCommand>();
    CLI::App* command = program.add_subcommand(
        "inspect", "Show the functions, effects and imports of a WebAssembly module");
    command->add_option("FILE", options->file, "A module: FILE.wasm or FILE.wat")
        ->required()
        ->type_name("");
    command->add_option("--handlers", options->handlers, "Show which ops a script answers")
        ->type_name("FILE");
    command->callback([options, &exit_code] { exit_code = inspect(*options); });
}

}  // namespace gyre::cli
