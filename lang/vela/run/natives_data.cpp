// SPDX-License-Identifier: Apache-2.0
// Sequences, collections, options and results.
#include <algorithm>

#include "lang/vela/run/internal/native_library.hpp"

namespace gyre::vela::vm {
namespace {

using Args = std::span<const Word>;

// Clamps a count; a negative one is 0.
std::size_t bounded(std::int64_t count, std::size_t size) {
    if (count < 0) return 0;
    return std::min(static_cast<std::size_t>(count), size);
}

Word new_list(Vm& vm, std::vector<Word> items) {
    return vm.heap.make<List>(std::move(items));
}

// The items of a sequence while a function of the program is called for each.
class Walk {
public:
    Walk(Vm& vm, Args args, std::size_t function = 1)
        : vm_(vm),
          roots_(vm),
          items_(vm.items_of(args[0])),
          // As items, as roots, and as a result with its roots.
          held_(vm, items_.size(), 4 * sizeof(Word)),
          function_(args[function]) {
        roots_.add(args);
        roots_.add(items_);
    }
    [[nodiscard]] const std::vector<Word>& items() const { return items_; }
    Word call(Word item) { return vm_.call(function_, {&item, 1}); }
    Word call(Word first, Word second) {
        const Word args[] = {first, second};
        return vm_.call(function_, args);
    }
    Word keep(Word word) { return roots_.add(word); }

private:
    Vm& vm_;
    Rooted roots_;
    const std::vector<Word> items_;
    const HeldOutside held_;
    const Word function_;
};

Word map_items(Vm& vm, Args args) {
    Walk walk(vm, args);
    std::vector<Word> made;
    made.reserve(walk.items().size());
    for (const Word item : walk.items()) made.push_back(walk.keep(walk.call(item)));
    return new_list(vm, std::move(made));
}
Word filter_items(Vm& vm, Args args) {
    Walk walk(vm, args);
    std::vector<Word> kept;
    for (const Word item : walk.items()) {
        if (truth_of(walk.call(item))) kept.push_back(item);
    }
    return new_list(vm, std::move(kept));
}
Word reduce_items(Vm& vm, Args args) {
    // The function is the first or the last argument.
    const std::size_t at = is_kind(args[1], Kind::closure) ? 1 : 2;
    Walk walk(vm, args, at);
    Word result = args[3 - at];
    for (const Word item : walk.items()) result = walk.keep(walk.call(result, item));
    return result;
}
Word for_each(Vm& vm, Args args) {
    Walk walk(vm, args);
    for (const Word item : walk.items()) static_cast<void>(walk.call(item));
    return Word::nothing();
}
Word for_each_indexed(Vm& vm, Args args) {
    Walk walk(vm, args);
    std::int64_t index = 0;
    for (const Word item : walk.items()) static_cast<void>(walk.call(Word::small(index++), item));
    return Word::nothing();
}
Word find_item(Vm& vm, Args args) {
    Walk walk(vm, args);
    for (const Word item : walk.items()) {
        if (truth_of(walk.call(item))) return vm.some(item);
    }
    return vm.none();
}
Word any_item(Vm& vm, Args args) {
    Walk walk(vm, args);
    for (const Word item : walk.items()) {
        if (truth_of(walk.call(item))) return Word::boolean(true);
    }
    return Word::boolean(false);
}
Word every_item(Vm& vm, Args args) {
    Walk walk(vm, args);
    for (const Word item : walk.items()) {
        if (!truth_of(walk.call(item))) return Word::boolean(false);
    }
    return Word::boolean(true);
}

Word item_at(Vm& vm, Args args) {
    const ItemsView view(vm, args[0]);
    const auto items = view.all();
    const std::int64_t index = number_of(args[1]);
    if (index < 0 || static_cast<std::size_t>(index) >= items.size()) return vm.none();
    return vm.some(items[static_cast<std::size_t>(index)]);
}
Word contains(Vm& vm, Args args) {
    if (is_kind(args[0], Kind::set)) {
        return Word::boolean(static_cast<Table*>(args[0].thing())->find(args[1]) != nullptr);
    }
    const ItemsView view(vm, args[0]);
    const auto items = view.all();
    return Word::boolean(std::any_of(items.begin(), items.end(),
                                     [&](Word item) { return are_equal(item, args[1]); }));
}
Word join(Vm& vm, Args args) {
    std::string text;
    bool is_first = true;
    const bool has_separator = args.size() > 1 && !args[1].is_missing();
    for (const Word item : vm.items_of(args[0])) {
        if (!is_first && has_separator) text += text_of(args[1]);
        is_first = false;
        text += printed(item);
        vm.check_text_size(text.size());
    }
    return vm.heap.text(std::move(text));
}
Word chunk(Vm& vm, Args args) {
    const std::int64_t size = number_of(args[1]);
    if (size < 1) vm.fail("Error", "A chunk has at least one item");
    auto* chunks = vm.heap.make<List>();
    List* last = nullptr;
    for (const Word item : vm.items_of(args[0])) {
        if (last == nullptr || static_cast<std::int64_t>(last->items.size()) == size) {
            last = vm.heap.make<List>();
            chunks->items.emplace_back(last);
        }
        last->items.push_back(item);
    }
    return chunks;
}
Word concat_items(Vm& vm, Args args) {
    std::vector<Word> items = vm.items_of(args[0]);
    const std::vector<Word> more = vm.items_of(args[1]);
    items.insert(items.end(), more.begin(), more.end());
    return new_list(vm, std::move(items));
}
Word take(Vm& vm, Args args) {
    std::vector<Word> items = vm.items_of(args[0]);
    items.resize(bounded(number_of(args[1]), items.size()));
    return new_list(vm, std::move(items));
}
Word drop(Vm& vm, Args args) {
    std::vector<Word> items = vm.items_of(args[0]);
    const std::size_t count = bounded(number_of(args[1]), items.size());
    items.erase(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(count));
    return new_list(vm, std::move(items));
}
Word reverse(Vm& vm, Args args) {
    std::vector<Word> items = vm.items_of(args[0]);
    std::reverse(items.begin(), items.end());
    return new_list(vm, std::move(items));
}
Word sum(Vm& vm, Args args) {
    std::int64_t whole = 0;
    double real = 0;
    bool is_real = false;
    for (const Word item : vm.items_of(args[0])) {
        if (is_number(item) && !is_real) {
            if (__builtin_add_overflow(whole, number_of(item), &whole)) {
                vm.fail("OverflowError", "Number overflow");
            }
            continue;
        }
        if (!is_real) real = static_cast<double>(whole);
        is_real = true;
        real += real_of(item);
    }
    return is_real ? vm.heap.real(real) : vm.heap.number(whole);
}

Word push(Vm& vm, Args args) {
    auto& items = static_cast<List*>(args[0].thing())->items;
    const std::size_t before = items.capacity();
    items.push_back(vm.copied(args[1]));
    if (items.capacity() != before) {
        vm.heap.count_growth((items.capacity() - before) * sizeof(Word));
    }
    return Word::nothing();
}
Word pop_last(Vm& vm, Args args) {
    auto& list = as<List>(args[0], Kind::list);
    if (list.items.empty()) return vm.none();
    const Word last = list.items.back();
    list.items.pop_back();
    return vm.some(last);
}
Word pop_first(Vm& vm, Args args) {
    auto& queue = as<List>(args[0], Kind::queue);
    if (queue.size() == 0) return vm.none();
    const Word first = queue.items[queue.head++];
    constexpr std::size_t kept_max = 32;
    if (queue.head > kept_max && queue.head * 2 > queue.items.size()) {
        queue.items.erase(queue.items.begin(),
                          queue.items.begin() + static_cast<std::ptrdiff_t>(queue.head));
        queue.head = 0;
    }
    return vm.some(first);
}
Word flatten(Vm& vm, Args args) {
    std::vector<Word> all;
    for (const Word item : vm.items_of(args[0])) {
        const std::vector<Word> inner = vm.items_of(item);
        vm.need_room(all.size() + inner.size(), 2 * sizeof(Word));
        all.insert(all.end(), inner.begin(), inner.end());
    }
    return new_list(vm, std::move(all));
}

Table& table_of(Word word) {
    if (!is_table(word)) wrong_kind(word, "a Map or Set");
    return *static_cast<Table*>(word.thing());
}
void set_entry(Vm& vm, Table& table, Word key, Word value) {
    vm.check_key(key);
    const std::size_t before = table.outside_bytes();
    table.set(key, value);
    if (table.outside_bytes() > before) vm.heap.count_growth(table.outside_bytes() - before);
}
Word map_get(Vm& vm, Args args) {
    const Table::Entry* entry = table_of(args[0]).find(args[1]);
    return entry == nullptr ? vm.none() : vm.some(entry->value);
}
Word map_remove(Vm& vm, Args args) {
    Table& table = table_of(args[0]);
    const Table::Entry* entry = table.find(args[1]);
    if (entry == nullptr) return vm.none();
    const Word value = entry->value;
    table.remove(args[1]);
    return vm.some(value);
}
Word map_parts(Vm& vm, Args args, bool takes_keys) {
    std::vector<Word> parts;
    for (const Table::Entry& entry : table_of(args[0]).entries) {
        if (!entry.key.is_missing()) parts.push_back(takes_keys ? entry.key : entry.value);
    }
    return new_list(vm, std::move(parts));
}

Word payload_of(Word variant) {
    return as<Variant>(variant, Kind::variant).payload()[0];
}
Word unwrap(Vm& vm, Args args) {
    if (vm.has_value(args[0])) return payload_of(args[0]);
    if (as<Variant>(args[0], Kind::variant).count == 0) vm.fail("NoneError", "unwrapped None");
    const Word error = payload_of(args[0]);
    if (vm.is_error(error)) throw Thrown{error};
    vm.fail("Error", printed(error));
}
Word unwrap_or(Vm& vm, Args args) {
    return vm.has_value(args[0]) ? payload_of(args[0]) : args[1];
}
Word map_value(Vm& vm, Args args) {
    if (!vm.has_value(args[0])) return args[0];
    Rooted roots(vm);
    roots.add(args);
    const Word value = payload_of(args[0]);
    const Word made = vm.call(args[1], {&value, 1});
    return vm.variant(as<Variant>(args[0], Kind::variant).info, {&made, 1});
}
Word map_error(Vm& vm, Args args) {
    if (vm.has_value(args[0])) return args[0];
    Rooted roots(vm);
    roots.add(args);
    const Word value = payload_of(args[0]);
    return vm.err(vm.call(args[1], {&value, 1}));
}

}  // namespace

void add_sequence_natives(NativeTable& table) {
    table["Sequence.map"] = map_items;
    table["Sequence.filter"] = filter_items;
    table["Sequence.reduce"] = reduce_items;
    table["Sequence.forEach"] = for_each;
    table["Sequence.forEachIndexed"] = for_each_indexed;
    table["Sequence.find"] = find_item;
    table["Sequence.any"] = any_item;
    table["Sequence.every"] = every_item;
    table["Sequence.get"] = item_at;
    table["Sequence.contains"] = contains;
    table["Sequence.join"] = join;
    table["Sequence.chunk"] = chunk;
    table["Sequence.concat"] = concat_items;
    table["Sequence.take"] = take;
    table["Sequence.drop"] = drop;
    table["Sequence.reverse"] = reverse;
    table["Sequence.sum"] = sum;
}

void add_collection_natives(NativeTable& table) {
    table["List.push"] = push;
    table["Queue.push"] = push;
    table["List.pop"] = pop_last;
    table["Queue.pop"] = pop_first;
    table["List.flatten"] = flatten;
    table["Set.add"] = [](Vm& vm, Args args) {
        if (table_of(args[0]).find(args[1]) == nullptr) {
            set_entry(vm, table_of(args[0]), args[1], args[1]);
        }
        return Word::nothing();
    };
    table["Set.remove"] = [](Vm&, Args args) {
        return Word::boolean(table_of(args[0]).remove(args[1]));
    };
    table["Set.has"] = contains;
    table["Map.get"] = map_get;
    table["Map.set"] = [](Vm& vm, Args args) {
        set_entry(vm, table_of(args[0]), vm.copied(args[1]), vm.copied(args[2]));
        return Word::nothing();
    };
    table["Map.remove"] = map_remove;
    table["Map.has"] = [](Vm&, Args args) {
        return Word::boolean(table_of(args[0]).find(args[1]) != nullptr);
    };
    table["Map.keys"] = [](Vm& vm, Args args) { return map_parts(vm, args, true); };
    table["Map.values"] = [](Vm& vm, Args args) { return map_parts(vm, args, false); };
    for (const auto& [name, native] :
         {std::pair<std::string_view, NativeCall>{"OptionMembers.unwrap", unwrap},
          {"ResultMembers.unwrap", unwrap},
          {"OptionMembers.unwrapOr", unwrap_or},
          {"ResultMembers.unwrapOr", unwrap_or},
          {"OptionMembers.map", map_value},
          {"ResultMembers.map", map_value},
          {"ResultMembers.mapErr", map_error}}) {
        table[name] = native;
    }
    table["OptionMembers.okOr"] = [](Vm& vm, Args args) {
        return vm.has_value(args[0]) ? vm.ok(payload_of(args[0])) : vm.err(args[1]);
    };
}

}  // namespace gyre::vela::vm
