// SPDX-License-Identifier: Apache-2.0
// Lookup of module-level names.
#include "lang/vela/check/internal/declarations.hpp"

namespace gyre::vela::internal {

const Symbol* find_symbol(const Program& program, const Module& module, std::string_view name) {
    if (const auto own = module.declared.find(name); own != module.declared.end()) {
        return &own->second;
    }
    if (const auto other = module.imported.find(name); other != module.imported.end()) {
        return other->second;
    }
    const auto standard = program.standard.declared.find(name);
    return standard != program.standard.declared.end() ? &standard->second : nullptr;
}

const Symbol* find_exported(const Module& module, std::string_view name) {
    const auto found = module.declared.find(name);
    const bool is_there = found != module.declared.end() && !found->second.is_private;
    return is_there ? &found->second : nullptr;
}

const Symbol* find_type_symbol(const Program& program, const Module& module,
                               std::string_view name) {
    const Symbol* found = find_symbol(program, module, name);
    if (found == nullptr || found->kind != SymbolKind::variant) return found;
    if (const auto other = module.imported.find(name); other != module.imported.end()) {
        if (other->second->kind != SymbolKind::variant) return other->second;
    }
    const auto standard = program.standard.declared.find(name);
    return standard != program.standard.declared.end() ? &standard->second : found;
}

}  // namespace gyre::vela::internal
