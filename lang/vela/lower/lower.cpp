// SPDX-License-Identifier: Apache-2.0
#include "lang/vela/lower/lower.hpp"

#include "gyre/base/assert.hpp"
#include "lang/vela/lower/internal/lowering.hpp"
#include "lang/vela/syntax/diagnostic.hpp"

namespace gyre::vela {
namespace internal {

Code& Session::make_code(std::string name, const Module& module, CodeKind kind,
                         const Type* result) {
    Code& code = lowered.codes.emplace_back();
    code.name = std::move(name);
    code.module = &module;
    code.kind = kind;
    code.result = known(result);
    return code;
}

Code& Session::code_of(const FunctionInfo& function) {
    if (const auto found = lowered.functions.find(&function); found != lowered.functions.end()) {
        return *found->second;
    }
    const FunctionDecl& node = *function.node;
    const std::string_view own =
        node.kind == DeclKind::constructor ? std::string_view("constructor") : function.name.text;
    const CodeKind kind = !node.is_async               ? CodeKind::plain
                          : function.yields != nullptr ? CodeKind::generator
                                                       : CodeKind::async;
    const bool is_constructor = node.kind == DeclKind::constructor;
    Code& code = make_code(
        function.owner == nullptr ? std::string(own) : concat(function.owner->name.text, ".", own),
        *function.module, kind, is_constructor ? program.types.nothing() : function.body_result);
    code.function = &function;
    code.yields = function.yields;
    code.place = node.span;
    lowered.functions[&function] = &code;
    return code;
}

Code& Session::fields_of(const TypeInfo& info) {
    if (const auto found = lowered.fields.find(&info); found != lowered.fields.end()) {
        return *found->second;
    }
    Code& code = make_code(concat(info.name.text, ".fields"), *info.module, CodeKind::plain,
                           program.types.nothing());
    code.place = info.node->span;
    lowered.fields[&info] = &code;
    return code;
}

namespace {

void lower_function(Session& session, const FunctionInfo& function) {
    if (function.node->body == nullptr) return;
    Lowering(session, session.code_of(function), *function.module, nullptr).function(function);
}

void lower_type(Session& session, const TypeInfo& info) {
    Lowering(session, session.fields_of(info), *info.module, nullptr).fields(info);
    for (const FunctionInfo* constructor : info.constructors) lower_function(session, *constructor);
    for (const FunctionInfo* method : info.methods) lower_function(session, *method);
}

void lower_module(Session& session, const Module& module) {
    auto& locals = session.locals[&module];
    locals.reserve(module.locals.size());
    for (const LocalFact& local : module.locals) locals[local.place] = &local;
    Code& globals = session.make_code("globals", module,
                                      module.is_interactive ? CodeKind::async : CodeKind::plain,
                                      session.program.types.nothing());
    Lowering(session, globals, module, nullptr).globals();
    session.lowered.globals.push_back(&globals);
    if (module.is_standard) return;
    for (const Decl* node : module.tree.declarations) {
        const auto found = module.declared.find(node->name.text);
        if (found == module.declared.end()) continue;
        const Symbol& symbol = found->second;
        if (node->kind == DeclKind::function && symbol.function != nullptr &&
            symbol.function->node == node) {
            lower_function(session, *symbol.function);
        }
        const bool is_type = symbol.info != nullptr && symbol.info->node == node &&
                             (node->kind == DeclKind::structure || node->kind == DeclKind::klass ||
                              node->kind == DeclKind::actor);
        if (is_type) lower_type(session, *symbol.info);
    }
}

}  // namespace
}  // namespace internal

void lower_more(Lowered& lowered, std::size_t first_module) {
    auto& program = const_cast<Program&>(*lowered.program);
    GYRE_ASSERT(!program.diagnostics.has_errors(), "only what was checked and is right is lowered");
    internal::Session session{program, lowered, {}};
    for (std::size_t i = first_module; i < program.order.size(); ++i) {
        internal::lower_module(session, *program.order[i]);
    }
}

std::unique_ptr<Lowered> lower(Program& program) {
    GYRE_ASSERT(!program.diagnostics.has_errors(), "only what was checked and is right is lowered");
    auto lowered = std::make_unique<Lowered>();
    lowered->program = &program;
    internal::Session session{program, *lowered, {}};
    internal::lower_module(session, program.standard);
    for (const Module* module : program.order) internal::lower_module(session, *module);
    if (program.order.empty()) return lowered;
    const auto& declared = program.order.back()->declared;
    const auto found = declared.find("main");
    if (found != declared.end() && found->second.function != nullptr) {
        const auto code = lowered->functions.find(found->second.function);
        if (code != lowered->functions.end()) lowered->main = code->second;
    }
    return lowered;
}

}  // namespace gyre::vela
