// SPDX-License-Identifier: Apache-2.0
// Patterns: tests that jump away if a part does not match, and bind names.
#include "lang/vela/lower/internal/lowering.hpp"

namespace gyre::vela::internal {

void Lowering::test(Register condition, Label fail) {
    const Label yes = emitter_.make_label();
    emitter_.branch(condition, yes, fail);
    emitter_.place(yes);
}

void Lowering::pattern(const Pattern& node, Register subject, const Type* type, Label fail) {
    type = known(type);
    switch (node.kind) {
        case PatternKind::wildcard:
            return;
        case PatternKind::bind:
            return declare(node.path[0], type, subject);
        case PatternKind::literal: {
            Register wanted = value(*node.value);
            const Register is_same = emitter_.make_register(types().boolean());
            const bool is_route = Types::is(type, builtins().route_path);
            wanted = widened(wanted, is_float(subject));
            emitter_.emit(is_route ? Op::matches_route : Op::equal, is_same, {subject, wanted});
            return test(is_same, fail);
        }
        case PatternKind::tuple:
            for (std::size_t i = 0; i < node.parts.size(); ++i) {
                if (node.parts[i]->kind == PatternKind::wildcard) continue;
                const bool is_tuple = type->sort == TypeSort::tuple && i < type->args.size();
                const Type* part = is_tuple ? type->args[i] : types().error();
                const Register item = emitter_.make_register(part);
                emitter_.emit(Op::item, item, {subject}).number = static_cast<std::uint32_t>(i);
                pattern(*node.parts[i], item, part, fail);
            }
            return;
        case PatternKind::variant: {
            if (type->sort != TypeSort::nominal) return;
            const VariantInfo* variant = variant_named(*type->info, node.path.back().text);
            if (variant == nullptr) return;
            const Register is_it = emitter_.make_register(types().boolean());
            emitter_.emit(Op::is_variant, is_it, {subject}).variant = variant;
            test(is_it, fail);
            for (std::size_t i = 0; i < node.parts.size(); ++i) {
                if (node.parts[i]->kind == PatternKind::wildcard) continue;
                const Type* part = types().seen_from(variant->args[i].type, type);
                const Register payload = emitter_.make_register(part);
                Instruction& made = emitter_.emit(Op::payload, payload, {subject});
                made.variant = variant;
                made.number = static_cast<std::uint32_t>(i);
                pattern(*node.parts[i], payload, part, fail);
            }
            return;
        }
        case PatternKind::alternatives: {
            const Label matched = emitter_.make_label();
            for (std::size_t i = 0; i < node.parts.size(); ++i) {
                const bool is_last = i + 1 == node.parts.size();
                const Label next = is_last ? fail : emitter_.make_label();
                if (i > 0) bind_alike(*node.parts[0], *node.parts[i]);
                pattern(*node.parts[i], subject, type, next);
                emitter_.jump(matched);
                if (!is_last) emitter_.place(next);
            }
            emitter_.place(matched);
            return;
        }
    }
}

namespace {

void names_of(const Pattern& node, std::vector<Name>& names) {
    if (node.kind == PatternKind::bind) names.push_back(node.path[0]);
    // The variables of the first alternative serve all alternatives.
    if (node.kind == PatternKind::alternatives) return names_of(*node.parts[0], names);
    for (const Pattern* part : node.parts) names_of(*part, names);
}

}  // namespace

// Names of later alternatives use the variables of the first.
void Lowering::bind_alike(const Pattern& first, const Pattern& other) {
    std::vector<Name> firsts;
    std::vector<Name> others;
    names_of(first, firsts);
    names_of(other, others);
    for (const Name& name : others) {
        for (const Name& same : firsts) {
            if (same.text != name.text) continue;
            const auto found = alike_.find(same.span.begin);
            alike_[name.span.begin] = found == alike_.end() ? same.span.begin : found->second;
        }
    }
}

}  // namespace gyre::vela::internal
