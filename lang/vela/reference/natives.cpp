// SPDX-License-Identifier: Apache-2.0
#include "lang/vela/reference/natives.hpp"

#include "lang/vela/reference/internal/native_tables.hpp"
#include "lang/vela/syntax/diagnostic.hpp"
#include "lang/vela/syntax/source.hpp"

namespace gyre::vela {
namespace {

const internal::NativeTable& natives() {
    static const internal::NativeTable table = [] {
        internal::NativeTable made;
        internal::add_data_natives(made);
        internal::add_async_natives(made);
        internal::add_stream_natives(made);
        internal::add_json_natives(made);
        return made;
    }();
    return table;
}

struct NativeFunction : Function {
    NativeFunction(Runtime& of, const FunctionInfo& function, Value object)
        : runtime(of), info(function), self(object) {}
    Value call(const Values& args) override { return call_native(runtime, info, self, args); }

    Runtime& runtime;
    const FunctionInfo& info;
    Value self;
};

struct VariantFunction : Function {
    VariantFunction(Runtime& of, std::string_view variant) : runtime(of), name(variant) {}
    Value call(const Values& args) override { return runtime.heap.variant(name, args); }

    Runtime& runtime;
    std::string_view name;
};

std::string full_name(const FunctionInfo& function) {
    if (function.owner == nullptr) return std::string(function.name.text);
    return concat(function.owner->name.text, ".", function.name.text);
}

const TypeInfo* standard_type(const Runtime& runtime, std::string_view name) {
    return runtime.program.standard.declared.at(name).info;
}

std::int64_t length_of(Runtime& runtime, const Value& self) {
    if (const auto* text = self.as<Text>()) return code_point_count(text->text);
    if (const auto* map = self.as<Map>()) return static_cast<std::int64_t>(map->entries.size());
    return static_cast<std::int64_t>(items_of(runtime, self).size());
}

}  // namespace

const TypeInfo* type_of(const Runtime& runtime, const Value& value) {
    const Builtins& types = runtime.program.types.builtins;
    if (value.is_void()) return types.nothing;
    if (value.truth() != nullptr) return types.boolean;
    if (value.number() != nullptr) return types.number;
    if (value.real() != nullptr) return types.real;
    if (value.as<Text>() != nullptr) return types.string;
    if (const auto* list = value.as<List>()) {
        if (list->kind == ListKind::queue) return types.queue;
        return list->kind == ListKind::set ? types.set : types.list;
    }
    if (value.as<Range>() != nullptr) return types.range;
    if (value.as<Map>() != nullptr) return types.map;
    if (is_variant(value, "Some") || is_variant(value, "None")) return types.option;
    if (is_variant(value, "Ok") || is_variant(value, "Err")) return types.result;
    if (const auto* object = value.as<Object>()) return object->type;
    if (value.as<TaskHandle>() != nullptr) return types.task;
    if (value.as<Future>() != nullptr) return types.future;
    if (value.as<Promise>() != nullptr) return standard_type(runtime, "Promise");
    if (value.as<Iterator>() != nullptr) return types.iterator;
    if (value.as<ActorRef>() != nullptr) return types.actor_ref;
    if (value.as<Timer>() != nullptr) return standard_type(runtime, "Timer");
    return nullptr;
}

FoundMember find_member(const TypeInfo* type, std::string_view name, bool is_static) {
    while (type != nullptr) {
        const TypeInfo* info = type->members != nullptr ? type->members : type;
        for (const FieldInfo& field : info->fields) {
            if (!is_static && field.name.text == name) return {.field = &field};
        }
        for (const FunctionInfo* method : info->methods) {
            if (method->name.text == name && method->is_static == is_static) {
                return {.method = method};
            }
        }
        type = info->base == nullptr ? nullptr : known(info->base)->info;
    }
    return {};
}

Value fitted(Runtime& runtime, Value value, const TypeInfo* wanted) {
    const Builtins& types = runtime.program.types.builtins;
    if (wanted != types.queue && wanted != types.set) return value;
    const auto* list = value.as<List>();
    const bool is_empty_map = value.as<Map>() != nullptr;
    if (!is_empty_map && (list == nullptr || list->kind != ListKind::list)) return value;
    auto* made =
        runtime.heap.make<List>(Values{}, wanted == types.queue ? ListKind::queue : ListKind::set);
    if (list == nullptr) return made;
    for (const Value& item : list->items) {
        bool is_new = true;
        for (const Value& other : made->items) is_new = is_new && !are_equal(other, item);
        if (is_new || wanted == types.queue) made->items.push_back(item);
    }
    return made;
}

std::optional<Value> empty_value(Runtime& runtime, const TypeInfo& type) {
    const Builtins& types = runtime.program.types.builtins;
    if (&type == types.number) return std::int64_t{0};
    if (&type == types.real) return 0.0;
    if (&type == types.string) return runtime.heap.text("");
    if (&type == types.boolean) return false;
    if (&type == types.nothing) return Value();
    if (&type == types.option) return runtime.heap.none();
    return make_native(runtime, type);
}

std::optional<Value> make_native(Runtime& runtime, const TypeInfo& type) {
    const Builtins& types = runtime.program.types.builtins;
    if (&type == types.list) return runtime.heap.make<List>();
    if (&type == types.queue) return runtime.heap.make<List>(Values{}, ListKind::queue);
    if (&type == types.set) return runtime.heap.make<List>(Values{}, ListKind::set);
    if (&type == types.map) return runtime.heap.make<Map>();
    if (!type.is_standard) return std::nullopt;
    if (type.name.text == "Promise") {
        auto* promise = runtime.heap.make<Promise>();
        promise->future = runtime.make_pending();
        return promise;
    }
    if (type.name.text == "Timer") return runtime.heap.make<Timer>();
    if (type.name.text.starts_with("Http")) {
        throw InternalError{"sockets: " + std::string(type.name.text)};
    }
    return std::nullopt;
}

Value native_field(Runtime& runtime, std::string_view name, const Value& self) {
    if (name == "length") return length_of(runtime, self);
    if (name == "isEmpty") return length_of(runtime, self) == 0;
    if (name == "isSome" || name == "isOk")
        return is_variant(self, "Some") || is_variant(self, "Ok");
    if (name == "isNone" || name == "isErr") {
        return is_variant(self, "None") || is_variant(self, "Err");
    }
    if (const auto* promise = self.as<Promise>(); promise != nullptr && name == "isSettled") {
        return promise->future->is_settled();
    }
    if (const auto* handle = self.as<TaskHandle>()) {
        return name == "isDone" ? handle->is_settled() : handle->is_cancelled;
    }
    throw InternalError{"no field `" + std::string(name) + "` of " + printed(self)};
}

Value with_zero_of(const Runtime& runtime, const Value& value, const Type* type) {
    const bool is_float = type != nullptr && Types::is(type, runtime.program.types.builtins.real);
    return is_float && value.number() ? Value(static_cast<double>(*value.number())) : value;
}

bool has_native(const FunctionInfo& function) {
    return natives().contains(full_name(function));
}

Value call_native(Runtime& runtime, const FunctionInfo& function, const Value& self,
                  const Values& args) {
    const std::string name = full_name(function);
    const auto found = natives().find(name);
    if (found == natives().end()) throw InternalError{"no native " + name};
    runtime.count_step();
    return found->second(runtime, self, args);
}

Value native_function(Runtime& runtime, const FunctionInfo& function, Value self) {
    return runtime.heap.make<NativeFunction>(runtime, function, self);
}

Value variant_function(Runtime& runtime, std::string_view name) {
    return runtime.heap.make<VariantFunction>(runtime, name);
}

}  // namespace gyre::vela
