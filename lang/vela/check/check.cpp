// SPDX-License-Identifier: Apache-2.0
#include "lang/vela/check/check.hpp"

#include "lang/vela/check/internal/checker.hpp"
#include "lang/vela/check/internal/loader.hpp"
#include "lang/vela/check/internal/repeated_check.hpp"

namespace gyre::vela {
namespace internal {

// Makes the names of the imported files visible.
void bind_imports(Program& program, Module& module, const Loader& loader,
                  Declarations& declarations) {
    for (const Decl* decl : module.tree.declarations) {
        if (decl->kind != DeclKind::import) continue;
        const auto& node = as<ImportDecl>(*decl);
        const Module* target = loader.target(module, node);
        if (target == nullptr) continue;
        declarations.note_use(module, node.path.span, target, {});
        for (const Name& name : node.names) {
            const auto found = target->declared.find(name.text);
            const bool is_there = found != target->declared.end() && !found->second.is_private;
            if (is_there) {
                declarations.note_use(module, name.span, target, found->second.name.span);
                continue;
            }
            program.diagnostics.error("E0307", *module.source, name.span,
                                      concat("unknown name `", name.text, "`: ", node.path.text,
                                             " declares none, or keeps it private"));
        }
        if (!node.alias.text.empty()) {
            Symbol& alias = module.aliases.emplace_back();
            alias.kind = SymbolKind::module;
            alias.name = node.alias;
            alias.target = target;
            module.imported[node.alias.text] = &alias;
            continue;
        }
        for (const auto& [name, symbol] : target->declared) {
            const bool is_named =
                std::any_of(node.names.begin(), node.names.end(),
                            [&](const Name& n) { return n.text == symbol.name.text; });
            const bool is_wanted = node.names.empty() || is_named != node.is_hiding;
            if (!symbol.is_private && is_wanted) module.imported[name] = &symbol;
        }
    }
}

void declare(Declarations& declarations, Module& module) {
    declarations.declare_names(module);
    if (module.is_standard) declarations.bind_builtins();
    declarations.declare_types(module);
    declarations.declare_members(module);
}

}  // namespace internal

std::vector<std::string_view> system_module_names() {
    std::vector<std::string_view> names;
    for (const SystemModule& system : all_system_modules()) names.push_back(system.name);
    return names;
}

namespace internal {

void add_standard(Program& program) {
    const CheckOptions plain;
    Declarations declarations(program);
    Checker checker(program, declarations, plain);
    Module& standard = program.standard;
    standard.is_standard = true;
    standard.source = std::make_unique<Source>("", std::string(standard_text));
    standard.tree = parse(*standard.source, program.diagnostics);
    declare(declarations, standard);
    checker.check_module(standard);
}

void add_file(Program& program, const std::string& path, std::string text, SourceFiles& files,
              const CheckOptions& options) {
    Declarations declarations(program);
    Checker checker(program, declarations, options);
    if (options.is_for_editor) program.editor = std::make_unique<EditorFacts>();
    declarations.asked = options.asked;

    Loader loader(program, files, options.limits);
    loader.load(std::filesystem::path(path).lexically_normal().string(), path, std::move(text));
    // A program with syntax errors is not type-checked: most errors would be consequences.
    if (program.diagnostics.has_errors() && !options.is_for_editor) return;
    program.order = loader.order();
    for (Module* module : program.order) {
        bind_imports(program, *module, loader, declarations);
        declare(declarations, *module);
        checker.check_module(*module);
    }
    checker.check_isolation();
}

const Program& RepeatedCheck::check(const std::string& path, std::string text, SourceFiles& files,
                                    const CheckOptions& options) {
    if (program_ == nullptr || ++check_count_ == checks_per_program) {
        program_ = std::make_unique<Program>();
        add_standard(*program_);
        info_count_ = program_->infos.size();
        function_count_ = program_->functions.size();
        check_count_ = 0;
    }
    Program& program = *program_;
    program.order.clear();
    program.modules.clear();
    program.editor.reset();
    program.diagnostics = {};
    while (program.infos.size() > info_count_) program.infos.pop_back();
    while (program.functions.size() > function_count_) program.functions.pop_back();
    add_file(program, path, std::move(text), files, options);
    return program;
}

}  // namespace internal

std::unique_ptr<Program> check(const std::string& path, std::string text, SourceFiles& files,
                               const CheckOptions& options) {
    auto program = std::make_unique<Program>();
    internal::add_standard(*program);
    internal::add_file(*program, path, std::move(text), files, options);
    return program;
}

}  // namespace gyre::vela
