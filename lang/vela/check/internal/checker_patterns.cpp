// SPDX-License-Identifier: Apache-2.0
// Patterns: their types and the names they bind.
#include <algorithm>

#include "lang/vela/check/internal/checker.hpp"
#include "lang/vela/syntax/diagnostic.hpp"

namespace gyre::vela::internal {

// If a pattern has an error, missing cases are consequences and not reported.
Diagnostic& Checker::wrong_pattern(Span place, std::string message) {
    has_wrong_pattern_ = true;
    return error("E0303", place, std::move(message));
}

// A whole pattern: no name occurs twice.
void Checker::bind(const Pattern& node, const Type* subject) {
    const std::size_t mark = locals_.size();
    pattern(node, subject);
    refuse_twins(mark);
}

void Checker::pattern(const Pattern& node, const Type* subject) {
    const Type* type = known(subject);
    switch (node.kind) {
        case PatternKind::wildcard:
            return;
        case PatternKind::bind:
            declare_local({node.path[0].text, subject, node.path[0].span, false});
            return;
        case PatternKind::literal: {
            const Type* found = expr(*node.value);
            // A literal against the path of a request is a route.
            const bool is_route = Types::is(type, types_.builtins.route_path) &&
                                  Types::is(found, types_.builtins.string);
            if (is_route || types_.assign(found, type)) return;
            has_wrong_pattern_ = true;
            mismatch(*node.value, type, found);
            return;
        }
        case PatternKind::tuple: {
            std::vector<const Type*> parts(node.parts.size());
            for (const Type*& part : parts) part = types_.fresh();
            const Type* tuple = types_.tuple(parts);
            if (!types_.assign(type, tuple)) {
                wrong_pattern(node.span,
                              concat("expected ", type_text(type), ", found a pattern of ",
                                     std::to_string(parts.size()), " parts"));
                std::fill(parts.begin(), parts.end(), types_.error());
            }
            for (std::size_t i = 0; i < parts.size(); ++i) pattern(*node.parts[i], parts[i]);
            return;
        }
        case PatternKind::variant:
            return variant_pattern(node, type);
        case PatternKind::alternatives: {
            const std::size_t mark = locals_.size();
            pattern(*node.parts[0], type);
            const std::vector<Local> first(locals_.begin() + static_cast<std::ptrdiff_t>(mark),
                                           locals_.end());
            for (std::size_t i = 1; i < node.parts.size(); ++i) {
                const Scope scope(*this);
                const std::size_t begin = locals_.size();
                pattern(*node.parts[i], type);
                bool is_same = locals_.size() - begin == first.size();
                for (std::size_t j = begin; j < locals_.size() && is_same; ++j) {
                    is_same = std::any_of(first.begin(), first.end(), [&](const Local& local) {
                        if (local.name != locals_[j].name) return false;
                        declarations_.note_use(*module_, locals_[j].place, module_, local.place);
                        return types_.assign(locals_[j].type, local.type);
                    });
                }
                if (!is_same) {
                    error("E0303", node.parts[i]->span,
                          "every alternative must bind the same names, with the same types");
                }
            }
            return;
        }
    }
}

void Checker::variant_pattern(const Pattern& node, const Type* subject) {
    const Name& last = node.path.back();
    const VariantInfo* variant = nullptr;
    const bool is_enum =
        subject->sort == TypeSort::nominal && subject->info->kind == DeclKind::enumeration;
    if (is_enum) {
        variant = variant_of(subject->info, last.text);
    } else if (subject->sort == TypeSort::variable) {
        variant = find_variant(last.text, nullptr);
        if (variant != nullptr) {
            std::vector<const Type*> args(variant->owner->params.size());
            for (const Type*& arg : args) arg = types_.fresh();
            types_.assign(subject, types_.nominal(variant->owner, std::move(args)));
            subject = known(subject);
        }
    }
    if (variant == nullptr) {
        if (is_enum || subject->sort == TypeSort::variable) {
            std::vector<std::string_view> candidates;
            if (is_enum) {
                for (const VariantInfo& known_variant : subject->info->variants) {
                    candidates.push_back(known_variant.name.text);
                }
            }
            has_wrong_pattern_ = true;
            if (is_enum && is_asked(last.text)) {
                note_asked(AskedKind::variant).info = subject->info;
            }
            unknown(last, "variant", candidates);
        } else if (subject->sort != TypeSort::error) {
            wrong_pattern(node.span, concat("expected ", type_text(subject), ", found a variant `",
                                            last.text, "`"));
        }
        for (const Pattern* part : node.parts) pattern(*part, types_.error());
        return;
    }
    note_meaning(last.span, Meaning::of(variant), nullptr);
    if (node.path.size() > 1) {
        declarations_.note_use(*module_, node.path[node.path.size() - 2].span,
                               variant->owner->module, variant->owner->name.span);
    }
    if (node.path.size() > 1 && node.path[node.path.size() - 2].text != variant->owner->name.text) {
        const Name& owner = node.path[node.path.size() - 2];
        unknown(owner, "enum", {variant->owner->name.text});
    }
    if (node.parts.size() != variant->args.size()) {
        declared_here(
            wrong_pattern(node.span,
                          concat("`", last.text, "` has ", std::to_string(variant->args.size()),
                                 variant->args.size() == 1 ? " value" : " values", ", found ",
                                 std::to_string(node.parts.size()))),
            variant->owner->module, variant->name.span);
        for (const Pattern* part : node.parts) pattern(*part, types_.error());
        return;
    }
    for (std::size_t i = 0; i < node.parts.size(); ++i) {
        pattern(*node.parts[i], types_.seen_from(variant->args[i].type, subject));
    }
}

}  // namespace gyre::vela::internal
