// SPDX-License-Identifier: Apache-2.0
// Resolution of names and members.
#include <algorithm>
#include <charconv>

#include "lang/vela/check/internal/checker.hpp"
#include "lang/vela/syntax/diagnostic.hpp"

namespace gyre::vela::internal {

const Type* Checker::written(const TypeNode& node) {
    return declarations_.type(*module_, node, generics_);
}

const Checker::Local* Checker::find_local(std::string_view text) const {
    // `_` is not a name.
    if (text == "_") return nullptr;
    const auto places = local_places_.find(text);
    if (places == local_places_.end() || places->second.empty()) return nullptr;
    return &locals_[places->second.back()];
}

// A field of `this` may be written without it.
Member Checker::own_field(std::string_view text) {
    if (!has_this_) return {};
    const Member found = types_.find_member(class_->self, text);
    return found.field == nullptr ? Member{} : found;
}

const VariantInfo* Checker::variant_of(const TypeInfo* info, std::string_view text) const {
    return variant_named(*info, text);
}

// A bare variant: of the wanted enum, of an enum visible in the block, or of the module.
const VariantInfo* Checker::find_variant(std::string_view text, const Type* wanted) {
    if (wanted != nullptr && is_sort(wanted, TypeSort::nominal)) {
        if (const VariantInfo* found = variant_of(known(wanted)->info, text)) return found;
    }
    const auto& locals = declarations_.local_types;
    for (auto info = locals.rbegin(); info != locals.rend(); ++info) {
        if (const VariantInfo* found = variant_of(*info, text)) return found;
    }
    if (class_ != nullptr) {
        for (const TypeInfo* nested : class_->nested) {
            if (const VariantInfo* found = variant_of(nested, text)) return found;
        }
    }
    const Symbol* symbol = find_symbol(program_, *module_, text);
    return symbol != nullptr && symbol->kind == SymbolKind::variant ? symbol->variant : nullptr;
}

const Type* Checker::name(const NameExpr& node, const Type* wanted) {
    if (const Local* local = find_local(node.text)) {
        const Type* type = local->function != nullptr
                               ? types_.method_type({.method = local->function})
                               : local->type;
        return means(node, type, use(*local));
    }
    if (const Member own = own_field(node.text)) {
        check_visible(own, {node.text, node.span});
        return means(node, types_.seen_from(own.field->type, own.owner),
                     Meaning::of(MeaningKind::field, own.field));
    }
    if (const VariantInfo* variant = find_variant(node.text, wanted)) {
        return means(node, function_value(of_variant(*variant, wanted)), Meaning::of(variant));
    }
    const Symbol* symbol = find_symbol(program_, *module_, node.text);
    if (symbol != nullptr && symbol->kind == SymbolKind::variable) {
        return means(node, symbol->type, Meaning::of(symbol));
    }
    if (symbol != nullptr && symbol->kind == SymbolKind::function) {
        return means(node, types_.method_type({.method = symbol->function}),
                     Meaning::of(MeaningKind::function, symbol->function));
    }
    if (symbol == nullptr && node.text == "spawn") return spawn_value(node, wanted);
    if (symbol != nullptr || named(node).info != nullptr) {
        error("E0303", node.span,
              concat("expected a value, found the ",
                     symbol != nullptr && symbol->kind == SymbolKind::module ? "module" : "type",
                     " `", node.text, "`"));
        return types_.error();
    }
    std::vector<std::string_view> candidates;
    for (const Local& local : locals_) candidates.push_back(local.name);
    if (has_this_) {
        for (const FieldInfo& field : class_->fields) candidates.push_back(field.name.text);
    }
    for (const Module* module : {module_, static_cast<const Module*>(&program_.standard)}) {
        for (const auto& [text, known_symbol] : module->declared) candidates.push_back(text);
    }
    for (const auto& [text, imported] : module_->imported) candidates.push_back(text);
    if (is_asked(node.text)) note_asked(AskedKind::name).type = wanted;
    unknown({node.text, node.span}, "name", candidates);
    return types_.error();
}

Checker::Named Checker::named(const Expr& node) {
    if (node.kind == ExprKind::name) {
        const auto& of = as<NameExpr>(node);
        if (find_local(of.text) != nullptr) return {};
        for (auto info = declarations_.local_types.rbegin();
             info != declarations_.local_types.rend(); ++info) {
            if ((*info)->name.text == of.text) return {*info, of.type_args, nullptr};
        }
        if (class_ != nullptr) {
            for (const TypeInfo* nested : class_->nested) {
                if (nested->name.text == of.text) return {nested, of.type_args, nullptr};
            }
        }
        const Symbol* symbol = find_type_symbol(program_, *module_, of.text);
        if (symbol == nullptr) return {};
        if (symbol->kind == SymbolKind::type) return {symbol->info, of.type_args, nullptr};
        if (symbol->kind == SymbolKind::module) return {nullptr, {}, symbol->target};
        if (symbol->kind != SymbolKind::alias) return {};
        const Name path[] = {{of.text, of.span}};
        TypeNode written_as;
        written_as.kind = TypeKind::name;
        written_as.span = of.span;
        written_as.path = path;
        written_as.parts = of.type_args;
        const Type* meant = known(written(written_as));
        if (meant->sort != TypeSort::nominal) return {};
        return {meant->info, {}, nullptr, meant};
    }
    if (node.kind != ExprKind::member) return {};
    const auto& of = as<MemberExpr>(node);
    const Named outer = named(*of.object);
    if (outer.module != nullptr) {
        const Symbol* symbol = find_exported(*outer.module, of.name.text);
        if (symbol != nullptr && symbol->kind == SymbolKind::type) {
            return {symbol->info, of.type_args, nullptr};
        }
    }
    if (outer.info != nullptr) {
        for (const TypeInfo* nested : outer.info->nested) {
            if (nested->name.text == of.name.text) return {nested, of.type_args, nullptr};
        }
    }
    return {};
}

// A static function is called on a type, whose arguments are written or inferred.
const Type* Checker::instance_of(const Named& type) {
    if (type.meant != nullptr) return type.meant;
    check_type_args(type.info->name.text, type.info->params.size(), type.args);
    std::vector<const Type*> args;
    for (std::size_t i = 0; i < type.info->params.size(); ++i) {
        args.push_back(i < type.args.size() ? written(*type.args[i]) : types_.fresh());
    }
    return types_.nominal(type.info, std::move(args));
}

void Checker::check_visible(const Member& found, const Name& of) {
    const TypeInfo* owner = found.field != nullptr ? found.field->owner : found.method->owner;
    const Visibility visibility =
        found.field != nullptr ? found.field->node->visibility : found.method->visibility;
    const bool is_inside = class_ == owner;
    const bool is_below =
        class_ != nullptr && owner != nullptr && types_.as_base(class_->self, owner) != nullptr;
    const bool is_hidden = (visibility == Visibility::is_private && !is_inside) ||
                           (visibility == Visibility::is_protected && !is_below);
    const bool is_of_actor =
        owner != nullptr && owner->kind == DeclKind::actor && !is_inside && found.field != nullptr;
    if (!is_hidden && !is_of_actor) return;
    Diagnostic& diagnostic = error(
        "E0313", of.span,
        is_of_actor ? concat("the field `", of.text, "` of an actor is not reachable from outside")
                    : concat("`", of.text, "` is ",
                             visibility == Visibility::is_private ? "private" : "protected"));
    const Name& place = found.field != nullptr ? found.field->name : found.method->name;
    declared_here(diagnostic, owner->module, place.span);
}

void Checker::unknown_member(const Type* type, const Name& of) {
    type = known(type);
    if (is_asked(of.text)) note_asked(AskedKind::member).type = type;
    if (type->sort == TypeSort::error) return;
    std::vector<std::string_view> candidates;
    for (const Type* at = type; at != nullptr && at->sort == TypeSort::nominal;) {
        const TypeInfo* info = at->info->members != nullptr ? at->info->members : at->info;
        for (const FieldInfo& field : info->fields) candidates.push_back(field.name.text);
        for (const FunctionInfo* method : info->methods) candidates.push_back(method->name.text);
        at = info->base == nullptr ? nullptr : known(info->base);
    }
    Diagnostic& diagnostic = error(
        "E0307", of.span, concat("unknown name `", of.text, "`: ", type_text(type), " has none"));
    if (const std::string_view meant = nearest(of.text, candidates); !meant.empty()) {
        diagnostic.suggest(of.span, std::string(meant), concat("did you mean `", meant, "`?"));
        return;
    }
    const bool is_container = Types::is(type, types_.builtins.string) ||
                              Types::is(type, types_.builtins.map) ||
                              types_.as_base(type, types_.builtins.sequence) != nullptr;
    const bool may_hint = is_container || of.text.starts_with("to");
    if (may_hint && add_member_hint(diagnostic, of)) return;
    const bool is_actor = type->sort == TypeSort::nominal && type->info->kind == DeclKind::actor;
    if (is_actor && of.text == "send")
        diagnostic.note("`spawn(..)` gives the reference that has it");
    const Type* awaited = types_.future_value(type);
    if (awaited != nullptr && types_.find_member(awaited, of.text)) {
        diagnostic.note(concat("the ", type_text(awaited), " in it has one (forgot `await`?)"));
    }
    const bool is_wrapped =
        Types::is(type, types_.builtins.option) || Types::is(type, types_.builtins.result);
    if (is_wrapped && types_.find_member(type->args[0], of.text)) {
        diagnostic.note(concat("the ", type_text(type->args[0]),
                               " in it has one: take it out with `?`, or write `?.`"));
    }
}

// The type of the object, or of the value inside for `?.`.
const Type* Checker::object_type(const MemberExpr& node) {
    const Type* object = known(expr(*node.object));
    if (node.op != TokenKind::question_dot) return object;
    const bool is_wrapped =
        Types::is(object, types_.builtins.option) || Types::is(object, types_.builtins.result);
    if (is_wrapped) return known(object->args[0]);
    if (!is_sort(object, TypeSort::error)) {
        error("E0303", node.object->span,
              concat("`?.` needs an Option or a Result, found ", type_text(object)));
    }
    return types_.error();
}

// Nothing says yet what the value is, so its member cannot be found.
const Type* Checker::not_known(const Expr& node) {
    error("E0303", node.span, "the type of this value is not known here")
        .note("give it a type where it is declared: `name: Type = ..`, `(name: Type) => ..`");
    return types_.error();
}

bool Checker::is_item(const MemberExpr& node) {
    return !node.name.text.empty() && node.name.text[0] >= '0' && node.name.text[0] <= '9';
}

const Type* Checker::tuple_item(const MemberExpr& node, const Type* object) {
    if (object->sort == TypeSort::error) return object;
    if (object->sort != TypeSort::tuple) {
        return mismatch_text(*node.object, "a tuple", object);
    }
    std::uint32_t number = 0;
    const std::string_view digits = node.name.text;
    const auto result = std::from_chars(digits.begin(), digits.end(), number);
    if (result.ec != std::errc() || number >= object->args.size()) {
        error("E0307", node.name.span,
              concat("unknown item `", digits, "`: ", type_text(object), " has ",
                     std::to_string(object->args.size()), ", counted from 0"));
        return types_.error();
    }
    Meaning meaning = Meaning::of(MeaningKind::item);
    meaning.place = number;
    return means(node, object->args[number], meaning);
}

const Type* Checker::member(const MemberExpr& node, const Type* wanted) {
    const Named outer = named(*node.object);
    if (outer.module != nullptr || outer.info != nullptr) note_object(*node.object, outer);
    if (outer.module != nullptr) {
        const Symbol* symbol = find_exported(*outer.module, node.name.text);
        if (is_asked(node.name.text)) note_asked(AskedKind::module_member).module = outer.module;
        if (symbol != nullptr && symbol->kind == SymbolKind::variable) {
            return means(node, symbol->type, Meaning::of(symbol));
        }
        if (symbol != nullptr && symbol->kind == SymbolKind::function) {
            return means(node, types_.method_type({.method = symbol->function}),
                         Meaning::of(MeaningKind::function, symbol->function));
        }
        unknown(node.name, "name", {});
        return types_.error();
    }
    if (outer.info != nullptr) {
        if (const VariantInfo* variant = variant_of(outer.info, node.name.text)) {
            return means(node, function_value(of_variant(*variant, wanted)), Meaning::of(variant));
        }
        if (const Member found = types_.find_member(instance_of(outer), node.name.text, true)) {
            return means(node, types_.method_type(found),
                         Meaning::of(MeaningKind::function, found.method));
        }
        if (is_asked(node.name.text)) note_asked(AskedKind::static_member).info = outer.info;
        std::vector<std::string_view> candidates;
        for (const VariantInfo& variant : outer.info->variants) {
            candidates.push_back(variant.name.text);
        }
        for (const FunctionInfo* method : outer.info->methods) {
            if (method->is_static) candidates.push_back(method->name.text);
        }
        unknown(node.name, "name", candidates);
        return types_.error();
    }
    const Type* object = object_type(node);
    if (is_item(node)) return tuple_item(node, object);
    const Member found = types_.find_member(object, node.name.text);
    if (!found) {
        if (is_sort(object, TypeSort::variable)) return not_known(*node.object);
        unknown_member(object, node.name);
        return types_.error();
    }
    check_visible(found, node.name);
    fact(node).meaning = found.field != nullptr ? Meaning::of(MeaningKind::field, found.field)
                                                : Meaning::of(MeaningKind::method, found.method);
    const Type* type = found.field != nullptr ? types_.seen_from(found.field->type, found.owner)
                                              : types_.method_type(found);
    note_meaning(node.name.span, fact(node).meaning, type);
    if (node.op != TokenKind::question_dot) return type;
    return Types::is(type, types_.builtins.option) ? type : types_.option(type);
}

}  // namespace gyre::vela::internal
