// SPDX-License-Identifier: Apache-2.0
#include "lang/wasm/program.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include <nlohmann/json.hpp>

#include "gyre/base/assert.hpp"
#include "gyre/base/detail/json_depth.hpp"
#include "lang/wasm/internal/effect_table.hpp"
#include "lang/wasm/internal/schema.hpp"
#include "lang/wasm/internal/sections.hpp"

namespace gyre::wasm {
namespace {

using Json = nlohmann::json;

constexpr std::string_view table_section = "__voyd_effect_table";
constexpr std::string_view export_section = "voyd.export_abi";
constexpr std::string_view effect_section = "voyd.effect_abi";
constexpr std::string_view external_section = "voyd.external_requirements";
constexpr std::string_view task_effect = "voyd.std.task.runtime";
constexpr std::size_t section_size_max = std::size_t{16} << 20u;
constexpr std::size_t section_depth_max = 200;

Json parse(std::string_view section, std::string_view name) {
    if (section.size() > section_size_max) {
        throw CompileError("section " + std::string(name) + " is beyond section_size_max");
    }
    if (json_depth(section) > section_depth_max) {
        throw CompileError("section " + std::string(name) + " is nested too deeply");
    }
    try {
        return Json::parse(section);
    } catch (const Json::exception& error) {
        throw CompileError("section " + std::string(name) + ": " + error.what());
    }
}

std::vector<std::shared_ptr<const Schema>> read_all(const Json& list) {
    std::vector<std::shared_ptr<const Schema>> all;
    for (const Json& one : list) all.push_back(Schema::read(one));
    return all;
}

bool is_at(const Json& json, const char* key, int wanted) {
    return json.contains(key) && json[key].is_number_integer() && json[key] == wanted;
}

std::string joined(const std::vector<std::string>& parts) {
    std::string out;
    for (const std::string& part : parts) out += (out.empty() ? "" : ", ") + part;
    return out;
}

// Exports that the host calls for itself.
bool is_of_protocol(std::string_view name) noexcept {
    constexpr std::array names = {"init_effects",    "handle_outcome", "resume_continuation",
                                  "end_request_raw", "effect_status",  "effect_cont",
                                  "effect_len"};
    return name.starts_with("__voyd_") || std::ranges::find(names, name) != names.end();
}

const char* cell_name(CellKind kind) noexcept {
    constexpr std::array names = {"i32", "i64", "f32", "f64", "ref", "other"};
    return names[static_cast<std::size_t>(kind) % names.size()];
}

}  // namespace

const char* name_of(Generation generation) noexcept {
    constexpr std::array names = {"plain WebAssembly", "Voyd, generation A", "Voyd, generation B"};
    return names[static_cast<std::size_t>(generation) % names.size()];
}

std::string ExportedFunction::to_text() const {
    std::vector<std::string> types;
    std::string gives = "?";
    if (kind == Kind::direct) {
        for (const CellKind one : param_kinds) types.emplace_back(cell_name(one));
        std::vector<std::string> results;
        for (const CellKind one : result_kinds) results.emplace_back(cell_name(one));
        gives = results.empty() ? "void" : joined(results);
    } else {
        for (const auto& one : params) types.push_back(one->to_text());
        if (!has_types) types.emplace_back("?");
        if (result != nullptr) gives = result->to_text();
    }
    return name + "(" + joined(types) + ") -> " + gives;
}

std::string ExternalFunction::to_text() const {
    std::vector<std::string> types;
    for (const auto& one : params) types.push_back(one->to_text());
    return key() + "(" + joined(types) + ") -> " + result->to_text();
}

struct Program::State {
    EffectTable table;
    std::map<std::string, ExportedFunction> known;  // by the ABI section
    std::map<std::string, std::shared_ptr<const Schema>, std::less<>> task_results;
};

Program::Program(std::shared_ptr<Module> module)
    : module_(std::move(module)), state_(std::make_unique<State>()) {}
Program::~Program() = default;

std::shared_ptr<const Program> Program::read(std::shared_ptr<Module> module) {
    GYRE_ASSERT(module != nullptr, "a program is read from a module");
    std::shared_ptr<Program> program(new Program(std::move(module)));
    const std::string_view bytes = program->module_->bytes();
    const auto table = find_section(bytes, table_section);
    if (table) {
        program->generation_ = Generation::first;
        program->state_->table = read_effect_table(*table);
    }
    try {
        if (const auto exports = find_section(bytes, export_section)) {
            program->read_export_abi(*exports);
        }
        program->read_ops();
        if (const auto effects = find_section(bytes, effect_section)) {
            program->read_effect_abi(*effects);
        }
        if (const auto externals = find_section(bytes, external_section)) {
            program->read_externals(*externals);
        }
    } catch (const Json::exception& error) {
        // A field of another type than it must have.
        throw CompileError(std::string("an ABI section of the module is malformed: ") +
                           error.what());
    }
    program->find_functions();
    return program;
}

void Program::read_ops() {
    for (const EffectOp& op : state_->table.ops) {
        effect::OpInfo info(op.effect, op.name, op.kind, op.signature);
        info.label = op.label;
        op_infos_.push_back(info);
    }
    op_types_.resize(op_infos_.size());
}

// A section without a host ABI is of the first generation; one with another than 2 is of none.
void Program::read_export_abi(std::string_view section) {
    const Json json = parse(section, export_section);
    if (!json.is_object()) return;
    if (!json.contains("hostAbi")) {
        read_first_exports(section);
        return;
    }
    if (!is_at(json, "hostAbi", 2)) {
        throw CompileError("the module has host ABI " + json["hostAbi"].dump() + ": 2 is known");
    }
    if (!json.contains("dtoSchemaAbi") || !json.contains("transport")) {
        throw CompileError("Voyd module is missing host transport metadata");
    }
    if (!is_at(json, "dtoSchemaAbi", 1)) {
        throw CompileError("the module has DTO schema ABI " + json["dtoSchemaAbi"].dump() +
                           ": 1 is known");
    }
    const Json& transport = json["transport"];
    if (!transport.is_object() || transport.value("id", "") != "voyd.std.msgpack" ||
        !is_at(transport, "version", 1)) {
        throw CompileError("the module has the transport " + transport.dump() +
                           ": voyd.std.msgpack 1 is known");
    }
    generation_ = Generation::second;
    if (json.contains("exports")) {
        for (const Json& one : json["exports"]) {
            ExportedFunction function;
            function.name = one.value("name", "");
            function.id = static_cast<std::uint32_t>(one.value("id", std::int64_t{0}));
            function.kind = one.value("abi", "") == "serialized"
                                ? ExportedFunction::Kind::serialized
                                : ExportedFunction::Kind::direct;
            function.target = one.value("wrapperName", function.name);
            function.has_types = one.contains("params");
            if (function.has_types) function.params = read_all(one["params"]);
            if (one.contains("result")) function.result = Schema::read(one["result"]);
            state_->known[function.name] = std::move(function);
        }
    }
    if (json.contains("taskCompletions")) {
        for (const Json& one : json["taskCompletions"]) {
            if (!one.is_object() || !one.contains("result")) continue;
            state_->task_results[one.value("name", "")] = Schema::read(one["result"]);
        }
    }
    if (json.contains("callbacks")) {
        for (const Json& one : json["callbacks"]) {
            CallbackType& type = callbacks_.emplace_back();
            type.name = one.value("name", "");
            if (one.contains("params")) type.params = read_all(one["params"]);
            if (one.contains("result")) type.result = Schema::read(one["result"]);
        }
    }
}

// The first generation names the functions that are called with their arguments as one MessagePack list.
void Program::read_first_exports(std::string_view section) {
    const Json json = parse(section, export_section);
    if (generation_ != Generation::first || !json.contains("exports")) return;
    for (const Json& one : json["exports"]) {
        if (!one.is_object() || one.value("abi", "") != "serialized") continue;
        const std::string format = one.value("formatId", "");
        if (format != "msgpack") {
            throw CompileError("unsupported serializer format " + format);
        }
        ExportedFunction function;
        function.name = one.value("name", "");
        function.target = function.name;
        function.kind = ExportedFunction::Kind::serialized;
        state_->known[function.name] = std::move(function);
    }
}

void Program::read_externals(std::string_view section) {
    const Json json = parse(section, external_section);
    const bool has_functions = json.is_object() && json.contains("functions") &&
                               json["functions"].is_array() && !json["functions"].empty();
    if (!has_functions) return;
    if (!is_at(json, "version", 1)) {
        throw CompileError("section voyd.external_requirements has another version than 1");
    }
    for (const Json& one : json["functions"]) {
        ExternalFunction& function = externals_.emplace_back();
        function.interface_id = one.value("interfaceId", "");
        function.name = one.value("functionName", "");
        function.is_async = one.value("kind", "") == "async";
        if (one.contains("params")) function.params = read_all(one["params"]);
        if (!one.contains("result")) {
            throw CompileError("the external function " + function.key() + " has no result");
        }
        function.result = Schema::read(one["result"]);
    }
}

void Program::read_effect_abi(std::string_view section) {
    const Json json = parse(section, effect_section);
    if (!json.is_object() || !is_at(json, "version", 1)) {
        throw CompileError("section voyd.effect_abi has another version than 1");
    }
    if (!json.contains("ops")) return;
    for (const Json& one : json["ops"]) {
        const auto at = one.value("opIndex", std::uint64_t{UINT64_MAX});
        if (at >= op_types_.size()) {
            throw CompileError("section voyd.effect_abi names an op that the effect table lacks");
        }
        OpTypes& types = op_types_[at];
        types.is_known = true;
        if (one.contains("params")) types.params = read_all(one["params"]);
        if (one.contains("result")) types.result = Schema::read(one["result"]);
        if (types.params.size() < effect::OpInfo::any_count) {
            op_infos_[at].param_count = static_cast<std::uint8_t>(types.params.size());
        }
    }
}

void Program::find_functions() {
    constexpr std::string_view suffix = "_effectful";
    constexpr std::string_view raw_suffix = "_effectful_raw";
    const auto find_export = [this](const std::string& name) -> const Item* {
        for (const Item& item : module_->exports()) {
            if (item.kind == ItemKind::function && item.name == name) return &item;
        }
        return nullptr;
    };
    has_raw_path_ = generation_ == Generation::second && find_export("handle_outcome") != nullptr &&
                    find_export("resume_effectful_raw") != nullptr;
    for (const Item& item : module_->exports()) {
        if (item.kind != ItemKind::function || item.name.ends_with(suffix) ||
            item.name.ends_with(raw_suffix)) {
            continue;
        }
        if (generation_ != Generation::plain && is_of_protocol(item.name)) continue;
        ExportedFunction function;
        if (const auto known = state_->known.find(item.name); known != state_->known.end()) {
            function = known->second;
        } else {
            function.name = item.name;
            function.target = item.name;
        }
        function.param_kinds = item.params;
        function.result_kinds = item.results;
        const std::string raw = item.name + std::string(raw_suffix);
        const std::string framed = item.name + std::string(suffix);
        if (has_raw_path_ && find_export(raw) != nullptr) {
            function.kind = ExportedFunction::Kind::effectful;
            function.target = raw;
            function.is_raw = true;
        } else if (generation_ != Generation::plain && find_export(framed) != nullptr &&
                   item.name != "resume") {  // resume_effectful is of the protocol
            function.kind = ExportedFunction::Kind::effectful;
            function.target = framed;
        }
        functions_.push_back(std::move(function));
    }
}

const ExportedFunction* Program::find(std::string_view name) const noexcept {
    const auto found = std::ranges::find(functions_, name, &ExportedFunction::name);
    return found == functions_.end() ? nullptr : &*found;
}

const ExternalFunction* Program::external(std::string_view key) const noexcept {
    for (const ExternalFunction& one : externals_) {
        const bool is_it = key.size() == one.interface_id.size() + 2 + one.name.size() &&
                           key.starts_with(one.interface_id) && key.ends_with(one.name) &&
                           key.substr(one.interface_id.size(), 2) == "::";
        if (is_it && !one.is_async) return &one;
    }
    return nullptr;
}

const CallbackType* Program::callback(std::string_view name) const noexcept {
    const auto found = std::ranges::find(callbacks_, name, &CallbackType::name);
    return found == callbacks_.end() ? nullptr : &*found;
}

const EffectOp& Program::entry(std::size_t op_index) const noexcept {
    GYRE_ASSERT(op_index < state_->table.ops.size(), "the effect table has %zu ops",
                state_->table.ops.size());
    return state_->table.ops[op_index];
}

const Schema* Program::task_result(std::string_view starter) const noexcept {
    const auto found = state_->task_results.find(starter);
    return found == state_->task_results.end() ? nullptr : found->second.get();
}

bool Program::is_task_op(std::size_t op_index) const noexcept {
    return entry(op_index).effect == task_effect;
}

}  // namespace gyre::wasm
