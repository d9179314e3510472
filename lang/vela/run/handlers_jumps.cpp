// SPDX-License-Identifier: Apache-2.0
// Jumps, loops, and the items of sequences.
#include "lang/vela/run/internal/handlers.hpp"
#include "lang/vela/syntax/diagnostic.hpp"

namespace gyre::vela::vm {

GYRE_VELA_HANDLER(jump) {
    GYRE_VELA_NEXT(r, ip + wide(*ip));
}
GYRE_VELA_HANDLER(jump_back) {
    if (--vm.fuel < 0) [[unlikely]]
        return at_safepoint(vm, r, ip + wide(*ip));
    GYRE_VELA_NEXT(r, ip + wide(*ip));
}
GYRE_VELA_HANDLER(jump_if) {
    const std::int32_t by = r[ip->a].bits != 0 ? wide(*ip) : 1;
    GYRE_VELA_NEXT(r, ip + by);
}
GYRE_VELA_HANDLER(jump_unless) {
    const std::int32_t by = r[ip->a].bits == 0 ? wide(*ip) : 1;
    GYRE_VELA_NEXT(r, ip + by);
}

#define GYRE_VELA_COMPARED(name, left, op, right)                    \
    GYRE_VELA_HANDLER(name) {                                        \
        const std::int32_t by = (left)op(right) ? signed_c(*ip) : 1; \
        GYRE_VELA_NEXT(r, ip + by);                                  \
    }
#define GYRE_VELA_LEFT r[ip->a].number
#define GYRE_VELA_RIGHT r[ip->b].number
#define GYRE_VELA_SMALL                  \
    std::int64_t {                       \
        static_cast<std::int16_t>(ip->b) \
    }
#define GYRE_VELA_LOOPED(name, left, op, right)             \
    GYRE_VELA_HANDLER(name) {                               \
        if (!((left)op(right))) GYRE_VELA_NEXT(r, ip + 1);  \
        if (--vm.fuel < 0) [[unlikely]]                     \
            return at_safepoint(vm, r, ip + signed_c(*ip)); \
        GYRE_VELA_NEXT(r, ip + signed_c(*ip));              \
    }
GYRE_VELA_COMPARED(jump_less, GYRE_VELA_LEFT, <, GYRE_VELA_RIGHT)
GYRE_VELA_COMPARED(jump_not_less, GYRE_VELA_LEFT, >=, GYRE_VELA_RIGHT)
GYRE_VELA_COMPARED(jump_less_equal, GYRE_VELA_LEFT, <=, GYRE_VELA_RIGHT)
GYRE_VELA_COMPARED(jump_not_less_equal, GYRE_VELA_LEFT, >, GYRE_VELA_RIGHT)
GYRE_VELA_COMPARED(jump_equal, GYRE_VELA_LEFT, ==, GYRE_VELA_RIGHT)
GYRE_VELA_COMPARED(jump_not_equal, GYRE_VELA_LEFT, !=, GYRE_VELA_RIGHT)
GYRE_VELA_COMPARED(jump_less_small, GYRE_VELA_LEFT, <, GYRE_VELA_SMALL)
GYRE_VELA_COMPARED(jump_not_less_small, GYRE_VELA_LEFT, >=, GYRE_VELA_SMALL)
GYRE_VELA_COMPARED(jump_less_equal_small, GYRE_VELA_LEFT, <=, GYRE_VELA_SMALL)
GYRE_VELA_COMPARED(jump_not_less_equal_small, GYRE_VELA_LEFT, >, GYRE_VELA_SMALL)
GYRE_VELA_COMPARED(jump_equal_small, GYRE_VELA_LEFT, ==, GYRE_VELA_SMALL)
GYRE_VELA_COMPARED(jump_not_equal_small, GYRE_VELA_LEFT, !=, GYRE_VELA_SMALL)
GYRE_VELA_LOOPED(loop_less, GYRE_VELA_LEFT, <, GYRE_VELA_RIGHT)
GYRE_VELA_LOOPED(loop_not_less, GYRE_VELA_LEFT, >=, GYRE_VELA_RIGHT)
GYRE_VELA_LOOPED(loop_less_equal, GYRE_VELA_LEFT, <=, GYRE_VELA_RIGHT)
GYRE_VELA_LOOPED(loop_not_less_equal, GYRE_VELA_LEFT, >, GYRE_VELA_RIGHT)
GYRE_VELA_LOOPED(loop_equal, GYRE_VELA_LEFT, ==, GYRE_VELA_RIGHT)
GYRE_VELA_LOOPED(loop_not_equal, GYRE_VELA_LEFT, !=, GYRE_VELA_RIGHT)
GYRE_VELA_LOOPED(loop_less_small, GYRE_VELA_LEFT, <, GYRE_VELA_SMALL)
GYRE_VELA_LOOPED(loop_not_less_small, GYRE_VELA_LEFT, >=, GYRE_VELA_SMALL)
GYRE_VELA_LOOPED(loop_less_equal_small, GYRE_VELA_LEFT, <=, GYRE_VELA_SMALL)
GYRE_VELA_LOOPED(loop_not_less_equal_small, GYRE_VELA_LEFT, >, GYRE_VELA_SMALL)
GYRE_VELA_LOOPED(loop_equal_small, GYRE_VELA_LEFT, ==, GYRE_VELA_SMALL)
GYRE_VELA_LOOPED(loop_not_equal_small, GYRE_VELA_LEFT, !=, GYRE_VELA_SMALL)
#undef GYRE_VELA_COMPARED
#undef GYRE_VELA_LOOPED
#undef GYRE_VELA_LEFT
#undef GYRE_VELA_RIGHT
#undef GYRE_VELA_SMALL

// The negated ones are true for a NaN.
#define GYRE_VELA_COMPARED_FLOATS(name, condition)                 \
    GYRE_VELA_HANDLER(name) {                                      \
        const double left = r[ip->a].real;                         \
        const double right = r[ip->b].real;                        \
        GYRE_VELA_NEXT(r, ip + ((condition) ? signed_c(*ip) : 1)); \
    }
GYRE_VELA_COMPARED_FLOATS(jump_less_float, left < right)
GYRE_VELA_COMPARED_FLOATS(jump_not_less_float, !(left < right))
GYRE_VELA_COMPARED_FLOATS(jump_less_equal_float, left <= right)
GYRE_VELA_COMPARED_FLOATS(jump_not_less_equal_float, !(left <= right))
#undef GYRE_VELA_COMPARED_FLOATS

GYRE_VELA_HANDLER(jump_unless_variant) {
    const Variant& variant = as<Variant>(r[ip->a].word(), Kind::variant);
    const bool is_it = variant.info == extension<const VariantInfo*>(ip[1]);
    GYRE_VELA_NEXT(r, ip + (is_it ? 2 : wide(*ip)));
}
GYRE_VELA_HANDLER(choose) {
    const std::int64_t way = r[ip->a].number;
    GYRE_ASSERT(way >= 0 && way < ip->b, "no such exit of a finally");
    const Insn* target = ip + 1 + way;
    target += wide(*target);
    // An exit may lead back to the head of a loop.
    if (--vm.fuel < 0) [[unlikely]]
        return at_safepoint(vm, r, target);
    GYRE_VELA_NEXT(r, target);
}

GYRE_VELA_HANDLER(range_begin) {
    // The second instruction belongs to it: the register of the count, and whether the last counts.
    const std::int64_t first = r[ip->b].number;
    const std::int64_t last = r[ip->c].number;
    const std::uint64_t distance =
        static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first) + ip[1].b;
    r[ip->a].number = first;
    r[ip[1].a].bits = last < first ? 0 : distance;
    GYRE_VELA_NEXT(r, ip + 2);
}
GYRE_VELA_HANDLER(range_next) {
    if (r[ip->c].bits == 0) GYRE_VELA_NEXT(r, ip + 1 + wide(ip[1]));
    --r[ip->c].bits;
    const std::int64_t number = r[ip->b].number;
    // After the last number it is not read again.
    r[ip->b].bits = static_cast<std::uint64_t>(number) + 1;
    r[ip->a].number = number;
    GYRE_VELA_NEXT(r, ip + 2);
}
// The same as the back edge of its loop.
GYRE_VELA_HANDLER(range_loop) {
    if (r[ip->c].bits == 0) GYRE_VELA_NEXT(r, ip + 2);
    --r[ip->c].bits;
    const std::int64_t number = r[ip->b].number;
    r[ip->b].bits = static_cast<std::uint64_t>(number) + 1;
    r[ip->a].number = number;
    const Insn* const to = ip + 1 + wide(ip[1]);
    if (--vm.fuel < 0) [[unlikely]]
        return at_safepoint(vm, r, to);
    GYRE_VELA_NEXT(r, to);
}
GYRE_VELA_HANDLER(next_item) {
    auto& left = as<ItemsLeft>(r[ip->b].word(), Kind::items_left);
    if (left.next < left.items.size()) {
        r[ip->a].set(left.items[left.next++]);
        GYRE_VELA_NEXT(r, ip + 2);
    }
    if (left.number_count == 0) GYRE_VELA_NEXT(r, ip + 1 + wide(ip[1]));
    --left.number_count;
    r[ip->a].set(Word::is_small_number(left.number) ? Word::small(left.number)
                                                    : vm.heap.number(left.number));
    left.number = static_cast<std::int64_t>(static_cast<std::uint64_t>(left.number) + 1);
    GYRE_VELA_NEXT(r, ip + 2);
}

GYRE_VELA_HANDLER(item) {
    r[ip->a].set(as<Tuple>(r[ip->b].word(), Kind::tuple).items[ip->c]);
    GYRE_VELA_GO_ON;
}
GYRE_VELA_HANDLER(payload) {
    Variant& variant = as<Variant>(r[ip->b].word(), Kind::variant);
    GYRE_ASSERT(ip->c < variant.count, "takes the payload of another variant");
    r[ip->a].set(variant.payload()[ip->c]);
    GYRE_VELA_GO_ON;
}

namespace {
[[gnu::noinline]] Word element(Vm& vm, Word sequence, std::int64_t index) {
    if (is_list(sequence)) {
        const auto items = static_cast<List*>(sequence.thing())->all();
        if (index >= 0 && static_cast<std::uint64_t>(index) < items.size()) {
            return items[static_cast<std::size_t>(index)];
        }
        return {};
    }
    if (is_kind(sequence, Kind::range)) {
        const auto& range = *static_cast<Range*>(sequence.thing());
        if (index < 0 || static_cast<std::uint64_t>(index) >= range.count()) return {};
        return vm.heap.number(range.first + index);
    }
    const std::vector<Word> items = vm.items_of(sequence);
    if (index < 0 || static_cast<std::uint64_t>(index) >= items.size()) return {};
    return items[static_cast<std::size_t>(index)];
}
[[gnu::noinline, gnu::cold]] const Insn* out_of_range(Vm& vm, const Insn* ip, std::int64_t index) {
    const std::string text = concat("Index ", std::to_string(index), " is out of range");
    return raise_new(vm, ip, "Error", text.c_str());
}
}  // namespace

namespace {
inline Word element_of(Vm& vm, Word sequence, std::int64_t index) {
    if (is_kind(sequence, Kind::list)) [[likely]] {
        const std::vector<Word>& items = static_cast<List*>(sequence.thing())->items;
        if (static_cast<std::uint64_t>(index) < items.size()) [[likely]] {
            return items[static_cast<std::size_t>(index)];
        }
    }
    return element(vm, sequence, index);
}
}  // namespace

GYRE_VELA_HANDLER(get_index) {
    const Word value = element_of(vm, r[ip->b].word(), r[ip->c].number);
    if (value.is_missing()) return out_of_range(vm, ip, r[ip->c].number);
    r[ip->a].set(value);
    GYRE_VELA_GO_ON;
}
GYRE_VELA_HANDLER(get_index_number) {
    const Word value = element_of(vm, r[ip->b].word(), r[ip->c].number);
    if (value.is_missing()) return out_of_range(vm, ip, r[ip->c].number);
    r[ip->a].number = value.is_small() ? value.small_number() : number_of(value);
    GYRE_VELA_GO_ON;
}
GYRE_VELA_HANDLER(set_index) {
    const std::int64_t index = r[ip->b].number;
    if (!is_list(r[ip->a].word())) {
        return raise_new(vm, ip, "Error", "A range cannot be changed");
    }
    const auto items = static_cast<List*>(r[ip->a].word().thing())->all();
    if (index < 0 || static_cast<std::uint64_t>(index) >= items.size()) {
        return out_of_range(vm, ip, index);
    }
    items[static_cast<std::size_t>(index)] = r[ip->c].word();
    GYRE_VELA_GO_ON;
}

namespace {
[[gnu::noinline]] std::int64_t length_slowly(Vm& vm, Word sequence) {
    return vm.length_of(sequence);
}
[[gnu::noinline]] void push_slowly(Vm& vm, List& list, Word value) {
    const std::size_t before = list.items.capacity();
    list.items.push_back(vm.copied(value));
    vm.heap.count_growth((list.items.capacity() - before) * sizeof(Word));
}
}  // namespace
GYRE_VELA_HANDLER(length) {
    const Word sequence = r[ip->b].word();
    r[ip->a].number =
        is_kind(sequence, Kind::list)
            ? static_cast<std::int64_t>(static_cast<List*>(sequence.thing())->items.size())
            : length_slowly(vm, sequence);
    GYRE_VELA_GO_ON;
}
GYRE_VELA_HANDLER(push_item) {
    auto& list = as<List>(r[ip->a].word(), Kind::list);
    const Word value = r[ip->b].word();
    const bool has_room = list.items.size() < list.items.capacity();
    if (has_room && !is_kind(value, Kind::instance)) [[likely]] {
        list.items.push_back(value);
    } else {
        push_slowly(vm, list, value);
    }
    GYRE_VELA_GO_ON;
}
GYRE_VELA_HANDLER(new_object) {
    r[ip->a].set(vm.heap.make<Instance>(*extension<const Shape*>(ip[1])));
    GYRE_VELA_NEXT(r, ip + 2);
}

GYRE_VELA_HANDLER(get_slot) {
    auto& object = as<Instance>(r[ip->b].word(), Kind::instance);
    GYRE_ASSERT(ip->c < object.slot_count, "an object without this field");
    r[ip->a] = object.slots()[ip->c];
    GYRE_VELA_GO_ON;
}
GYRE_VELA_HANDLER(get_word) {
    auto& object = as<Instance>(r[ip->b].word(), Kind::instance);
    GYRE_ASSERT(ip->c < object.slot_count, "an object without this field");
    const Slot value = object.slots()[ip->c];
    if (value.bits == 0) return raise_new(vm, ip, "Error", "a field has no value yet");
    r[ip->a] = value;
    GYRE_VELA_GO_ON;
}
GYRE_VELA_HANDLER(set_slot) {
    auto& object = as<Instance>(r[ip->a].word(), Kind::instance);
    GYRE_ASSERT(ip->b < object.slot_count, "an object without this field");
    object.slots()[ip->b] = r[ip->c];
    GYRE_VELA_GO_ON;
}

}  // namespace gyre::vela::vm
