// SPDX-License-Identifier: Apache-2.0
#include "lang/wasm/conform/wasm_conform.hpp"

#include <memory>
#include <utility>

#include "gyre/base/assert.hpp"
#include "gyre/conform/effects.hpp"
#include "lang/wasm/conform/internal/step_module.hpp"
#include "lang/wasm/guest.hpp"

namespace gyre::wasm {
namespace {

using conform::EffectsGuest;

// The guest of one run: the module does the steps of `guest`.
class ModuleGuest final : public effect::Guest {
public:
    ModuleGuest(std::shared_ptr<const Program> program, EffectsGuest& guest)
        : guest_(guest), module_(std::move(program), options()) {}

private:
    [[nodiscard]] std::span<const effect::OpInfo> ops() const noexcept override {
        return module_.ops();
    }
    [[nodiscard]] bool is_engine() const noexcept override { return module_.is_engine(); }
    void begin_run(effect::RunId run) override { module_.begin_run(run); }
    void end_run(effect::RunId run) noexcept override { module_.end_run(run); }
    effect::Step start(std::string_view entry, effect::Arguments arguments,
                       effect::TaskHost& tasks) override {
        return module_.start(entry, std::move(arguments), tasks);
    }
    effect::Step resume(effect::Continuation at, effect::Value answer,
                        effect::TaskHost& tasks) override {
        return module_.resume(at, std::move(answer), tasks);
    }
    effect::Step end(effect::Continuation at, effect::Value value,
                     effect::TaskHost& tasks) override {
        guest_.release();
        return module_.end(at, std::move(value), tasks);
    }
    void release(effect::Continuation at) noexcept override {
        module_.release(at);
        guest_.release();
    }
    void drop(effect::Held value) noexcept override { module_.drop(value); }

    [[nodiscard]] GuestOptions options() {
        GuestOptions made;
        made.limits.is_preemptible = false;
        made.imports = [this](effect::RunId) { return imports(); };
        return made;
    }
    [[nodiscard]] std::vector<HostImport> imports() {
        std::vector<HostImport> made;
        made.push_back(
            {"conform", "start", [this](Instance&, std::span<const Cell>, std::span<Cell> results) {
                 results[0].i64 = packed(guest_.start());
             }});
        made.push_back(
            {"conform", "resume",
             [this](Instance&, std::span<const Cell> arguments, std::span<Cell> results) {
                 results[0].i64 = packed(guest_.resume(arguments[0].i32));
             }});
        return made;
    }
    [[nodiscard]] std::int64_t packed(const EffectsGuest::Step& step) const {
        std::uint8_t op = 0;
        for (std::uint8_t i = 0; i < module_.ops().size(); ++i) {
            if (module_.ops()[i].op == step.op) op = i;
        }
        return packed_step(kind_of(step.kind), op, step.number);
    }
    [[nodiscard]] static StepKind kind_of(EffectsGuest::Step::Kind kind) noexcept {
        using Kind = EffectsGuest::Step::Kind;
        switch (kind) {
            case Kind::gives:
                return StepKind::gives;
            case Kind::asks:
                return StepKind::asks;
            case Kind::lies_status:
                return StepKind::lies_status;
            case Kind::lies_op:
                return StepKind::lies_op;
            case Kind::lies_payload:
                break;
        }
        return StepKind::lies_payload;
    }

    EffectsGuest& guest_;
    WasmGuest module_;
};

const conform::Table& table_of(Generation generation) {
    static const conform::Table first{"effects", "effect runs, WebAssembly modules of generation A",
                                      conform::effect_runs().scenarios};
    static const conform::Table second{"effects",
                                       "effect runs, WebAssembly modules of generation B",
                                       conform::effect_runs().scenarios};
    return generation == Generation::first ? first : second;
}

}  // namespace

conform::Results run_effects(Engine& engine, Generation generation,
                             const std::vector<std::string>& platforms) {
    const std::shared_ptr<const Program> program =
        Program::read(engine.compile(step_module(generation)));
    GYRE_ASSERT(program->generation() == generation, "the module is of the generation asked for");
    return conform::run_gyre_effects(
        table_of(generation), platforms,
        [&program](EffectsGuest& guest) -> std::unique_ptr<effect::Guest> {
            return std::make_unique<ModuleGuest>(program, guest);
        });
}

}  // namespace gyre::wasm
