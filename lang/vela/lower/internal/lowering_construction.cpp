// SPDX-License-Identifier: Apache-2.0
// Construction of objects: allocate, initialize the fields, run the constructor.
#include <algorithm>

#include "lang/vela/lower/internal/lowering.hpp"

namespace gyre::vela::internal {

// Omitted fields get their declared defaults.
void Lowering::fill_fields(Register object, const TypeInfo& info, std::vector<Register> given) {
    if (info.is_standard) {
        // A class may extend a class of the standard surface.
        if (info.base != nullptr) fill_fields(object, *known(info.base)->info, {});
        for (const FieldInfo& field : info.fields) {
            const Register filled = fill(field.type, no_register);
            if (filled == no_register) continue;
            emitter_.emit(Op::set_field, no_register, {object, filled}).field = &field;
        }
        return;
    }
    given.resize(info.fields.size(), no_register);
    std::vector<Register> args{object};
    for (std::size_t i = 0; i < given.size(); ++i) {
        if (given[i] == no_register) {
            given[i] = emitter_.make_register(info.fields[i].type);
            emitter_.emit(Op::clear, given[i], {});
        }
        args.push_back(given[i]);
    }
    const Register done = emitter_.make_register(types().nothing());
    emitter_.emit(Op::call, done, args).code = &session_.fields_of(info);
}

Register Lowering::construct(const CallExpr& node, const TypeInfo& info, Register to) {
    const Type* type = type_of(node);
    const FunctionInfo* constructor = constructor_of(info);
    std::vector<ParamInfo> params;
    if (constructor != nullptr) {
        params = constructor->params;
    } else {
        for (const FieldInfo& field : info.fields) params.push_back({field.name, field.type, true});
    }
    std::vector<Register> args = arguments(node.args, params);
    const Register object = emitter_.make_register(type);
    emitter_.set_place(node.span);
    emitter_.emit(Op::create, object, {}).type = &info;
    if (constructor == nullptr) {
        if (!info.is_standard) fill_fields(object, info, args);
    } else {
        if (!info.is_standard) fill_fields(object, info, {});
        args.insert(args.begin(), object);
        run_constructor(*constructor, args);
    }
    if (to == no_register) return object;
    emitter_.move(to, object);
    return to;
}

// The object is the first argument.
void Lowering::run_constructor(const FunctionInfo& constructor, std::span<const Register> args) {
    const Register done = emitter_.make_register(types().nothing());
    const bool is_native = constructor.module->is_standard || constructor.node->body == nullptr;
    Instruction& made = emitter_.emit(is_native ? Op::call_native : Op::call, done, args);
    if (is_native) {
        made.function = &constructor;
    } else {
        made.code = &session_.code_of(constructor);
    }
}

// The fields have their default values already.
Register Lowering::super(const CallExpr& node, const TypeInfo& base, Register to) {
    const Register object = this_register();
    if (const FunctionInfo* constructor = constructor_of(base)) {
        std::vector<Register> args = arguments(node.args, constructor->params);
        args.insert(args.begin(), object);
        emitter_.set_place(node.span);
        run_constructor(*constructor, args);
        return nothing_value(to);
    }
    std::vector<std::pair<const FieldInfo*, Register>> given;
    std::size_t position = 0;
    for (const Argument& argument : node.args) {
        const FieldInfo* field = nullptr;
        if (argument.name.text.empty()) {
            field = &base.fields[position++];
        } else {
            field = &*std::find_if(
                base.fields.begin(), base.fields.end(),
                [&](const FieldInfo& other) { return other.name.text == argument.name.text; });
        }
        given.emplace_back(field, kept(*argument.value, true));
    }
    for (const auto& [field, value] : given) {
        emitter_.emit(Op::set_field, no_register, {object, value}).field = field;
    }
    return nothing_value(to);
}

Register Lowering::struct_literal(const StructExpr& node, Register to) {
    const Type* type = type_of(node);
    if (type->sort != TypeSort::nominal) return out(to, type);
    const TypeInfo& info = *type->info;
    std::vector<bool> is_changed(node.fields.size() + 1);
    for (std::size_t i = node.fields.size(); i > 0; --i) {
        is_changed[i - 1] = is_changed[i] || may_assign(*node.fields[i - 1].value);
    }
    std::vector<Register> given(info.fields.size(), no_register);
    // The fields of the base class are initialized afterwards.
    std::vector<std::pair<const FieldInfo*, Register>> inherited;
    for (std::size_t i = 0; i < node.fields.size(); ++i) {
        const FieldValue& field = node.fields[i];
        const Register made = kept(*field.value, is_changed[i + 1]);
        const auto own = std::find_if(
            info.fields.begin(), info.fields.end(),
            [&](const FieldInfo& other) { return other.name.text == field.name.text; });
        if (own != info.fields.end()) {
            given[static_cast<std::size_t>(own - info.fields.begin())] = made;
        } else if (const Member found = types().find_member(type, field.name.text)) {
            inherited.emplace_back(found.field, made);
        }
    }
    const Register object = emitter_.make_register(type);
    emitter_.emit(Op::create, object, {}).type = &info;
    fill_fields(object, info, given);
    for (const auto& [field, made] : inherited) {
        emitter_.emit(Op::set_field, no_register, {object, made}).field = field;
    }
    if (to == no_register) return object;
    emitter_.move(to, object);
    return to;
}

// The default value of a type; no register if it has none.
Register Lowering::fill(const Type* type, Register to, int depth) {
    type = known(type);
    if (type->sort != TypeSort::nominal || depth > 8) return no_register;
    const Builtins& b = builtins();
    const TypeInfo& info = *type->info;
    if (&info == b.number) return constant(std::int64_t{0}, type, to);
    if (&info == b.real) return constant(0.0, type, to);
    if (&info == b.string) return constant(std::string(), type, to);
    if (&info == b.boolean) return constant(false, type, to);
    if (&info == b.nothing) return nothing_value(to);
    if (&info == b.list || &info == b.queue || &info == b.set) return items(Op::list, {}, type, to);
    if (&info == b.map) return items(Op::map, {}, type, to);
    if (&info == b.option) {
        to = out(to, type);
        emitter_.emit(Op::variant, to, {}).variant = &b.option->variants[1];
        return to;
    }
    const bool is_made =
        (info.kind == DeclKind::klass || info.kind == DeclKind::actor) && !info.is_abstract;
    const FunctionInfo* constructor = constructor_of(info);
    const bool takes_nothing = constructor == nullptr ||
                               std::all_of(constructor->params.begin(), constructor->params.end(),
                                           [](const ParamInfo& param) { return param.has_value; });
    if (!is_made || !takes_nothing) return no_register;
    to = out(to, type);
    emitter_.emit(Op::create, to, {}).type = &info;
    if (!info.is_standard) fill_fields(to, info, {});
    if (constructor == nullptr) return to;
    std::vector<Register> args{to};
    for (const ParamInfo& param : constructor->params) {
        args.push_back(emitter_.make_register(param.type));
        emitter_.emit(Op::clear, args.back(), {});
    }
    run_constructor(*constructor, args);
    return to;
}

}  // namespace gyre::vela::internal
