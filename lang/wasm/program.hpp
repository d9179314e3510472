// SPDX-License-Identifier: Apache-2.0
// Program: what a module says of itself: the generation of its host protocol, its functions, the effects that it
// may perform, and the functions that it wants of its host.
//
//     std::shared_ptr<const Program> program = Program::read(engine->compile(bytes));  // throws CompileError
//     for (const OpInfo& op : program->ops()) puts(op.name().c_str());
//
// Thread: any, after it was read.
// Lifetime: shared; guests keep it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gyre/effect/effect_op.hpp"
#include "lang/wasm/engine.hpp"

namespace gyre::wasm {

class Schema;
struct EffectOp;

// `plain` performs no effects; the others are wire generations of the Voyd host protocol.
enum class Generation : std::uint8_t { plain, first, second };
[[nodiscard]] const char* name_of(Generation generation) noexcept;

// An exported function.
struct ExportedFunction {
    enum class Kind : std::uint8_t {
        direct,      // called with WebAssembly's own types
        serialized,  // called with frames, performs no effect
        effectful,
    };
    std::string name;
    Kind kind = Kind::direct;
    std::string target;   // the export that is called
    bool is_raw = false;  // `target` returns an outcome that is encoded by another call
    std::uint32_t id = 0;
    bool has_types = false;  // whether `params` and `result` are known
    std::vector<std::shared_ptr<const Schema>> params;
    std::shared_ptr<const Schema> result;  // null: not known
    std::vector<CellKind> param_kinds;     // of a direct one
    std::vector<CellKind> result_kinds;

    // `add(i32, i32) -> i32`
    [[nodiscard]] std::string to_text() const;
};

// The types of an op. Empty where the module does not tell them.
struct OpTypes {
    bool is_known = false;
    std::vector<std::shared_ptr<const Schema>> params;
    std::shared_ptr<const Schema> result;
};

// A function of another package that the module needs.
struct ExternalFunction {
    std::string interface_id;
    std::string name;
    // An async one is an effect whose id is the interface: a handler answers it.
    bool is_async = false;
    std::vector<std::shared_ptr<const Schema>> params;
    std::shared_ptr<const Schema> result;

    // `interface::function`
    [[nodiscard]] std::string key() const { return interface_id + "::" + name; }
    // `interface::function(i32) -> i32`
    [[nodiscard]] std::string to_text() const;
};

// The types of a callback that the module may retain.
struct CallbackType {
    std::string name;
    std::vector<std::shared_ptr<const Schema>> params;
    std::shared_ptr<const Schema> result;  // null: not known
};

class Program {
public:
    [[nodiscard]] static std::shared_ptr<const Program> read(std::shared_ptr<Module> module);
    ~Program();
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    [[nodiscard]] Module& module() const noexcept { return *module_; }
    [[nodiscard]] Generation generation() const noexcept { return generation_; }
    [[nodiscard]] const std::vector<ExportedFunction>& functions() const noexcept {
        return functions_;
    }
    // Null: the module exports no such function.
    [[nodiscard]] const ExportedFunction* find(std::string_view name) const noexcept;

    // The ops of the effect table, in its order.
    [[nodiscard]] std::span<const effect::OpInfo> ops() const noexcept { return op_infos_; }
    [[nodiscard]] const EffectOp& entry(std::size_t op_index) const noexcept;
    [[nodiscard]] const OpTypes& types(std::size_t op_index) const noexcept {
        return op_types_[op_index];
    }
    [[nodiscard]] const std::vector<ExternalFunction>& externals() const noexcept {
        return externals_;
    }
    // One that returns at once, by its key; null: the module needs none of that name.
    [[nodiscard]] const ExternalFunction* external(std::string_view key) const noexcept;
    // Null: the module describes no such callback.
    [[nodiscard]] const CallbackType* callback(std::string_view name) const noexcept;
    [[nodiscard]] bool has_callbacks() const noexcept { return !callbacks_.empty(); }
    // Whether the module can run on the path whose outcomes are encoded by a call of their own.
    [[nodiscard]] bool has_raw_path() const noexcept { return has_raw_path_; }
    // Of the function that starts a task; null: not known.
    [[nodiscard]] const Schema* task_result(std::string_view starter) const noexcept;
    // Whether the scheduler answers the op itself: tasks inside a run.
    [[nodiscard]] bool is_task_op(std::size_t op_index) const noexcept;

private:
    struct State;
    explicit Program(std::shared_ptr<Module> module);
    void read_ops();
    void read_export_abi(std::string_view section);
    void read_first_exports(std::string_view section);
    void read_effect_abi(std::string_view section);
    void read_externals(std::string_view section);
    void find_functions();

    std::shared_ptr<Module> module_;
    Generation generation_ = Generation::plain;
    std::vector<ExportedFunction> functions_;
    std::vector<effect::OpInfo> op_infos_;
    std::vector<OpTypes> op_types_;
    std::vector<ExternalFunction> externals_;
    std::vector<CallbackType> callbacks_;
    bool has_raw_path_ = false;
    std::unique_ptr<State> state_;
};

}  // namespace gyre::wasm
