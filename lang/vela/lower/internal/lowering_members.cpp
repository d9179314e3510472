// SPDX-License-Identifier: Apache-2.0
// Members that are not called, and `?.`.
#include "lang/vela/lower/internal/lowering.hpp"
#include "lang/vela/syntax/diagnostic.hpp"

namespace gyre::vela::internal {

Register Lowering::field_of(Register object, const FieldInfo& field, const Type* type,
                            Register to) {
    to = out(to, type);
    emitter_.emit(Op::get_field, to, {object}).field = &field;
    return to;
}

Register Lowering::optional(const MemberExpr& node, const Type* type, Register to,
                            const Type* inner_type,
                            const std::function<Register(Register object)>& inner) {
    const Type* outer = type_of(*node.object);
    const VariantInfo* good = good_variant(outer);
    const Label none = emitter_.make_label();
    const Label after = emitter_.make_label();
    const Register object = value(*node.object);
    const Register is_good = emitter_.make_register(types().boolean());
    emitter_.emit(Op::is_variant, is_good, {object}).variant = good;
    test(is_good, none);
    const bool is_wrapped = outer->sort == TypeSort::nominal && !outer->args.empty();
    const Register inside =
        emitter_.make_register(is_wrapped ? known(outer->args[0]) : types().error());
    emitter_.emit(Op::payload, inside, {object}).variant = good;
    const Register found = inner(inside);
    to = out(to, type);
    if (Types::is(inner_type, builtins().option)) {
        emitter_.move(to, found);
    } else {
        emitter_.emit(Op::variant, to, {found}).variant = &builtins().option->variants[0];
    }
    emitter_.jump(after);
    emitter_.place(none);
    emitter_.emit(Op::variant, to, {}).variant = &builtins().option->variants[1];
    emitter_.place(after);
    return to;
}

Register Lowering::member(const MemberExpr& node, Register to) {
    const Meaning meaning = meaning_of(node);
    const Type* type = type_of(node);
    if (meaning.kind == MeaningKind::global) {
        to = out(to, type);
        emitter_.emit(Op::get_global, to, {}).symbol = meaning.symbol;
        return to;
    }
    if (meaning.kind == MeaningKind::item) {
        const Register object = value(*node.object);
        to = out(to, type);
        emitter_.emit(Op::item, to, {object}).number = meaning.place;
        return to;
    }
    const auto of_object = [&](Register object, const Type* member_type, Register place) {
        if (meaning.kind == MeaningKind::field) {
            return field_of(object, *meaning.field, member_type, place);
        }
        // A method as a value: binds its object.
        if (meaning.kind != MeaningKind::method || member_type->sort != TypeSort::function) {
            return out(place, member_type);
        }
        Code& code = session_.make_code(concat(code_.name, ".", meaning.function->name.text),
                                        module_, CodeKind::plain, member_type->result);
        code.place = code_.place;
        Lowering inner(session_, code, module_, this);
        inner.wrapper(meaning, member_type, object, code_.registers[object].type);
        return closure(code, inner, member_type, place);
    };
    if (node.op == TokenKind::question_dot) {
        const Type* outer = type_of(*node.object);
        const bool is_wrapped = outer->sort == TypeSort::nominal && !outer->args.empty();
        const Type* object_type = is_wrapped ? known(outer->args[0]) : types().error();
        const Type* member_type = types().error();
        if (const Member found = types().find_member(object_type, node.name.text)) {
            member_type =
                known(found.field != nullptr ? types().seen_from(found.field->type, found.owner)
                                             : types().method_type(found));
        }
        return optional(node, type, to, member_type, [&](Register object) {
            return of_object(object, member_type, no_register);
        });
    }
    if (meaning.kind == MeaningKind::field || meaning.kind == MeaningKind::method) {
        return of_object(value(*node.object), type, to);
    }
    return function_value(meaning, type, to);
}

}  // namespace gyre::vela::internal
