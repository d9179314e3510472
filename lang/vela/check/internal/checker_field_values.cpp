// SPDX-License-Identifier: Apache-2.0
// Definite initialization of fields: a field without a default value must be assigned on every path
// through the constructor.
#include <algorithm>
#include <utility>

#include "lang/vela/check/internal/checker.hpp"
#include "lang/vela/syntax/diagnostic.hpp"

namespace gyre::vela::internal {
namespace {

// Walks a constructor in execution order and tracks whether the field is assigned at each point. At
// unreachable points it counts as assigned.
class FieldFlow {
public:
    FieldFlow(const Module& module, const FieldInfo& field) : module_(module), field_(field) {}

    // True if it is assigned at every exit of the body and before every read. Otherwise `early` is
    // the `return` or read that comes too early, if that is the reason.
    bool is_given(const BlockStmt& body) {
        const bool at_end = block(body, false);
        return at_end && early.begin == early.end;
    }

    Span early;
    std::string_view why_early;

private:
    bool block(const BlockStmt& node, bool has_value) {
        for (const Stmt* stmt : node.statements) has_value = statement(*stmt, has_value);
        return has_value;
    }

    bool statement(const Stmt& node, bool has_value) {
        switch (node.kind) {
            case StmtKind::variable:
                return expr(as<VariableStmt>(node).value, has_value);
            case StmtKind::assign:
                return assign(as<AssignStmt>(node), has_value);
            case StmtKind::expression:
            case StmtKind::yield_value:
                return expr(as<ValueStmt>(node).value, has_value);
            case StmtKind::return_value:
                has_value = expr(as<ValueStmt>(node).value, has_value);
                if (!has_value && !is_given_later_) {
                    note_early(as<ValueStmt>(node).keyword,
                               "the constructor is left here, before the field has one");
                }
                return true;
            case StmtKind::throw_value:
                expr(as<ValueStmt>(node).value, has_value);
                return true;
            case StmtKind::break_loop:
                is_given_at_breaks_ = is_given_at_breaks_ && has_value;
                return true;
            case StmtKind::continue_loop:
                return true;
            case StmtKind::while_loop:
                return while_loop(as<WhileStmt>(node), has_value);
            case StmtKind::for_loop: {
                has_value = expr(as<ForStmt>(node).sequence, has_value);
                const bool outside = is_given_at_breaks_;
                block(*as<ForStmt>(node).body, has_value);
                is_given_at_breaks_ = outside;
                return has_value;
            }
            case StmtKind::try_catch:
                return try_catch(as<TryStmt>(node), has_value);
            case StmtKind::scope:
                return block(*as<ScopeStmt>(node).body, has_value);
            case StmtKind::declaration:
                return has_value;
            case StmtKind::block:
                return block(as<BlockStmt>(node), has_value);
        }
        return has_value;
    }

    void note_early(Span place, std::string_view why) {
        if (early.begin != early.end) return;
        early = place;
        why_early = why;
    }

    bool assign(const AssignStmt& node, bool has_value) {
        // The object and index of an assigned place are read.
        const Expr& target = *node.target;
        if (target.kind == ExprKind::member) {
            has_value = parts_of_member(as<MemberExpr>(target), has_value);
        } else if (target.kind == ExprKind::index) {
            has_value = parts(target, has_value);
        }
        has_value = expr(node.value, has_value);
        return has_value || gives_value(node);
    }

    bool gives_value(const AssignStmt& node) const {
        if (node.op != TokenKind::assign) return false;
        if (node.target->kind != ExprKind::tuple) return is_field(*node.target);
        const auto& items = as<ItemsExpr>(*node.target).items;
        return std::any_of(items.begin(), items.end(),
                           [&](const Expr* item) { return is_field(*item); });
    }

    // By its name alone, or as a member of `this`.
    bool is_field(const Expr& target) const {
        const Meaning& meaning = module_.facts[target.index].meaning;
        if (meaning.kind != MeaningKind::field || meaning.field != &field_) return false;
        return target.kind == ExprKind::name || is_this(*as<MemberExpr>(target).object);
    }

    // The `self` of an actor is a reference, which reads no field.
    bool is_this(const Expr& node) const {
        const Expr& inner = bare(node);
        return inner.kind == ExprKind::this_value ||
               (inner.kind == ExprKind::name && as<NameExpr>(inner).text == "self" &&
                field_.owner->kind != DeclKind::actor);
    }

    // A member access reads that field; a method call may read any.
    bool parts_of_member(const MemberExpr& node, bool has_value) {
        const Meaning& meaning = module_.facts[node.index].meaning;
        if (meaning.kind == MeaningKind::field && is_this(*node.object)) return has_value;
        return expr(node.object, has_value);
    }

    bool while_loop(const WhileStmt& node, bool has_value) {
        has_value = expr(node.condition, has_value);
        if (node.pattern != nullptr) {
            const bool outside = is_given_at_breaks_;
            block(*node.body, has_value);
            is_given_at_breaks_ = outside;
            return has_value;
        }
        const bool outside = std::exchange(is_given_at_breaks_, true);
        block(*node.body, has_value);
        const bool at_breaks = std::exchange(is_given_at_breaks_, outside);
        const Expr& condition = bare(*node.condition);
        const bool is_endless =
            condition.kind == ExprKind::boolean && as<LiteralExpr>(condition).text == "true";
        return is_endless ? at_breaks : has_value;
    }

    bool try_catch(const TryStmt& node, bool has_value) {
        // A field that the `finally` assigns is assigned on every exit.
        const auto gives = [&](const Stmt* stmt) {
            return stmt->kind == StmtKind::assign && gives_value(as<AssignStmt>(*stmt));
        };
        const bool is_given_last =
            node.cleanup != nullptr &&
            std::any_of(node.cleanup->statements.begin(), node.cleanup->statements.end(), gives);
        const bool outside = std::exchange(is_given_later_, is_given_later_ || is_given_last);
        bool at_end = block(*node.body, has_value);
        for (const CatchClause& clause : node.clauses) {
            // The error may occur before any assignment.
            const bool at_clause_end = block(*clause.body, has_value);
            at_end = at_end && at_clause_end;
        }
        is_given_later_ = outside;
        return node.cleanup == nullptr ? at_end : block(*node.cleanup, at_end);
    }

    bool expr(const Expr* node, bool has_value) {
        return node == nullptr ? has_value : expr(*node, has_value);
    }

    bool expr(const Expr& node, bool has_value) {
        has_value = parts(node, has_value);
        const Type* type = module_.facts[node.index].type;
        const bool comes_back = type == nullptr || !is_sort(type, TypeSort::never);
        return has_value || !comes_back;
    }

    bool parts_of_binary(const BinaryExpr& node, bool has_value) {
        has_value = expr(node.left, has_value);
        const bool at_end = expr(node.right, has_value);
        const bool is_sure = node.op != TokenKind::and_and && node.op != TokenKind::or_or &&
                             node.op != TokenKind::double_question;
        return is_sure ? at_end : has_value;
    }

    bool parts_of_match(const MatchExpr& node, bool has_value) {
        has_value = expr(node.subject, has_value);
        bool at_end = true;
        for (const MatchArm& arm : node.arms) {
            const bool at_arm = expr(arm.guard, has_value);
            const bool at_arm_end = statement(*arm.body, at_arm);
            at_end = at_end && at_arm_end;
        }
        return at_end;
    }

    // Lambdas run later, if at all.
    bool parts(const Expr& node, bool has_value) {
        const bool may_be_field = node.kind == ExprKind::name || node.kind == ExprKind::member;
        if (may_be_field && !has_value && is_field(node)) {
            note_early(node.span, "the field is read here, before it has one");
        }
        if (!has_value && node.kind != ExprKind::group && is_this(node)) {
            note_early(node.span, "`this` is used here, before the field has one");
        }
        switch (node.kind) {
            case ExprKind::group:
            case ExprKind::propagate:
                return expr(as<WrapExpr>(node).inner, has_value);
            case ExprKind::tuple:
            case ExprKind::list:
                for (const Expr* item : as<ItemsExpr>(node).items)
                    has_value = expr(item, has_value);
                return has_value;
            case ExprKind::map:
                for (const MapEntry& entry : as<MapExpr>(node).entries) {
                    has_value = expr(entry.value, expr(entry.key, has_value));
                }
                return has_value;
            case ExprKind::string:
                for (const StringPart& part : as<StringExpr>(node).parts) {
                    has_value = expr(part.value, has_value);
                }
                return has_value;
            case ExprKind::unary:
                return expr(as<UnaryExpr>(node).operand, has_value);
            case ExprKind::binary:
                return parts_of_binary(as<BinaryExpr>(node), has_value);
            case ExprKind::call:
                has_value = expr(as<CallExpr>(node).callee, has_value);
                for (const Argument& argument : as<CallExpr>(node).args) {
                    has_value = expr(argument.value, has_value);
                }
                return has_value;
            case ExprKind::index:
                return expr(as<IndexExpr>(node).position,
                            expr(as<IndexExpr>(node).object, has_value));
            case ExprKind::member:
                return parts_of_member(as<MemberExpr>(node), has_value);
            case ExprKind::struct_literal:
                for (const FieldValue& field : as<StructExpr>(node).fields) {
                    has_value = expr(field.value, has_value);
                }
                return has_value;
            case ExprKind::if_else: {
                const auto& of = as<IfExpr>(node);
                has_value = expr(of.condition, has_value);
                const bool at_end = block(*of.then_block, has_value);
                if (of.else_branch == nullptr) return has_value;
                const bool at_other_end = statement(*of.else_branch, has_value);
                return at_end && at_other_end;
            }
            case ExprKind::match:
                return parts_of_match(as<MatchExpr>(node), has_value);
            default:
                return has_value;
        }
    }

    const Module& module_;
    const FieldInfo& field_;
    bool is_given_at_breaks_ = true;  // of the innermost loop
    bool is_given_later_ = false;     // by a `finally` on the way out
};

}  // namespace

// Null if the constructor does not begin with `super(..)`.
const CallExpr* Checker::super_call_of(const FunctionDecl& constructor) {
    if (constructor.body == nullptr || constructor.body->statements.empty()) return nullptr;
    const Stmt& first = *constructor.body->statements[0];
    if (first.kind != StmtKind::expression) return nullptr;
    const Expr& value = *as<ValueStmt>(first).value;
    if (value.kind != ExprKind::call) return nullptr;
    const Expr& callee = *as<CallExpr>(value).callee;
    const bool is_super = callee.kind == ExprKind::name && as<NameExpr>(callee).text == "super";
    return is_super ? &as<CallExpr>(value) : nullptr;
}

// A base class without a constructor takes the values of its fields, in order or by name.
bool Checker::is_given_to_super(const FunctionInfo& constructor, const FieldInfo& field) {
    const CallExpr* call = super_call_of(*constructor.node);
    const std::vector<FieldInfo>& fields = field.owner->fields;
    const auto index = static_cast<std::size_t>(&field - fields.data());
    std::size_t position = 0;
    for (const Argument& argument : call->args) {
        if (argument.name.text.empty() ? position++ == index
                                       : argument.name.text == field.name.text) {
            return true;
        }
    }
    return false;
}

// The fields of the class and its bases: construction runs one constructor, or none.
void Checker::field_values(const TypeInfo& info) {
    if (info.kind == DeclKind::structure || info.kind == DeclKind::interface || info.is_abstract ||
        info.is_standard) {
        return;
    }
    const FunctionInfo* constructor = constructor_of(info);
    for (const TypeInfo* at = &info; at != nullptr;) {
        for (const FieldInfo& field : at->fields) field_value(info, field, constructor);
        at = at->base == nullptr ? nullptr : known(at->base)->info;
    }
}

void Checker::field_value(const TypeInfo& info, const FieldInfo& field,
                          const FunctionInfo* constructor) {
    const bool is_own = field.owner == &info;
    const bool is_filled =
        field.node->value != nullptr || field.owner->is_standard || is_fillable(field.type);
    if (is_filled) return;
    // If the base has the same constructor, the error was reported there.
    const FunctionInfo* of_owner = constructor_of(*field.owner);
    const bool is_same =
        !field.owner->is_abstract && (of_owner == nullptr || of_owner == constructor);
    const bool is_between =
        constructor != nullptr && constructor->owner != &info && !constructor->owner->is_abstract;
    if (!is_own && (is_same || is_between)) return;
    Span early;
    std::string_view why_early;
    // With `super(..)` the constructor of the base class runs too.
    for (const FunctionInfo* at = constructor; at != nullptr && at->node->body != nullptr;) {
        FieldFlow flow(*at->module, field);
        if (flow.is_given(*at->node->body)) return;
        if (at == constructor) {
            early = flow.early;
            why_early = flow.why_early;
        }
        const bool has_super = super_call_of(*at->node) != nullptr && at->owner->base != nullptr;
        if (!has_super || field.owner == at->owner) break;
        const TypeInfo& base = *known(at->owner->base)->info;
        at = constructor_of(base);
        if (at == nullptr && field.owner == &base && is_given_to_super(*constructor, field)) return;
    }
    Diagnostic& diagnostic = error("E0310", is_own ? field.name.span : info.name.span,
                                   concat("field `", field.name.text, "` needs a value: `",
                                          type_text(field.type), "` has none by itself"));
    if (!is_own) declared_here(diagnostic, field.owner->module, field.name.span);
    if (early.begin != early.end) {
        diagnostic.note(*constructor->module->source, early, std::string(why_early));
    } else {
        diagnostic.note(is_own ? "give it one here, or in every constructor"
                               : concat("the constructor of `", info.name.text,
                                        "` must give it one: no other runs"));
    }
}

}  // namespace gyre::vela::internal
