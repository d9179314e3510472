// SPDX-License-Identifier: Apache-2.0
// Expressions, from left to right.
#include <algorithm>
#include <charconv>

#include "lang/vela/reference/internal/evaluator.hpp"

namespace gyre::vela::internal {

Eval<Value> Evaluator::expr(const Expr& node, Place& at) {
    runtime_.count_step();
    Value value;
    switch (node.kind) {
        case ExprKind::integer:
            co_return integer_literal(as<LiteralExpr>(node).text);
        case ExprKind::real: {
            const std::string_view text = as<LiteralExpr>(node).text;
            double real = 0;
            std::from_chars(text.begin(), text.end(), real);
            co_return Value(real);
        }
        case ExprKind::boolean:
            co_return Value(as<LiteralExpr>(node).text == "true");
        case ExprKind::left_out:
            runtime_.fail("Error", "this was left out");
        case ExprKind::this_value:
            co_return Value(at.frame->home.self);
        case ExprKind::name:
            co_return name(as<NameExpr>(node), at);
        case ExprKind::string:
            value = co_await string(as<StringExpr>(node), at);
            break;
        case ExprKind::group:
            value = co_await expr(*as<WrapExpr>(node).inner, at);
            break;
        case ExprKind::tuple:
        case ExprKind::list:
            value = co_await items(as<ItemsExpr>(node), at);
            break;
        case ExprKind::map:
            value = co_await map(as<MapExpr>(node), at);
            break;
        case ExprKind::unary: {
            const auto& of = as<UnaryExpr>(node);
            if (of.op == TokenKind::minus && of.operand->kind == ExprKind::integer) {
                co_return integer_literal(as<LiteralExpr>(*of.operand).text, true);
            }
            value = co_await expr(*of.operand, at);
            co_return unary(runtime_, of.op, value);
        }
        case ExprKind::binary:
            value = co_await binary_expr(as<BinaryExpr>(node), at);
            break;
        case ExprKind::await:
            value = co_await expr(*as<AwaitExpr>(node).operand, at);
            value = co_await awaited(value);
            break;
        case ExprKind::call:
            value = co_await call(as<CallExpr>(node), at);
            break;
        case ExprKind::index: {
            const auto& of = as<IndexExpr>(node);
            const Value object = co_await expr(*of.object, at);
            const Value position = co_await expr(*of.position, at);
            co_return element(runtime_, object, position);
        }
        case ExprKind::member:
            value = co_await member(as<MemberExpr>(node), at);
            break;
        case ExprKind::propagate:
            value = co_await propagate(as<WrapExpr>(node), at);
            break;
        case ExprKind::if_else:
        case ExprKind::match: {
            const Completion done = co_await branch(node, at);
            if (done.flow != Flow::next) throw Leave{done.flow};
            co_return done.value;
        }
        case ExprKind::lambda:
            co_return lambda(as<LambdaExpr>(node), at);
        case ExprKind::async_block:
            co_return async_block(as<AsyncBlockExpr>(node), at);
        case ExprKind::struct_literal:
            value = co_await struct_literal(as<StructExpr>(node), at);
            break;
    }
    co_return value;
}

Eval<Value> Evaluator::string(const StringExpr& node, Place& at) {
    std::string text;
    for (const StringPart& part : node.parts) {
        if (part.value != nullptr) {
            const Value value = co_await expr(*part.value, at);
            text += printed(value);
        } else {
            text += node.is_raw ? std::string(part.text) : unescaped(part.text);
        }
    }
    co_return heap_.text(text);
}

Eval<Value> Evaluator::items(const ItemsExpr& node, Place& at) {
    if (node.kind == ExprKind::tuple && node.items.empty()) co_return Value();
    Values values;
    for (const Expr* item : node.items) {
        const Value value = co_await expr(*item, at);
        values.push_back(heap_.copied(value));
    }
    if (node.kind == ExprKind::tuple) co_return Value(heap_.make<Tuple>(std::move(values)));
    co_return Value(heap_.make<List>(std::move(values)));
}

Eval<Value> Evaluator::map(const MapExpr& node, Place& at) {
    auto* made = heap_.make<Map>();
    for (const MapEntry& entry : node.entries) {
        const Value key = co_await expr(*entry.key, at);
        const Value value = co_await expr(*entry.value, at);
        const auto same =
            std::find_if(made->entries.begin(), made->entries.end(),
                         [&](const auto& other) { return are_equal(other.first, key); });
        if (same != made->entries.end()) {
            same->second = heap_.copied(value);
        } else {
            made->entries.emplace_back(heap_.copied(key), heap_.copied(value));
        }
    }
    co_return Value(made);
}

Eval<Value> Evaluator::binary_expr(const BinaryExpr& node, Place& at) {
    const Value left = co_await expr(*node.left, at);
    if (node.op == TokenKind::and_and && !*left.truth()) co_return left;
    if (node.op == TokenKind::or_or && *left.truth()) co_return left;
    const bool is_default = node.op == TokenKind::double_question;
    if (is_default && (is_variant(left, "Some") || is_variant(left, "Ok"))) {
        co_return left.as<EnumValue>()->payload[0];
    }
    const Value right = co_await expr(*node.right, at);
    const bool is_right =
        is_default || node.op == TokenKind::and_and || node.op == TokenKind::or_or;
    if (is_right) co_return right;
    if (node.op == TokenKind::range || node.op == TokenKind::range_inclusive) {
        co_return range(runtime_, left, right, node.op == TokenKind::range_inclusive);
    }
    co_return binary(runtime_, node.op, left, right);
}

Eval<Value> Evaluator::awaited(Value future) {
    const Resume with = co_await Stop{{StepKind::waits, future}, nullptr};
    co_return with.value;
}

Eval<Value> Evaluator::propagate(const WrapExpr& node, Place& at) {
    const Value value = co_await expr(*node.inner, at);
    const auto* variant = value.as<EnumValue>();
    if (variant->name == "Some" || variant->name == "Ok") co_return variant->payload[0];
    const bool is_option = variant->name == "None";
    const Passing passing = at.frame->passing;
    const Meaning& noted = at.frame->home.module->facts[node.index].meaning;
    const bool passes_on = passing == Passing::noted
                               ? noted.kind == MeaningKind::passes_on
                               : passing == (is_option ? Passing::option : Passing::result);
    if (passes_on) {
        at.frame->result = value;
        throw Leave{Flow::returns};
    }
    if (is_option) runtime_.fail("NoneError", "unwrapped None");
    const Value error = variant->payload[0];
    if (runtime_.is_error(error) || runtime_.is_cancelled(error)) throw Thrown{error};
    runtime_.fail("Error", printed(error));
}

Eval<Value> Evaluator::member(const MemberExpr& node, Place& at) {
    const Named outer = named(*node.object, at);
    const std::string_view text = node.name.text;
    if (outer.module != nullptr) {
        const Symbol* found = symbol(*outer.module, text);
        if (found == nullptr) throw InternalError{"unknown name " + std::string(text)};
        co_return symbol_value(*found);
    }
    const EnumDecl* choice = outer.local;
    const bool is_enum = outer.type != nullptr && outer.type->kind == DeclKind::enumeration;
    if (is_enum) choice = &as<EnumDecl>(*outer.type->node);
    if (choice != nullptr) {
        for (const Variant& variant : choice->variants) {
            if (variant.name.text != text) continue;
            co_return variant.args.empty() ? heap_.variant(text) : variant_function(runtime_, text);
        }
    }
    if (outer.type != nullptr) {
        const FoundMember found = find_member(outer.type, text, true);
        if (found.method == nullptr) throw InternalError{"unknown name " + std::string(text)};
        const bool is_native = found.method->module->is_standard;
        co_return is_native ? native_function(runtime_, *found.method, {})
                            : Value(method(*found.method, nullptr));
    }
    const Value object = co_await expr(*node.object, at);
    if (node.op != TokenKind::question_dot) co_return member_of(object, text);
    if (is_variant(object, "None") || is_variant(object, "Err")) co_return heap_.none();
    const Value value = member_of(object.as<EnumValue>()->payload[0], text);
    const bool is_option = is_variant(value, "Some") || is_variant(value, "None");
    co_return is_option ? value : heap_.some(value);
}

Value Evaluator::member_of(Value object, std::string_view text) {
    if (const auto* tuple = object.as<Tuple>()) {
        return tuple->items.at(static_cast<std::size_t>(std::stoul(std::string(text))));
    }
    auto* of = object.as<Object>();
    if (of != nullptr && of->field(text) != nullptr) return *of->field(text);
    const FoundMember found = find_member(type_of(runtime_, object), text);
    if (found.method != nullptr) {
        const bool is_native = found.method->module->is_standard;
        return is_native ? native_function(runtime_, *found.method, object)
                         : Value(method(*found.method, of));
    }
    return native_field(runtime_, text, object);
}

Value Evaluator::lambda(const LambdaExpr& node, Place& at) {
    auto* closure = heap_.make<Closure>(*this, nullptr, &node);
    closure->home = at.frame->home;
    closure->names = at.names;
    closure->group = at.group;
    return closure;
}

Value Evaluator::async_block(const AsyncBlockExpr& node, Place& at) {
    Frame frame;
    frame.home = at.frame->home;
    frame.passing = Passing::noted;
    Eval<Value> inside = body(*node.body, frame, at, true, nullptr);
    return runtime_.make_future("block", std::make_unique<EvalRoutine>(std::move(inside)));
}

Eval<Value> Evaluator::struct_literal(const StructExpr& node, Place& at) {
    const TypeInfo* type = written_type(*node.type, at.frame->home);
    if (type == nullptr) throw InternalError{"an unknown type"};
    Given given(type->fields.size());
    std::vector<std::pair<std::string_view, Value>> inherited;
    for (const FieldValue& field : node.fields) {
        Value value;
        if (field.value != nullptr) {
            value = co_await expr(*field.value, at);
        } else {
            NameExpr variable;
            variable.text = field.name.text;
            value = name(variable, at);
        }
        value = heap_.copied(value);
        const auto own =
            std::find_if(type->fields.begin(), type->fields.end(),
                         [&](const FieldInfo& info) { return info.name.text == field.name.text; });
        if (own == type->fields.end()) {
            inherited.emplace_back(field.name.text, value);
        } else {
            given[static_cast<std::size_t>(own - type->fields.begin())] = value;
        }
    }
    auto* object = heap_.make<Object>(type);
    co_await fill_fields(*object, *type, &given);
    for (const auto& [field, value] : inherited) *object->field(field) = value;
    co_return Value(object);
}

}  // namespace gyre::vela::internal
