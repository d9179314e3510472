// SPDX-License-Identifier: Apache-2.0
// The arguments of a call: by position, by name, and lambdas, whose parameter types depend on the
// others.
#include <algorithm>

#include "lang/vela/check/internal/checker.hpp"
#include "lang/vela/syntax/diagnostic.hpp"

namespace gyre::vela::internal {
namespace {

std::string takes_text(std::string_view called, std::size_t count, std::size_t given_count) {
    return concat(called, " takes ", std::to_string(count), count == 1 ? " argument" : " arguments",
                  ", found ", std::to_string(given_count));
}

bool is_lambda(const Expr& argument) {
    return bare(argument).kind == ExprKind::lambda;
}

std::string called_text(std::string_view name) {
    return name.empty() ? "the function" : concat("`", name, "`");
}

}  // namespace

const Type* Checker::apply(const CallExpr& node, Signature signature, Meaning meaning) {
    fact(node).meaning = meaning;
    note_callee(node, meaning);
    std::erase_if(signature.variables,
                  [](const Type* type) { return !is_sort(type, TypeSort::variable); });
    arguments(node, signature);
    check_bounds(signature, node.span);
    return signature.result;
}

void Checker::check_bounds(const Signature& signature, Span place) {
    for (const auto& [type, bound] : signature.bounds) {
        if (types_.assign(type, bound)) continue;
        error("E0303", place, concat("expected ", type_text(bound), ", found ", type_text(type)));
    }
}

void Checker::check_type_args(std::string_view name, std::size_t count,
                              std::span<TypeNode* const> args) {
    if (args.size() <= count) return;
    error("E0303", args[count]->span,
          concat("`", name, "` takes ", std::to_string(count),
                 count == 1 ? " type argument" : " type arguments", ", found ",
                 std::to_string(args.size())));
}

// The arguments by parameter; null if omitted.
std::vector<const Expr*> Checker::given_arguments(const CallExpr& node, const Signature& signature,
                                                  bool& is_wrong) {
    const std::vector<ParamInfo>& params = signature.params;
    std::vector<const Expr*> given(params.size());
    std::size_t position = 0;
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
            declarations_.note_use(*module_, argument.name.span, signature.module,
                                   found->name.span);
        } else {
            ++position;
        }
        if (index >= params.size()) {
            if (!is_wrong) {
                declared_here(
                    error("E0303", argument.value->span,
                          takes_text(called_text(signature.name), params.size(), node.args.size())),
                    signature.module, signature.place);
            }
            infer(*argument.value);
            is_wrong = true;
            continue;
        }
        if (given[index] != nullptr) {
            error("E0317", argument.value->span,
                  concat("`", params[index].name.text, "` is given twice"));
        }
        given[index] = argument.value;
    }
    return given;
}

void Checker::arguments(const CallExpr& node, const Signature& signature) {
    const std::vector<ParamInfo>& params = signature.params;
    bool is_wrong = false;
    Given given;
    given.args = given_arguments(node, signature, is_wrong);
    given.found.resize(params.size());
    // Lambdas last: the other arguments determine their parameter types.
    for (std::size_t i = 0; i < params.size(); ++i) {
        if (given.args[i] != nullptr && !is_lambda(*given.args[i])) argument(signature, given, i);
    }
    for (std::size_t i = 0; i < params.size(); ++i) {
        if (given.args[i] != nullptr && is_lambda(*given.args[i])) {
            expect(*given.args[i], params[i].type);
        }
    }
    for (std::size_t i = 0; i < params.size() && !is_wrong; ++i) {
        if (given.args[i] != nullptr || params[i].has_value) continue;
        if (signature.is_construction) {
            lacks_value(params[i].name, *signature.module, node.span);
            return;
        }
        Diagnostic& diagnostic =
            error("E0303", node.span,
                  takes_text(called_text(signature.name), params.size(), node.args.size()));
        declared_here(diagnostic, signature.module, signature.place);
        return;
    }
}

// Earlier arguments do not fix a type parameter for this one: all of them determine it, in order. The
// argument is checked against variables of its own, because a later argument may widen the parameter,
// and what was concluded from its narrower type would then be wrong.
void Checker::argument(const Signature& signature, Given& given, std::size_t i) {
    const Expr& node = *given.args[i];
    const Type* wanted = signature.params[i].type;
    std::vector<const Type*> own(wanted->is_ground ? 0 : signature.variables.size());
    for (const Type*& variable : own) variable = types_.fresh();
    const Type* loose = own.empty() ? wanted : types_.replaced(wanted, signature.variables, own);
    if (loose == wanted) {
        expect(node, wanted);
        given.found[i] = fact(node).type;
        return;
    }
    const ExprKind kind = bare(node).kind;
    if (kind == ExprKind::if_else || kind == ExprKind::match) {
        expect(node, loose);
        given.found[i] = fact(node).type;
    } else {
        // A bare name may be a variant of the wanted enum.
        const bool is_name = kind == ExprKind::name || kind == ExprKind::member;
        given.found[i] = expr(node, is_name ? wanted : loose);
    }
    if (!types_.assign(given.found[i], wanted)) widen(signature, given, i, loose, own);
}

// A type parameter becomes the join of all arguments that use it.
void Checker::widen(const Signature& signature, Given& given, std::size_t i, const Type* loose,
                    const std::vector<const Type*>& own) {
    const std::vector<const Type*>& variables = signature.variables;
    const Expr& node = *given.args[i];
    if (!types_.assign(given.found[i], loose)) {
        mismatch(node, signature.params[i].type, given.found[i]);
        return;
    }
    std::vector<const Type*> before(variables.size());
    bool fits = true;
    for (std::size_t k = 0; k < variables.size() && fits; ++k) {
        before[k] = variables[k]->value;
        if (before[k] == nullptr) continue;
        const Type* both = types_.join(known(before[k]), known(own[k]));
        fits = both != nullptr;
        if (fits) variables[k]->value = known(both);
    }
    for (std::size_t j = 0; j < given.found.size() && fits; ++j) {
        fits = given.found[j] == nullptr || types_.assign(given.found[j], signature.params[j].type);
    }
    if (fits) return;
    for (std::size_t k = 0; k < variables.size(); ++k) {
        if (before[k] != nullptr) variables[k]->value = before[k];
    }
    Diagnostic& diagnostic = blame(node, signature.params[i].type);
    for (std::size_t j = 0; j < i; ++j) {
        const bool is_reason =
            given.found[j] != nullptr &&
            types_.replaced(signature.params[j].type, variables, own) != signature.params[j].type;
        if (!is_reason) continue;
        diagnostic.note(*module_->source, given.args[j]->span,
                        concat("because this is ", type_text(given.found[j])));
        break;
    }
}

}  // namespace gyre::vela::internal
