// SPDX-License-Identifier: Apache-2.0
// The values that the machine makes: variants, objects, errors; and the members of the standard
// surface that are not functions.
#include <algorithm>
#include <numbers>

#include "lang/vela/run/internal/exchange.hpp"
#include "lang/vela/run/internal/native_library.hpp"
#include "lang/vela/run/internal/tasks.hpp"
#include "lang/vela/run/internal/vm.hpp"
#include "lang/vela/syntax/diagnostic.hpp"
#include "lang/vela/syntax/source.hpp"

namespace gyre::vela::vm {

const VariantInfo* Vm::variant_info(const TypeInfo* type, std::string_view name) const {
    for (const VariantInfo& variant : type->variants) {
        if (variant.name.text == name) return &variant;
    }
    GYRE_ASSERT(false, "a variant of the standard surface is missing");
    return nullptr;
}

Word Vm::variant(const VariantInfo* info, std::span<const Word> payload) {
    if (!payload.empty()) return heap.make<Variant>(info, payload);
    Word& bare = bare_variants_[info];
    if (bare.is_missing()) bare = heap.make<Variant>(info, payload);
    return bare;
}

bool Vm::has_value(Word option) const {
    const VariantInfo* info = as<Variant>(option, Kind::variant).info;
    return info == some_ || info == ok_;
}

const TypeInfo* Vm::standard_type(std::string_view name) const {
    const auto found = program.standard.declared.find(name);
    if (found != program.standard.declared.end()) return found->second.info;
    // In a module that the program imports.
    for (const Module* module : program.order) {
        if (!module->is_standard) continue;
        const auto in_module = module->declared.find(name);
        if (in_module != module->declared.end()) return in_module->second.info;
    }
    GYRE_ASSERT(false, "a type of the standard surface is missing");
    return nullptr;
}

const TypeInfo* Vm::type_of(Word value) const {
    const Builtins& types = program.types.builtins;
    if (value.is_small()) return types.number;
    if (value.is_boolean()) return types.boolean;
    const Thing* thing = value.thing();
    if (thing == nullptr) return types.nothing;
    switch (thing->kind) {
        case Kind::boxed_number:
            return types.number;
        case Kind::boxed_real:
            return types.real;
        case Kind::text:
            return types.string;
        case Kind::list:
            return types.list;
        case Kind::queue:
            return types.queue;
        case Kind::set:
            return types.set;
        case Kind::range:
            return types.range;
        case Kind::map:
            return types.map;
        case Kind::variant:
            return static_cast<const Variant*>(thing)->info->owner;
        case Kind::instance:
            return static_cast<const Instance*>(thing)->shape->type;
        case Kind::task_handle:
            return types.task;
        case Kind::future:
            return types.future;
        case Kind::promise:
            return standard_type("Promise");
        case Kind::stream:
            return types.iterator;
        case Kind::actor_ref:
            return types.actor_ref;
        case Kind::timer:
            return standard_type("Timer");
        case Kind::host:
            return static_cast<const HostThing*>(thing)->type;
        default:
            return nullptr;
    }
}

Target Vm::find_method(Word object, const FunctionInfo& wanted) {
    if (is_kind(object, Kind::instance)) {
        const Shape& shape = *static_cast<Instance*>(object.thing())->shape;
        const auto found = shape.methods.find(&wanted);
        if (found != shape.methods.end()) return found->second;
    }
    const TypeInfo* type = type_of(object);
    for (const TypeInfo* at = type; at != nullptr;
         at = at->base == nullptr ? nullptr : known(at->base)->info) {
        const TypeInfo* members = at->members != nullptr ? at->members : at;
        for (const FunctionInfo* method : members->methods) {
            if (method->name.text != wanted.name.text || method->is_static) continue;
            Target target;
            const auto code = lowered.functions.find(method);
            if (code == lowered.functions.end()) {
                target.native = method;
            } else {
                target.function = assembled_->function_of(code->second);
            }
            if (is_kind(object, Kind::instance)) {
                static_cast<Instance*>(object.thing())->shape->methods[&wanted] = target;
            }
            return target;
        }
    }
    // `send` to an actor through the interface Sender.
    return {.function = nullptr, .native = &wanted};
}

Word Vm::create(const TypeInfo& type) {
    const Builtins& types = program.types.builtins;
    if (&type == types.list) return heap.make<List>();
    if (&type == types.queue) return heap.make<List>(std::vector<Word>(), Kind::queue);
    if (&type == types.set) return heap.make<Table>(Kind::set);
    if (&type == types.map) return heap.make<Table>(Kind::map);
    if (&type == promise_type_) return tasks->make_promise();
    if (type.is_standard) {
        if (type.name.text == "Promise") {
            promise_type_ = &type;
            return tasks->make_promise();
        }
        if (type.name.text == "Timer") return heap.make<Timer>();
        for (const NativeLibrary* library : libraries_) {
            const Word made = library->create(*this, type);
            if (!made.is_missing()) return made;
        }
    }
    auto* object = heap.make<Instance>(assembled_->shape_of(&type));
    const Shape& shape = *object->shape;
    for (std::size_t i = 0; i < shape.fields.size(); ++i) {
        const FieldInfo& field = *shape.fields[i];
        if (field.owner == nullptr || !field.owner->is_standard || shape.reps[i] != Rep::word)
            continue;
        object->slots()[i].set(empty_value(field.type));
    }
    if (type.is_standard && type.name.text == "MathFunctions") {
        set_field(*object, "pi", heap.real(std::numbers::pi));
    }
    return object;
}

Word Vm::empty_value(const Type* type) {
    type = known(type);
    const Builtins& types = program.types.builtins;
    if (type->sort != TypeSort::nominal) return Word::nothing();
    if (type->info == types.string || type->info == types.route_path) return heap.text("");
    if (type->info == types.option) return none();
    if (type->info == types.number) return Word::small(0);
    if (type->info == types.real) return heap.real(0);
    if (type->info == types.boolean) return Word::boolean(false);
    const bool is_container = type->info == types.list || type->info == types.map ||
                              type->info == types.set || type->info == types.queue;
    return is_container ? create(*type->info) : Word::nothing();
}

std::size_t Vm::field_index(const Instance& object, std::string_view name) const {
    const auto& fields = object.shape->fields;
    const auto found = std::find_if(fields.begin(), fields.end(), [name](const FieldInfo* field) {
        return field->name.text == name;
    });
    return static_cast<std::size_t>(found - fields.begin());
}

void Vm::set_field(Instance& object, std::string_view name, Word value) {
    const std::size_t i = field_index(object, name);
    GYRE_ASSERT(i < object.slot_count, "an object without this field");
    switch (object.shape->reps[i]) {
        case Rep::word:
            object.slots()[i].set(value);
            break;
        case Rep::number:
            object.slots()[i].number = number_of(value);
            break;
        case Rep::real:
            object.slots()[i].real = real_of(value);
            break;
        case Rep::boolean:
            object.slots()[i].bits = truth_of(value) ? 1 : 0;
    }
}

Word Vm::field(Instance& object, std::string_view name) {
    const std::size_t i = field_index(object, name);
    GYRE_ASSERT(i < object.slot_count, "an object without this field");
    const Slot slot = object.slots()[i];
    switch (object.shape->reps[i]) {
        case Rep::word:
            return slot.word();
        case Rep::number:
            return heap.number(slot.number);
        case Rep::real:
            return heap.real(slot.real);
        case Rep::boolean:
            break;
    }
    return Word::boolean(slot.bits != 0);
}

std::int64_t Vm::length_of(Word self) {
    if (is_kind(self, Kind::text)) return code_point_count(text_of(self));
    if (is_kind(self, Kind::bytes)) {
        return static_cast<std::int64_t>(static_cast<Text*>(self.thing())->text.size());
    }
    if (is_list(self)) return static_cast<std::int64_t>(static_cast<List*>(self.thing())->size());
    if (is_table(self)) return static_cast<std::int64_t>(static_cast<Table*>(self.thing())->size());
    if (is_kind(self, Kind::range)) {
        return static_cast<std::int64_t>(static_cast<Range*>(self.thing())->count());
    }
    return static_cast<std::int64_t>(items_of(self).size());
}

Word Vm::native_field(const FieldInfo& wanted, Word object) {
    const std::string_view name = wanted.name.text;
    if (is_kind(object, Kind::instance)) {
        return field(*static_cast<Instance*>(object.thing()), name);
    }
    for (const NativeLibrary* library : libraries_) {
        const Word found = library->field(*this, wanted, object);
        if (!found.is_missing()) return found;
    }
    if (name == "length") return heap.number(length_of(object));
    if (name == "isEmpty") return Word::boolean(length_of(object) == 0);
    if (name == "isSome" || name == "isOk") return Word::boolean(has_value(object));
    if (name == "isNone" || name == "isErr") return Word::boolean(!has_value(object));
    if (is_kind(object, Kind::promise) && name == "isSettled") {
        const auto& promise = *static_cast<Promise*>(object.thing());
        return Word::boolean(promise.future->is_settled() ||
                             (promise.shared != nullptr && Exchange::is_settled(promise)));
    }
    if (is_kind(object, Kind::task_handle)) {
        const auto& handle = *static_cast<TaskHandle*>(object.thing());
        return Word::boolean(name == "isDone" ? handle.is_settled() : handle.is_cancelled);
    }
    fail("Error", concat("no field `", name, "`"));
}

Word Vm::copied(Word value) {
    if (!is_kind(value, Kind::instance)) return value;
    auto& object = *static_cast<Instance*>(value.thing());
    if (!object.shape->is_struct) return value;
    auto* copy = heap.make<Instance>(*object.shape);
    for (std::size_t i = 0; i < object.slot_count; ++i) {
        copy->slots()[i] = object.slots()[i];
        if (object.shape->reps[i] == Rep::word) copy->slots()[i].set(copied(object.field(i)));
    }
    return copy;
}

Word Vm::fitted(Word value, const TypeInfo* wanted) {
    const Builtins& types = program.types.builtins;
    if (wanted != types.queue && wanted != types.set) return value;
    const bool is_plain_list = is_kind(value, Kind::list);
    if (!is_plain_list && !is_kind(value, Kind::map)) return value;
    if (wanted == types.queue) {
        auto* queue = heap.make<List>(std::vector<Word>(), Kind::queue);
        if (is_plain_list) queue->items = static_cast<List*>(value.thing())->items;
        return queue;
    }
    auto* set = heap.make<Table>(Kind::set);
    if (!is_plain_list) return set;
    for (const Word item : static_cast<List*>(value.thing())->all()) {
        check_key(item);
        set->set(item, item);
    }
    return set;
}

void Vm::check_key(Word key) {
    if (!are_equal(key, key)) fail("Error", "NaN cannot be a key");
}

std::vector<Word> Vm::items_of(Word sequence) {
    std::vector<Word> items;
    if (is_list(sequence)) {
        const auto all = static_cast<List*>(sequence.thing())->all();
        items.assign(all.begin(), all.end());
    } else if (is_kind(sequence, Kind::range)) {
        const auto& range = *static_cast<Range*>(sequence.thing());
        constexpr std::uint64_t count_max = std::uint64_t{1} << 26U;
        const std::uint64_t count = range.count();
        if (count > count_max) fail("Error", "A range with too many numbers for a list");
        need_room(count, sizeof(Word));
        items.reserve(count);
        for (std::uint64_t i = 0; i < count; ++i) {
            items.push_back(heap.number(range.first + static_cast<std::int64_t>(i)));
        }
    } else if (is_table(sequence)) {
        const auto& table = *static_cast<Table*>(sequence.thing());
        for (const Table::Entry& entry : table.entries) {
            if (entry.key.is_missing()) continue;
            const bool is_set = table.kind == Kind::set;
            items.push_back(is_set ? entry.key
                                   : Word(heap.make<Tuple>(std::vector{entry.key, entry.value})));
        }
    } else {
        wrong_kind(sequence, "a sequence");
    }
    return items;
}

Word Vm::error(std::string_view type, std::string message) {
    const TypeInfo* info = standard_type(type);
    auto* object = heap.make<Instance>(assembled_->shape_of(info));
    object->slots()[0].set(heap.text(std::move(message)));
    return object;
}

void Vm::fail(std::string_view type, std::string message) {
    throw Thrown{error(type, std::move(message))};
}

bool Vm::is_error(Word value) const {
    if (!is_kind(value, Kind::instance)) return false;
    const auto line = line_of(static_cast<Instance*>(value.thing())->shape->type);
    return line.front() == program.types.builtins.error;
}

bool Vm::is_cancelled(Word value) const {
    if (!is_kind(value, Kind::instance)) return false;
    const auto line = line_of(static_cast<Instance*>(value.thing())->shape->type);
    return line.front() == program.types.builtins.cancelled;
}

}  // namespace gyre::vela::vm
