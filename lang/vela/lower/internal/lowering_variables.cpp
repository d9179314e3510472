// SPDX-License-Identifier: Apache-2.0
// Variables: their registers, and cells for those shared with other functions.
#include "lang/vela/lower/internal/lowering.hpp"

namespace gyre::vela::internal {

const LocalFact* Lowering::local_fact(std::uint32_t place) const {
    const auto found = locals_.find(place);
    return found == locals_.end() ? nullptr : found->second;
}

// The register of a variable in this function; captures it from an enclosing function if needed.
Lowering::Variable& Lowering::find(std::uint32_t place) {
    if (const auto same = alike_.find(place); same != alike_.end()) place = same->second;
    if (const auto found = variables_.find(place); found != variables_.end()) return found->second;
    const LocalFact* fact = local_fact(place);
    const bool is_outside = parent_ != nullptr && (place == this_place || fact == nullptr ||
                                                   fact->function_depth < depth_);
    if (is_outside) {
        const Variable outside = parent_->find(place);
        const RegisterInfo info = parent_->code_.registers[outside.reg];
        const Register reg = emitter_.make_register(info.type, info.name, info.is_cell);
        code_.captures.push_back(reg);
        captured_outside_.push_back(outside.reg);
        return variables_[place] = {reg, outside.is_cell};
    }
    // A function of this block uses a variable declared below it: both share a cell.
    const Type* type = fact == nullptr ? types().error() : fact->type;
    const Register reg = emitter_.make_register(type, {}, true);
    emitter_.emit(Op::cell, reg, {});
    return variables_[place] = {reg, true, true};
}

Register Lowering::this_register() {
    return find(this_place).reg;
}

void Lowering::declare(const Name& name, const Type* type, Register value) {
    std::uint32_t place = name.span.begin;
    if (const auto same = alike_.find(place); same != alike_.end()) place = same->second;
    const LocalFact* fact = local_fact(place);
    const auto [found, is_new] = variables_.try_emplace(place);
    Variable& variable = found->second;
    if (is_new) {
        variable.is_cell = fact != nullptr && fact->is_captured && fact->is_changed;
        variable.reg = emitter_.make_register(type, name.text, variable.is_cell);
    }
    if (!variable.is_cell && may_be_struct(type)) {
        emitter_.emit(Op::copy, variable.reg, {value});
        return;
    }
    if (!variable.is_cell) return emitter_.move(variable.reg, value);
    value = copied(value);
    code_.registers[variable.reg].name = name.text;
    if (!variable.is_early) emitter_.emit(Op::cell, variable.reg, {});
    emitter_.emit(Op::set_cell, no_register, {variable.reg, value});
}

// Evaluates directly into its register if it has one.
void Lowering::declare_value(const Name& name, const Type* type, const Expr& node) {
    const std::uint32_t place = name.span.begin;
    const LocalFact* fact = local_fact(place);
    const bool is_shared = fact != nullptr && fact->is_captured && fact->is_changed;
    if (is_shared || variables_.contains(place)) return declare(name, type, value(node));
    const Register made = emitter_.make_register(type, name.text);
    kept(node, false, made);
    variables_[place] = {made};
}

void Lowering::assign_local(std::uint32_t place, Register value) {
    const Variable variable = find(place);
    if (!variable.is_cell) return emitter_.move(variable.reg, value);
    emitter_.emit(Op::set_cell, no_register, {variable.reg, value});
}

}  // namespace gyre::vela::internal
