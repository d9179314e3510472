// SPDX-License-Identifier: Apache-2.0
// The program as a whole: the shapes of its classes, its globals, and each of its functions.
#include <algorithm>

#include "lang/vela/run/internal/assembler.hpp"
#include "lang/vela/run/internal/function_assembler.hpp"

namespace gyre::vela::vm {

Rep rep_of(const Type* type, const Builtins& types) {
    if (type == nullptr) return Rep::word;
    if (Types::is(type, types.number)) return Rep::number;
    if (Types::is(type, types.real)) return Rep::real;
    if (Types::is(type, types.boolean)) return Rep::boolean;
    return Rep::word;
}

std::vector<const TypeInfo*> line_of(const TypeInfo* type) {
    std::vector<const TypeInfo*> line;
    while (type != nullptr) {
        line.push_back(type);
        type = type->base == nullptr ? nullptr : known(type->base)->info;
    }
    std::reverse(line.begin(), line.end());
    return line;
}

namespace {

void add_shape(Assembled& made, const TypeInfo& type, const Builtins& types) {
    auto shape = std::make_unique<Shape>();
    shape->type = &type;
    shape->is_struct = type.kind == DeclKind::structure;
    for (const TypeInfo* at : line_of(&type)) {
        if (at == types.error || at == types.cancelled) shape->is_error = true;
        if (at->is_standard) shape->has_standard_fields = true;
        for (const FieldInfo& field : at->fields) {
            const Rep rep = rep_of(field.type, types);
            made.places[&field] = {static_cast<std::uint16_t>(shape->fields.size()), rep};
            shape->fields.push_back(&field);
            shape->reps.push_back(rep);
        }
    }
    made.shapes[&type] = std::move(shape);
}

void add_overridden(Assembled& made, const TypeInfo& type) {
    for (const TypeInfo* above : line_of(&type)) {
        if (above == &type) continue;
        for (const FunctionInfo* method : above->methods) {
            const auto has_name = [&](const FunctionInfo* own) {
                return own->name.text == method->name.text;
            };
            if (std::any_of(type.methods.begin(), type.methods.end(), has_name)) {
                made.overridden.insert(method);
            }
        }
    }
}

bool has_instances(const TypeInfo& type) {
    return type.kind == DeclKind::structure || type.kind == DeclKind::klass ||
           type.kind == DeclKind::actor;
}

void add_globals(Assembled& made, const Module& module) {
    for (const auto& [name, symbol] : module.declared) {
        if (symbol.kind != SymbolKind::variable || made.globals.contains(&symbol)) continue;
        made.globals[&symbol] = static_cast<std::uint32_t>(made.global_symbols.size());
        made.global_symbols.push_back(&symbol);
    }
}

const FunctionInfo* handler_of(const TypeInfo& actor) {
    for (const std::string_view name : {"handleMessage", "receive"}) {
        for (const FunctionInfo* method : actor.methods) {
            if (method->name.text == name) return method;
        }
    }
    return nullptr;
}

}  // namespace

std::expected<void, std::string> assemble_more(Assembled& made, Linker& linker) {
    const Lowered& lowered = *made.lowered;
    const Program& program = *lowered.program;
    const Builtins& types = program.types.builtins;
    for (const TypeInfo& type : program.infos) {
        if (!has_instances(type) || made.shapes.contains(&type)) continue;
        add_shape(made, type, types);
        add_overridden(made, type);
    }
    add_globals(made, program.standard);
    for (const Module* module : program.order) add_globals(made, *module);
    std::vector<const Code*> added;
    for (const Code& code : lowered.codes) {
        auto& function = made.functions[&code];
        if (function != nullptr) continue;
        function = std::make_unique<Function>();
        function->code = &code;
        added.push_back(&code);
    }
    for (const Code* code : added) prepare(*made.functions.at(code), *code, types);
    for (const Code* code : added) {
        FunctionAssembler assembler(made, *made.functions.at(code), types, linker);
        if (!assembler.run()) {
            return std::unexpected(code->name + " needs more than " +
                                   std::to_string(register_count_max) +
                                   " registers, or more than 65535 operands for an instruction: "
                                   "split the function");
        }
    }
    for (auto& [type, shape] : made.shapes) {
        if (type->kind != DeclKind::actor) continue;
        const FunctionInfo* handler = handler_of(*type);
        if (handler == nullptr) continue;
        const auto code = lowered.functions.find(handler);
        if (code != lowered.functions.end()) shape->handler = made.function_of(code->second);
    }
    return {};
}

std::expected<std::unique_ptr<Assembled>, std::string> assemble(const Lowered& lowered,
                                                                Linker& linker) {
    auto made = std::make_unique<Assembled>();
    made->lowered = &lowered;
    if (auto result = assemble_more(*made, linker); !result) {
        return std::unexpected(result.error());
    }
    return made;
}

}  // namespace gyre::vela::vm
