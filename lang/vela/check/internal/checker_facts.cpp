// SPDX-License-Identifier: Apache-2.0
// Facts of expressions and locals, recorded for later passes.
#include "lang/vela/check/internal/checker.hpp"

namespace gyre::vela::internal {

Fact& Checker::fact(const Expr& node) {
    return noted_->facts[node.index];
}

const Type* Checker::means(const Expr& node, const Type* type, Meaning meaning) {
    fact(node) = {type, meaning};
    return type;
}

void Checker::declare_local(Local local) {
    local.fact = noted_->locals.size();
    local.function_depth = function_depth_;
    noted_->locals.push_back(
        {local.place.begin, false, false, function_depth_, local.type, local.function});
    locals_.push_back(local);
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
