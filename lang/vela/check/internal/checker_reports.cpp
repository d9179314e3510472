// SPDX-License-Identifier: Apache-2.0
// Messages of the checker, and their fixes.
#include "lang/vela/check/internal/checker.hpp"
#include "lang/vela/syntax/diagnostic.hpp"

namespace gyre::vela::internal {
namespace {

// `e?.m` or `e?.m()`.
bool is_optional_chain(const Expr& node) {
    const Expr& inner = bare(node);
    const Expr& member = inner.kind == ExprKind::call ? bare(*as<CallExpr>(inner).callee) : inner;
    return member.kind == ExprKind::member && as<MemberExpr>(member).op == TokenKind::question_dot;
}

}  // namespace

Diagnostic& Checker::error(std::string_view code, Span span, std::string message) {
    last_error_ = span;
    return program_.diagnostics.error(code, *module_->source, span, std::move(message));
}

const Type* Checker::mismatch(const Expr& node, const Type* wanted, const Type* found) {
    report_mismatch(node, wanted, found);
    return types_.error();
}

const Type* Checker::mismatch_text(const Expr& node, std::string_view wanted, const Type* found) {
    if (Types::has_error(found)) return types_.error();
    error("E0303", node.span, concat("expected ", wanted, ", found ", type_text(found)));
    return types_.error();
}

// Reports at the innermost part of a literal that does not fit.
Diagnostic& Checker::blame(const Expr& node, const Type* wanted) {
    const Expr& inner = bare(node);
    wanted = known(wanted);
    const auto is_wrong = [&](const Expr& part, const Type* type) {
        return fact(part).type != nullptr && !types_.fits(fact(part).type, type);
    };
    if (inner.kind == ExprKind::list && wanted->sort == TypeSort::nominal &&
        wanted->args.size() == 1) {
        for (const Expr* item : as<ItemsExpr>(inner).items) {
            if (is_wrong(*item, wanted->args[0])) return blame(*item, wanted->args[0]);
        }
    }
    if (inner.kind == ExprKind::tuple && wanted->sort == TypeSort::tuple) {
        const auto& items = as<ItemsExpr>(inner).items;
        for (std::size_t i = 0; i < items.size() && i < wanted->args.size(); ++i) {
            if (is_wrong(*items[i], wanted->args[i])) return blame(*items[i], wanted->args[i]);
        }
    }
    const Meaning& meaning = fact(inner).meaning;
    if (inner.kind == ExprKind::call && meaning.kind == MeaningKind::variant &&
        Types::is(wanted, meaning.variant->owner)) {
        const auto& args = as<CallExpr>(inner).args;
        for (std::size_t i = 0; i < args.size() && i < meaning.variant->args.size(); ++i) {
            const Type* part = types_.seen_from(meaning.variant->args[i].type, wanted);
            if (is_wrong(*args[i].value, part)) return blame(*args[i].value, part);
        }
    }
    return report_mismatch(node, wanted, fact(node).type);
}

Diagnostic& Checker::report_mismatch(const Expr& node, const Type* wanted, const Type* found) {
    // Types that only the standard surface uses.
    if (Types::is(wanted, types_.builtins.eventual)) wanted = known(wanted)->args[0];
    if (Types::is(wanted, types_.builtins.sequence)) wanted = types_.list(known(wanted)->args[0]);
    // A consequence of an error that was reported.
    if (Types::has_error(wanted) || Types::has_error(found)) return absorbed_ = {};
    std::string wanted_text = type_text(wanted);
    if (wanted_text.starts_with("PromiseLike")) wanted_text.erase(7, 4);
    std::string text = concat("expected ", wanted_text, ", found ", type_text(found));
    const Type* awaited = types_.future_value(found);
    const bool forgot_await = awaited != nullptr && types_.assign(awaited, wanted);
    if (forgot_await) text += " (forgot `await`?)";
    Diagnostic& diagnostic = error("E0303", node.span, std::move(text));
    const Type* option = known(wanted);
    if (forgot_await && !frames_.empty() && frames_.back().is_async) {
        diagnostic.suggest({node.span.begin, node.span.begin}, "await ", "put `await` before it");
    } else if (Types::is(wanted, types_.builtins.real) && node.kind == ExprKind::integer) {
        const std::string real = concat(module_->source->text(node.span), ".0");
        diagnostic.suggest(node.span, real, concat("write `", real, "`"));
    } else if (const VariantInfo* variant = variant_of_value(wanted, found)) {
        const std::string value =
            concat(variant->name.text, "(", module_->source->text(node.span), ")");
        if (value.size() < 60) diagnostic.suggest(node.span, value, concat("write `", value, "`"));
    } else if (Types::is(wanted, types_.builtins.option) && types_.assign(found, option->args[0])) {
        const std::string some = concat("Some(", module_->source->text(node.span), ")");
        if (some.size() < 60) diagnostic.suggest(node.span, some, concat("write `", some, "`"));
    } else if (Types::is(found, types_.builtins.option) ||
               Types::is(found, types_.builtins.result)) {
        const Type* inside = known(known(found)->args[0]);
        if (inside->sort == TypeSort::variable && node.kind == ExprKind::name) {
            diagnostic.note(concat("only a `", type_text(wanted), "?` can be None"));
        } else if (is_optional_chain(node) && types_.fits(inside, wanted)) {
            diagnostic.note(
                "`?.` goes on inside the Option and gives an Option; `(..?)` in parentheses takes "
                "the value out first, `??` gives another one at the end");
        } else if (types_.assign(inside, wanted)) {
            diagnostic.note("`?` takes the value out, `??` gives another one where there is none");
        }
    } else {
        explain_invariance(diagnostic, wanted, found);
        explain_plain(diagnostic, node, wanted, found);
    }
    if (Types::is(wanted, types_.builtins.boolean)) explain_condition(diagnostic, found);
    return diagnostic;
}

void Checker::explain_plain(Diagnostic& diagnostic, const Expr& node, const Type* wanted,
                            const Type* found) {
    const ExprKind kind = bare(node).kind;
    const bool is_half_if =
        kind == ExprKind::if_else && as<IfExpr>(bare(node)).else_branch == nullptr;
    if (is_half_if) {
        diagnostic.note("without an `else` there is no value where the condition is false");
    } else if (Types::is(wanted, types_.builtins.string) && is_numeric(found)) {
        diagnostic.note("`\"${value}\"` is the text of a value");
    }
}

const Type* Checker::wrong_operand(const BinaryExpr& node, const Expr& operand, const Type* wanted,
                                   const Type* found) {
    Diagnostic& diagnostic = report_mismatch(operand, wanted, found);
    const std::string_view sign = module_->source->text(node.sign);
    const bool is_list = types_.as_base(found, types_.builtins.sequence) != nullptr;
    const bool is_text = Types::is(found, types_.builtins.string);
    if (node.op == TokenKind::plus && is_list) {
        diagnostic.note("`concat(..)` joins two lists");
    } else if (node.op == TokenKind::star && is_text) {
        diagnostic.note("`repeat(n)` repeats a string");
    } else if (types_.future_value(found) == nullptr) {
        const bool is_comparison = node.op == TokenKind::less || node.op == TokenKind::greater ||
                                   node.op == TokenKind::less_equal ||
                                   node.op == TokenKind::greater_equal;
        diagnostic.note(concat("`", sign, "` works on Number and Float",
                               is_comparison                ? ", and on two Strings"
                               : node.op == TokenKind::plus ? ", and joins text to a String"
                                                            : ""));
    }
    return types_.error();
}

// Other languages take more than truth values as conditions.
void Checker::explain_condition(Diagnostic& diagnostic, const Type* found) {
    if (is_numeric(found)) {
        diagnostic.note("a condition is a Bool: compare the number, as in `n != 0`");
    } else if (Types::is(found, types_.builtins.option)) {
        diagnostic.note("`if let Some(x) = ..` takes the value out, `isSome` asks for it");
    } else if (types_.find_member(found, "isEmpty")) {
        diagnostic.note("a condition is a Bool: ask for `isEmpty`");
    }
}

// A container of a subtype fits only where it is read.
void Checker::explain_invariance(Diagnostic& diagnostic, const Type* wanted, const Type* found) {
    wanted = known(wanted);
    if (wanted->sort != TypeSort::nominal) return;
    const Type* base = types_.as_base(found, wanted->info);
    if (base == nullptr || base->args.empty()) return;
    for (std::size_t i = 0; i < base->args.size(); ++i) {
        if (!types_.fits(base->args[i], wanted->args[i])) return;
    }
    const std::size_t last = base->args.size() - 1;
    diagnostic.note(concat("a ", wanted->info->name.text, " can be written to: through `",
                           type_text(wanted), "` something could get into it that is no ",
                           type_text(base->args[last])));
    if (types_.as_base(wanted, types_.builtins.sequence) != nullptr) {
        diagnostic.note(concat("a parameter that is only read can be a `Sequence<",
                               type_text(wanted->args[0]), ">`, which takes both"));
    }
}

// A missing field in a construction.
void Checker::lacks_value(const Name& field, const Module& module, Span made_at) {
    program_.diagnostics
        .error("E0310", *module.source, field.span,
               concat("field `", field.text, "` needs a value"))
        .note(*module_->source, made_at, "made here without one");
}

// A Future was given where its value is wanted: reports a missing await.
bool Checker::misses_await(const Expr& node, const Type* found, const std::string& wanted) {
    if (types_.future_value(found) == nullptr) return false;
    Diagnostic& diagnostic =
        error("E0303", node.span,
              concat("expected ", wanted, ", found ", type_text(found), " (forgot `await`?)"));
    if (!frames_.empty() && frames_.back().is_async) {
        diagnostic.suggest({node.span.begin, node.span.begin}, "await ", "put `await` before it");
    }
    return true;
}

void Checker::unknown(const Name& name, std::string_view what,
                      const std::vector<std::string_view>& candidates) {
    if (program_.diagnostics.is_full()) return;
    Diagnostic& diagnostic =
        error("E0307", name.span, concat("unknown ", what, " `", name.text, "`"));
    if (what == "name" && add_hint(diagnostic, name)) return;
    if (const std::string_view meant = nearest(name.text, candidates); !meant.empty()) {
        diagnostic.suggest(name.span, std::string(meant), concat("did you mean `", meant, "`?"));
    }
}

// The standard surface has no source place to show.
void Checker::declared_here(Diagnostic& diagnostic, const Module* module, Span place) const {
    if (module == nullptr || module->is_standard) return;
    diagnostic.note(*module->source, place, "declared here");
}

void Checker::require_async(std::string_view code, Span keyword, std::string_view what) {
    if (!frames_.empty() && frames_.back().is_async) return;
    Diagnostic& diagnostic =
        error(code, keyword, concat("`", what, "` is only allowed inside an `async fn`"));
    if (frames_.empty()) return;
    const Frame& frame = frames_.back();
    if (frame.is_lambda) {
        diagnostic.note(*module_->source, {frame.place.begin, frame.place.begin + 1},
                        "this lambda is not async, whatever stands around it");
        diagnostic.suggest({frame.place.begin, frame.place.begin}, "async ",
                           "write `async` before the lambda");
    } else if (!frame.name.empty()) {
        diagnostic.note(*module_->source, frame.place,
                        concat("`", frame.name, "` is declared here without `async`"));
    }
}

}  // namespace gyre::vela::internal
