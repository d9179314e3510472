// SPDX-License-Identifier: Apache-2.0
// The arguments of a call: by position, by name, and those that wait for the types of the others.
#include <algorithm>

#include "gyre/vela/check/internal/checker.hpp"
#include "gyre/vela/syntax/concat.hpp"

namespace gyre::vela::internal {

const Type* Checker::apply(const CallExpr& node, Signature signature, Meaning meaning) {
    fact(node).meaning = meaning;
    std::erase_if(signature.variables,
                  [](const Type* type) { return !is_sort(type, TypeSort::variable); });
    arguments(node, signature);
    for (const auto& [type, bound] : signature.bounds) {
        if (types_.assign(type, bound)) continue;
        error("E0303", node.span,
              concat("expected ", type_text(bound), ", found ", type_text(type)));
    }
    return signature.result;
}

void Checker::arguments(const CallExpr& node, const Signature& signature) {
    const std::vector<ParamInfo>& params = signature.params;
    std::vector<const Expr*> given(params.size());
    const std::string called =
        signature.name.empty() ? "the function" : concat("`", signature.name, "`");
    std::size_t position = 0;
    bool is_wrong = false;
    const auto shown = [&](Diagnostic& diagnostic) {
        declared_here(diagnostic, signature.module, signature.place);
    };
    for (const Argument& argument : node.args) {
        std::size_t index = position;
        if (!argument.name.text.empty()) {
            const auto found = std::find_if(
                params.begin(), params.end(),
                [&](const ParamInfo& param) { return param.name.text == argument.name.text; });
            index = static_cast<std::size_t>(found - params.begin());
            if (found == params.end()) {
                std::vector<std::string_view> candidates;
                for (const ParamInfo& param : params) candidates.push_back(param.name.text);
                unknown(argument.name, "argument", candidates);
                infer(*argument.value);
                is_wrong = true;
                continue;
            }
        } else {
            ++position;
        }
        if (index >= params.size()) {
            if (!is_wrong) {
                shown(error("E0303", argument.value->span,
                            concat(called, " takes ", std::to_string(params.size()),
                                   params.size() == 1 ? " argument" : " arguments", ", found ",
                                   std::to_string(node.args.size()))));
            }
            infer(*argument.value);
            is_wrong = true;
            continue;
        }
        if (given[index] != nullptr) {
            error("E0311", argument.value->span,
                  concat("`", params[index].name.text, "` is given twice"));
        }
        given[index] = argument.value;
    }
    // Lambdas last: the other arguments tell what their parameters are.
    const auto is_lambda = [](const Expr& argument) {
        return bare(argument).kind == ExprKind::lambda;
    };
    std::vector<const Type*> found(params.size());
    for (std::size_t i = 0; i < params.size(); ++i) {
        if (given[i] == nullptr || is_lambda(*given[i])) continue;
        const Type* type = params[i].type;
        const auto& open = signature.variables;
        const ExprKind kind = bare(*given[i]).kind;
        const bool is_branch = kind == ExprKind::if_else || kind == ExprKind::match;
        if (is_branch || std::find(open.begin(), open.end(), type) == open.end()) {
            expect(*given[i], type);
            found[i] = fact(*given[i]).type;
            continue;
        }
        found[i] = expr(*given[i], type);
        if (!types_.assign(found[i], type)) widen(*given[i], type, signature, found);
    }
    for (std::size_t i = 0; i < params.size(); ++i) {
        if (given[i] != nullptr && is_lambda(*given[i])) expect(*given[i], params[i].type);
    }
    for (std::size_t i = 0; i < params.size() && !is_wrong; ++i) {
        if (given[i] != nullptr || params[i].has_value) continue;
        if (signature.is_construction) {
            shown(error("E0310", node.span,
                        concat("field `", params[i].name.text, "` needs a value")));
        } else {
            shown(error("E0303", node.span,
                        concat(called, " takes ", std::to_string(params.size()),
                               params.size() == 1 ? " argument" : " arguments", ", found ",
                               std::to_string(node.args.size()))));
        }
        return;
    }
}

// A type parameter that is the type of several arguments becomes one that all of them fit into.
void Checker::widen(const Expr& node, const Type* variable, const Signature& signature,
                    const std::vector<const Type*>& found) {
    const Type* before = variable->value;
    const Type* type = fact(node).type;
    if (before == nullptr) {
        mismatch(node, variable, type);
        return;
    }
    const Type* both = types_.join(known(before), type);
    bool fits = both != nullptr;
    if (fits) variable->value = both;
    for (std::size_t i = 0; i < found.size() && fits; ++i) {
        fits = found[i] == nullptr || types_.assign(found[i], signature.params[i].type);
    }
    if (fits) return;
    variable->value = before;
    mismatch(node, before, type);
}

}  // namespace gyre::vela::internal
