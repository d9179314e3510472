// SPDX-License-Identifier: Apache-2.0
#include "lang/vela/run/internal/portable.hpp"

#include <unordered_map>
#include <utility>

#include "lang/vela/run/internal/exchange.hpp"
#include "lang/vela/run/internal/tasks.hpp"
#include "lang/vela/syntax/diagnostic.hpp"

namespace gyre::vela::vm {
namespace {

// The first word of a packed value: what follows, and in the upper bits a count or an index.
enum class Tag : std::uint64_t {
    bits,      // one word: no thing, or a thing of the same machine
    number,    // one word: a Number of more than 63 bits
    real,      // one word
    text,      // the index of its text
    bytes,     // the index of its text
    route,     // the index of its text; then its parameters
    seen,      // the index of a composite that came before
    tuple,     // the count; then its items
    list,      // the count; then its items
    queue,     // the count; then its items
    range,     // whether it is inclusive; then the first and the last number
    map,       // the count; then keys and values
    set,       // the count; then keys
    variant,   // the count; its VariantInfo, then its payload
    instance,  // its TypeInfo; then its fields
    closure,   // the count; its Code, whether it is bound; then its captures
    native,    // the count; its FunctionInfo, whether it is bound; then its captures
    actor,     // the index of its address
    promise,   // the index of its state
};
constexpr unsigned tag_bits = 8;
constexpr std::uint64_t tagged(Tag tag, std::uint64_t with = 0) noexcept {
    return static_cast<std::uint64_t>(tag) | with << tag_bits;
}
template <class T>
std::uint64_t bits_of(const T* pointer) noexcept {
    return reinterpret_cast<std::uintptr_t>(pointer);
}

class Packer {
public:
    Packer(Vm& vm, Journey journey) noexcept : vm_(vm), journey_(journey) {}
    void add(Word word, std::size_t depth);
    Portable packed;

private:
    void put(std::uint64_t word) { packed.words.push_back(word); }
    void add_text(Tag tag, const std::string& text) {
        put(tagged(tag, packed.texts.size()));
        packed.texts.push_back(text);
    }
    void add_all(std::span<const Word> words, std::size_t depth) {
        for (const Word word : words) add(word, depth);
    }
    void add_slot(Slot slot, Rep rep, std::size_t depth) {
        rep == Rep::word ? add(slot.word(), depth) : put(slot.bits);
    }
    void add_composite(Thing& thing, std::size_t depth);
    void add_closure(Closure& closure, std::size_t depth);
    void add_table(Table& table, std::size_t depth);
    void add_text_or_route(Text& text, std::size_t depth);
    void add_reference(Thing& thing);
    [[noreturn]] void refuse(const Thing& thing);

    Vm& vm_;
    const Journey journey_;
    std::unordered_map<const Thing*, std::uint64_t> seen_;
};

void Packer::refuse(const Thing& thing) {
    const TypeInfo* type = vm_.type_of(Word(const_cast<Thing*>(&thing)));
    const std::string name = type == nullptr ? "value" : std::string(type->name.text);
    vm_.fail("Error", concat("a ", name, " cannot be sent to an actor"));
}

void Packer::add(Word word, std::size_t depth) {
    Thing* thing = word.thing();
    if (thing == nullptr) {
        put(tagged(Tag::bits));
        put(word.bits());
        return;
    }
    if (depth > message_depth_max) {
        vm_.fail("Error", concat("a message has more than ", std::to_string(message_depth_max),
                                 " values inside each other"));
    }
    switch (thing->kind) {
        case Kind::boxed_number:
            put(tagged(Tag::number));
            put(static_cast<Boxed*>(thing)->value.bits);
            return;
        case Kind::boxed_real:
            put(tagged(Tag::real));
            put(static_cast<Boxed*>(thing)->value.bits);
            return;
        case Kind::text:
            return add_text_or_route(*static_cast<Text*>(thing), depth);
        case Kind::bytes:
            return add_text(Tag::bytes, static_cast<Text*>(thing)->text);
        case Kind::range: {
            const auto& range = *static_cast<Range*>(thing);
            put(tagged(Tag::range, range.is_inclusive ? 1 : 0));
            put(static_cast<std::uint64_t>(range.first));
            put(static_cast<std::uint64_t>(range.last));
            return;
        }
        case Kind::actor_ref:
        case Kind::promise:
            return add_reference(*thing);
        default:
            return add_composite(*thing, depth + 1);
    }
}

void Packer::add_text_or_route(Text& text, std::size_t depth) {
    auto* route = dynamic_cast<RoutePath*>(&text);
    add_text(route == nullptr ? Tag::text : Tag::route, text.text);
    if (route != nullptr) add(route->params, depth + 1);
}

void Packer::add_reference(Thing& thing) {
    const bool is_actor = thing.kind == Kind::actor_ref;
    if (journey_ == Journey::here) {
        if (!is_actor) static_cast<Promise&>(thing).is_sent = true;
        put(tagged(Tag::bits));
        put(Word(&thing).bits());
    } else if (is_actor) {
        put(tagged(Tag::actor, packed.actors.size()));
        packed.actors.push_back(vm_.exchange->address_of(static_cast<ActorRef&>(thing)));
    } else {
        put(tagged(Tag::promise, packed.promises.size()));
        packed.promises.push_back(vm_.exchange->shared(static_cast<Promise&>(thing)));
    }
}

void Packer::add_composite(Thing& thing, std::size_t depth) {
    const auto [at, is_new] = seen_.try_emplace(&thing, seen_.size());
    if (!is_new) return put(tagged(Tag::seen, at->second));
    switch (thing.kind) {
        case Kind::tuple: {
            const auto& tuple = static_cast<Tuple&>(thing);
            put(tagged(Tag::tuple, tuple.items.size()));
            return add_all(tuple.items, depth);
        }
        case Kind::list:
        case Kind::queue: {
            auto& list = static_cast<List&>(thing);
            put(tagged(thing.kind == Kind::list ? Tag::list : Tag::queue, list.size()));
            return add_all(list.all(), depth);
        }
        case Kind::map:
        case Kind::set:
            return add_table(static_cast<Table&>(thing), depth);
        case Kind::variant: {
            auto& variant = static_cast<Variant&>(thing);
            put(tagged(Tag::variant, variant.count));
            put(bits_of(variant.info));
            return add_all(variant.all(), depth);
        }
        case Kind::instance: {
            auto& object = static_cast<Instance&>(thing);
            put(tagged(Tag::instance));
            put(bits_of(object.shape->type));
            for (std::size_t i = 0; i < object.slot_count; ++i) {
                add_slot(object.slots()[i], object.shape->reps[i], depth);
            }
            return;
        }
        case Kind::closure:
            return add_closure(static_cast<Closure&>(thing), depth);
        default:
            refuse(thing);
    }
}

void Packer::add_table(Table& table, std::size_t depth) {
    const bool is_map = table.kind == Kind::map;
    put(tagged(is_map ? Tag::map : Tag::set, table.size()));
    for (const Table::Entry& entry : table.entries) {
        if (entry.key.is_missing()) continue;
        add(entry.key, depth);
        if (is_map) add(entry.value, depth);
    }
}

void Packer::add_closure(Closure& closure, std::size_t depth) {
    const Function* function = closure.function;
    put(tagged(function != nullptr ? Tag::closure : Tag::native, closure.count));
    put(function != nullptr ? bits_of(function->code) : bits_of(closure.native));
    put(closure.is_bound ? 1 : 0);
    for (std::size_t i = 0; i < closure.count; ++i) {
        const bool is_word = function == nullptr || closure.is_bound;
        const Rep rep = is_word ? Rep::word : function->reps[function->captures[i]];
        add_slot(closure.captures()[i], rep, depth);
    }
}

class Unpacker {
public:
    Unpacker(Vm& vm, const Portable& from) noexcept : vm_(vm), from_(from) {}
    Word take();

private:
    std::uint64_t next() { return from_.words[at_++]; }
    template <class T>
    const T* next_pointer() {
        return reinterpret_cast<const T*>(next());
    }
    // Composites are known before their parts, which may refer to them.
    template <class T>
    T* seen(T* made) {
        seen_.push_back(made);
        return made;
    }
    Slot take_slot(Rep rep) {
        Slot slot{};
        if (rep == Rep::word) {
            slot.set(take());
        } else {
            slot.bits = next();
        }
        return slot;
    }
    void take_all(std::span<Word> to) {
        for (Word& word : to) word = take();
    }
    Word take_composite(Tag tag, std::uint64_t count);
    Word take_closure(Tag tag, std::uint64_t count);

    Vm& vm_;
    const Portable& from_;
    std::size_t at_ = 0;
    std::vector<Thing*> seen_;
};

Word Unpacker::take() {
    const std::uint64_t first = next();
    const auto tag = static_cast<Tag>(first & ((1U << tag_bits) - 1));
    const std::uint64_t with = first >> tag_bits;
    switch (tag) {
        case Tag::bits:
            return Word::from_bits(next());
        case Tag::number:
            return vm_.heap.number(static_cast<std::int64_t>(next()));
        case Tag::real:
            return vm_.heap.real(std::bit_cast<double>(next()));
        case Tag::text:
            return vm_.heap.text(from_.texts[with]);
        case Tag::bytes:
            return vm_.heap.make<Text>(from_.texts[with], Kind::bytes);
        case Tag::route: {
            auto* route = vm_.heap.make<RoutePath>(from_.texts[with]);
            route->params = take();
            return route;
        }
        case Tag::seen:
            return seen_[with];
        case Tag::range: {
            const auto begin = static_cast<std::int64_t>(next());
            const auto end = static_cast<std::int64_t>(next());
            return vm_.heap.make<Range>(begin, end, with != 0);
        }
        case Tag::actor:
            return vm_.exchange->reference_to(from_.actors[with]);
        case Tag::promise:
            return vm_.exchange->promise_of(from_.promises[with]);
        default:
            return take_composite(tag, with);
    }
}

Word Unpacker::take_composite(Tag tag, std::uint64_t count) {
    switch (tag) {
        case Tag::tuple: {
            auto* tuple = seen(vm_.heap.make<Tuple>(std::vector<Word>(count)));
            take_all(tuple->items);
            return tuple;
        }
        case Tag::list:
        case Tag::queue: {
            const Kind kind = tag == Tag::list ? Kind::list : Kind::queue;
            auto* list = seen(vm_.heap.make<List>(std::vector<Word>(count), kind));
            take_all(list->items);
            return list;
        }
        case Tag::map:
        case Tag::set: {
            auto* table = seen(vm_.heap.make<Table>(tag == Tag::map ? Kind::map : Kind::set));
            for (std::uint64_t i = 0; i < count; ++i) {
                const Word key = take();
                table->set(key, tag == Tag::map ? take() : key);
            }
            return table;
        }
        case Tag::variant: {
            const auto* info = next_pointer<VariantInfo>();
            if (count == 0) return seen(vm_.variant(info).thing());
            const std::vector<Word> empty(count);
            auto* variant = seen(vm_.heap.make<Variant>(info, std::span<const Word>(empty)));
            take_all(variant->all());
            return variant;
        }
        case Tag::instance: {
            const Shape& shape = vm_.assembled().shape_of(next_pointer<TypeInfo>());
            auto* object = seen(vm_.heap.make<Instance>(shape));
            for (std::size_t i = 0; i < object->slot_count; ++i) {
                object->slots()[i] = take_slot(shape.reps[i]);
            }
            return object;
        }
        default:
            return take_closure(tag, count);
    }
}

Word Unpacker::take_closure(Tag tag, std::uint64_t count) {
    GYRE_ASSERT(tag == Tag::closure || tag == Tag::native, "a packed value of no kind");
    std::vector<Slot> captures(count);
    Closure* closure = nullptr;
    const Function* function = nullptr;
    if (tag == Tag::closure) {
        function = vm_.assembled().function_of(next_pointer<Code>());
        closure = vm_.heap.make<Closure>(function, std::span<const Slot>(captures));
    } else {
        const auto* native = next_pointer<FunctionInfo>();
        closure = vm_.heap.make<Closure>(native, std::span<const Slot>(captures));
    }
    seen(closure);
    closure->is_bound = next() != 0;
    for (std::uint64_t i = 0; i < count; ++i) {
        const bool is_word = function == nullptr || closure->is_bound;
        closure->captures()[i] =
            take_slot(is_word ? Rep::word : function->reps[function->captures[i]]);
    }
    return closure;
}

// Whether neither it nor a part of it can change. Looks at a few levels only.
bool is_fixed(Word word, int depth) {
    const Thing* thing = word.thing();
    if (thing == nullptr) return true;
    switch (thing->kind) {
        case Kind::boxed_number:
        case Kind::boxed_real:
        case Kind::bytes:
        case Kind::range:
        case Kind::actor_ref:
            return true;
        case Kind::text:
            return dynamic_cast<const RoutePath*>(thing) == nullptr;
        case Kind::variant: {
            constexpr int fixed_depth_max = 4;
            auto& variant = *static_cast<Variant*>(word.thing());
            if (depth > fixed_depth_max && variant.count > 0) return false;
            for (const Word part : variant.all()) {
                if (!is_fixed(part, depth + 1)) return false;
            }
            return true;
        }
        default:
            return false;
    }
}

}  // namespace

std::size_t Portable::size_bytes() const noexcept {
    std::size_t size = sizeof(Portable) + words.size() * sizeof(std::uint64_t);
    for (const std::string& text : texts) size += sizeof(text) + text.size();
    return size + (actors.size() + promises.size()) * sizeof(std::shared_ptr<void>);
}

Portable pack(Vm& vm, Word value, Journey journey) {
    Packer packer(vm, journey);
    packer.add(value, 0);
    // A large message takes as long as many back edges: a loop that sends them is interrupted in time.
    constexpr std::size_t words_per_back_edge = 8;
    vm.fuel -= static_cast<std::int64_t>(packer.packed.words.size() / words_per_back_edge);
    return std::move(packer.packed);
}

Word unpack(Vm& vm, const Portable& from) {
    return Unpacker(vm, from).take();
}

Word copy_for_actor(Vm& vm, Word value) {
    if (is_fixed(value, 0)) return value;
    return unpack(vm, pack(vm, value, Journey::here));
}

}  // namespace gyre::vela::vm
