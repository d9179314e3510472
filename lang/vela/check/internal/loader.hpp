// SPDX-License-Identifier: Apache-2.0
// Loader: reads a file and its imports, each once; in `order` imported files precede their
// importers. Lives for one check.
#pragma once

#include <algorithm>
#include <filesystem>

#include "lang/vela/check/internal/declarations.hpp"
#include "lang/vela/check/internal/standard.hpp"
#include "lang/vela/syntax/diagnostic.hpp"

namespace gyre::vela::internal {

class Loader {
public:
    Loader(Program& program, SourceFiles& files, const Limits& limits)
        : program_(program), files_(files), limits_(limits) {}

    // `name` is the file name in diagnostics.
    Module& load(const std::string& path, const std::string& name, std::string text) {
        Module& module = *(program_.modules[path] = std::make_unique<Module>());
        module.path = path;
        module.source = std::make_unique<Source>(name, std::move(text));
        module.tree = parse(*module.source, program_.diagnostics, limits_);
        open_.push_back(path);
        for (const Decl* node : module.tree.declarations) {
            if (node->kind == DeclKind::import) import(module, as<ImportDecl>(*node));
        }
        open_.pop_back();
        order_.push_back(&module);
        return module;
    }

    const std::vector<Module*>& order() const { return order_; }

    // The module that an import names; null if it could not be read.
    const Module* target(const Module& module, const ImportDecl& node) const {
        if (node.path.text.starts_with("system:")) {
            const auto system = program_.modules.find(std::string(node.path.text));
            return system == program_.modules.end() ? &program_.standard : system->second.get();
        }
        const auto found = program_.modules.find(resolved(module, node));
        return found == program_.modules.end() ? nullptr : found->second.get();
    }

private:
    static std::string resolved(const Module& module, const ImportDecl& node) {
        const std::filesystem::path folder = std::filesystem::path(module.path).parent_path();
        return (folder / node.path.text).lexically_normal().string();
    }

    void import_system(const Module& module, const ImportDecl& node) {
        std::vector<std::string_view> names;
        for (const SystemModule& system : all_system_modules()) {
            names.push_back(system.name);
            if (system.name != node.path.text) continue;
            const std::string path(system.name);
            if (system.text.empty() || program_.modules.contains(path)) return;
            load(path, path, std::string(system.text)).is_standard = true;
            return;
        }
        Diagnostic& unknown =
            program_.diagnostics.error("E0314", *module.source, node.path.span,
                                       concat("there is no module `", node.path.text, "`"));
        const std::string_view near = nearest(node.path.text, names);
        if (!near.empty()) unknown.note(concat("did you mean `", near, "`?"));
    }

    void import(const Module& module, const ImportDecl& node) {
        if (node.path.text.starts_with("system:")) return import_system(module, node);
        const std::string path = resolved(module, node);
        const auto report = [&](std::string message) -> Diagnostic& {
            return program_.diagnostics.error("E0314", *module.source, node.path.span,
                                              std::move(message));
        };
        // Diagnostics print lines of what is imported: other files are not read.
        if (!path.ends_with(".vela")) {
            report(concat("cannot import `", node.path.text, "`: only `.vela` files are imported"));
            return;
        }
        if (const auto again = std::find(open_.begin(), open_.end(), path); again != open_.end()) {
            std::string cycle;
            for (auto step = again; step != open_.end(); ++step) cycle += *step + " -> ";
            report(concat("files import each other in a circle: ", cycle, path));
            return;
        }
        if (program_.modules.contains(path)) return;
        if (open_.size() >= limits_.nesting_max) {
            report(concat("the limit on nesting is ", std::to_string(limits_.nesting_max),
                          " files that import each other"));
            return;
        }
        auto text = files_.read(path);
        if (!text) {
            report(concat("cannot import: ", text.error()));
            return;
        }
        load(path, path, std::move(*text));
    }

    Program& program_;
    SourceFiles& files_;
    const Limits& limits_;
    std::vector<std::string> open_;
    std::vector<Module*> order_;
};

// Makes the names of the imported files visible.
void bind_imports(Program& program, Module& module, const Loader& loader,
                  Declarations& declarations);

// Collects what a module declares.
void declare(Declarations& declarations, Module& module);

}  // namespace gyre::vela::internal
