// SPDX-License-Identifier: Apache-2.0
// The branches of if and match, and the use of their values.
#include <algorithm>

#include "lang/vela/check/internal/checker.hpp"
#include "lang/vela/syntax/diagnostic.hpp"

namespace gyre::vela::internal {
namespace {

// Whether an expression may be a statement, for its effect.
bool does_something(const Expr& node) {
    const ExprKind kind = bare(node).kind;
    return kind == ExprKind::call || kind == ExprKind::await || kind == ExprKind::propagate;
}

}  // namespace

const Type* Checker::branch(const Expr& node, Use use, const Type* wanted) {
    const Expr& inner = bare(node);
    const bool is_if = inner.kind == ExprKind::if_else;
    if (is_if || inner.kind == ExprKind::match) {
        if (use == Use::value && wanted == nullptr) wanted = types_.fresh();
        const bool is_open =
            use == Use::value && is_sort(wanted, TypeSort::variable) && !is_branched(wanted);
        const Type* result = is_open ? types_.fresh() : wanted;
        fact(inner).type = use == Use::nothing ? types_.nothing() : result;
        if (is_open) branched_.push_back(result);
        const Type* end = is_if ? if_else(as<IfExpr>(inner), use, result)
                                : match(as<MatchExpr>(inner), use, result);
        if (!is_open) return end;
        branched_.pop_back();
        settle(result, wanted, node);
        return end;
    }
    if (use == Use::value) {
        // Without a wanted type, all branches determine it.
        is_branched(wanted) ? join_into(wanted, node) : expect(node, wanted);
        return wanted;
    }
    const bool is_open = use == Use::result && !frames_.empty() && frames_.back().is_open;
    const bool takes_wish = use == Use::result && (!is_open || takes_wish_of_others(node));
    const Type* type = known(expr(node, takes_wish ? known(wanted) : nullptr));
    if (type->sort == TypeSort::never) return type;
    if (use == Use::nothing) {
        warn_dropped(node, type);
        return types_.nothing();
    }
    if (types_.assign(type, wanted)) return type;
    const Type* both = is_open ? types_.join(wanted, type) : nullptr;
    if (both != nullptr) {
        wanted->value = known(both);
        return both;
    }
    const Type* awaited = types_.future_value(type);
    const bool forgot_await = awaited != nullptr && types_.assign(awaited, wanted);
    if (!does_something(node) || forgot_await) return mismatch(node, wanted, type);
    warn_dropped(node, type);
    return types_.nothing();
}

bool Checker::is_branched(const Type* type) const {
    return std::find(branched_.begin(), branched_.end(), type) != branched_.end();
}

// One of several values that together determine the type `open`. A later one may widen it, so no
// expression is checked against the variable itself: what it concluded from the narrower type would
// then be wrong.
void Checker::join_into(const Type* open, const Expr& node) {
    if (is_sort(open, TypeSort::variable)) {
        const Type* own = types_.fresh();
        expect(node, own);
        if (known(own) != own && !types_.assign(own, open)) mismatch(node, open, own);
        return;
    }
    const Type* both = one_of(node, open);
    if (both != open) open->value = known(both);
}

// Gives the type that several values have determined to the variable that wanted it.
void Checker::settle(const Type* open, const Type* wanted, const Expr& node) {
    const bool is_undecided = known(open) == open;
    if (is_undecided) {
        types_.assign(wanted, open);
    } else if (!types_.assign(open, wanted)) {
        mismatch(node, wanted, open);
    }
}

const Type* Checker::if_else(const IfExpr& node, Use use, const Type* wanted) {
    const Type* then_end = nullptr;
    {
        const Scope scope(*this);
        if (node.pattern != nullptr) {
            const bool has_parts = node.pattern->kind != PatternKind::bind &&
                                   node.pattern->kind != PatternKind::wildcard;
            bind(*node.pattern, taken_apart(*node.condition, has_parts));
        } else {
            expect(*node.condition, types_.boolean());
        }
        then_end = block(*node.then_block, use, wanted);
    }
    if (node.else_branch == nullptr) return types_.nothing();
    const Type* else_end = last(*node.else_branch, use, wanted);
    if (is_sort(then_end, TypeSort::never)) return else_end;
    if (is_sort(else_end, TypeSort::never)) return then_end;
    return Types::is(else_end, types_.builtins.nothing) ? else_end : then_end;
}

const Type* Checker::match(const MatchExpr& node, Use use, const Type* wanted) {
    const bool has_parts = std::any_of(node.arms.begin(), node.arms.end(), [](const MatchArm& arm) {
        return arm.pattern->kind != PatternKind::bind && arm.pattern->kind != PatternKind::wildcard;
    });
    const Type* subject = taken_apart(*node.subject, has_parts);
    const Type* end = types_.never();
    bool are_right = true;
    for (const MatchArm& arm : node.arms) {
        const Scope scope(*this);
        has_wrong_pattern_ = false;
        bind(*arm.pattern, subject);
        are_right = are_right && !has_wrong_pattern_;
        if (arm.guard != nullptr) expect(*arm.guard, types_.boolean());
        const Type* arm_end = last(*arm.body, use, wanted);
        if (is_sort(end, TypeSort::never) || Types::is(arm_end, types_.builtins.nothing)) {
            end = is_sort(arm_end, TypeSort::never) ? end : arm_end;
        }
    }
    const Expr& of = bare(*node.subject);
    const bool is_message = of.kind == ExprKind::name && !message_name_.empty() &&
                            as<NameExpr>(of).text == message_name_;
    // A message without an arm is a dead letter; a match with a value must still be exhaustive.
    if (is_message && use == Use::nothing) {
        if (are_right) warn_useless_arms(node, subject);
        return is_sort(end, TypeSort::never) ? types_.nothing() : end;
    }
    if (are_right) check_exhaustive(node, subject);
    if (are_right) warn_useless_arms(node, subject);
    return end;
}

// The type that patterns match. No pattern matches the value of a future.
const Type* Checker::taken_apart(const Expr& subject, bool has_parts) {
    const Type* type = expr(subject);
    if (!has_parts) return type;
    const Type* awaited = types_.future_value(type);
    if (awaited == nullptr || !misses_await(subject, type, type_text(awaited))) return type;
    return awaited;
}

Diagnostic& Checker::warn_unreachable(Span place, std::string message) {
    if (module_->is_standard) return absorbed_ = {};
    return program_.diagnostics.warning("W0403", *module_->source, place, std::move(message));
}

void Checker::warn_dropped(const Expr& node, const Type* type) {
    // A wrong call says enough.
    if (last_error_.begin >= node.span.begin && last_error_.end <= node.span.end) return;
    if (Types::is(type, types_.builtins.result)) {
        program_.diagnostics
            .warning("W0404", *module_->source, node.span,
                     concat("this ", type_text(type), " is dropped: an error in it goes unseen"))
            .note("`?` passes the error on, `match` looks at it, `_ = ..` drops it on purpose");
        return;
    }
    if (!Types::is(type, types_.builtins.future)) return;
    const Expr& inner = bare(node);
    if (inner.kind == ExprKind::call) {
        const Expr& callee = bare(*as<CallExpr>(inner).callee);
        if (callee.kind == ExprKind::member && as<MemberExpr>(callee).name.text == "then") return;
    }
    Diagnostic& diagnostic = program_.diagnostics.warning(
        "W0401", *module_->source, node.span,
        concat("this ", type_text(type), " is never awaited or spawned, nothing will run"));
    if (!frames_.empty() && frames_.back().is_async) {
        diagnostic.suggest({node.span.begin, node.span.begin}, "await ", "put `await` before it");
    } else {
        diagnostic.note("`spawn(..)` starts it without waiting for it");
    }
}

}  // namespace gyre::vela::internal
