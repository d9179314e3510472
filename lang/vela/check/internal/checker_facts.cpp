// SPDX-License-Identifier: Apache-2.0
// Facts of expressions and locals, recorded for later passes.
#include "lang/vela/check/internal/checker.hpp"

namespace gyre::vela::internal {

Fact& Checker::fact(const Expr& node) {
    return noted_->facts[node.index];
}

const Type* Checker::means(const Expr& node, const Type* type, Meaning meaning) {
    fact(node) = {type, meaning};
    if (node.kind == ExprKind::name) note_meaning(name_span(as<NameExpr>(node)), meaning, type);
    if (node.kind == ExprKind::member) note_meaning(as<MemberExpr>(node).name.span, meaning, type);
    return type;
}

void Checker::declare_local(Local local) {
    local.fact = noted_->locals.size();
    local.function_depth = function_depth_;
    noted_->locals.push_back(
        {local.place.begin, false, false, function_depth_, local.type, local.function});
    local_places_[local.name].push_back(locals_.size());
    locals_.push_back(local);
    if (local.name != "self")
        note_meaning(local.place, Meaning::local_at(local.place.begin), local.type);
}

// Keeps the first `count`.
void Checker::drop_locals(std::size_t count) {
    while (locals_.size() > count) {
        local_places_[locals_.back().name].pop_back();
        locals_.pop_back();
    }
}

void Checker::change(const Local& local) {
    noted_->locals[local.fact].is_changed = true;
}

Meaning Checker::use(const Local& local) {
    LocalFact& noted = noted_->locals[local.fact];
    if (local.function_depth < function_depth_) noted.is_captured = true;
    return Meaning::local_at(noted.place);
}

}  // namespace gyre::vela::internal
