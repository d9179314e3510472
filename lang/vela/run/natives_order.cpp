// SPDX-License-Identifier: Apache-2.0
// Sorting, searching and taking sequences apart; more of maps and sets; numbers, mathematics, chance.
#include <algorithm>
#include <cmath>

#include "lang/vela/run/internal/native_library.hpp"
#include "lang/vela/syntax/diagnostic.hpp"

namespace gyre::vela::vm {
namespace {

using Args = std::span<const Word>;

// Of Numbers, Floats, Strings, Bools and tuples of such; anything else has no order.
int compared(Vm& vm, Word a, Word b, int depth = 0) {
    const auto is_numeric = [](Word word) {
        return is_number(word) || is_kind(word, Kind::boxed_real);
    };
    if (is_number(a) && is_number(b)) {
        return number_of(a) < number_of(b) ? -1 : number_of(a) > number_of(b) ? 1 : 0;
    }
    if (is_numeric(a) && is_numeric(b)) {
        return real_of(a) < real_of(b) ? -1 : real_of(a) > real_of(b) ? 1 : 0;
    }
    if (is_kind(a, Kind::text) && is_kind(b, Kind::text)) {
        const int order = text_of(a).compare(text_of(b));
        return order < 0 ? -1 : order > 0 ? 1 : 0;
    }
    if (a.is_boolean() && b.is_boolean()) return int{a.truth()} - int{b.truth()};
    if (is_kind(a, Kind::tuple) && is_kind(b, Kind::tuple) && depth < 8) {
        const auto& left = static_cast<Tuple*>(a.thing())->items;
        const auto& right = static_cast<Tuple*>(b.thing())->items;
        for (std::size_t i = 0; i < std::min(left.size(), right.size()); ++i) {
            if (const int order = compared(vm, left[i], right[i], depth + 1); order != 0)
                return order;
        }
        return 0;
    }
    vm.fail("Error", concat(printed(a), " and ", printed(b), " have no order"));
}

// A merge sort: an order that is none, or changes, still ends and stays in bounds.
template <class Less>
void sort_stably(std::vector<Word>& items, std::vector<Word>& spare, std::size_t begin,
                 std::size_t end, Less& is_less) {
    if (end - begin < 2) return;
    const std::size_t middle = begin + (end - begin) / 2;
    sort_stably(items, spare, begin, middle, is_less);
    sort_stably(items, spare, middle, end, is_less);
    if (!is_less(items[middle], items[middle - 1])) return;
    std::size_t left = begin;
    std::size_t right = middle;
    for (std::size_t i = begin; i < end; ++i) {
        const bool takes_right =
            left == middle || (right < end && is_less(items[right], items[left]));
        spare[i] = takes_right ? items[right++] : items[left++];
    }
    std::copy(spare.begin() + static_cast<std::ptrdiff_t>(begin),
              spare.begin() + static_cast<std::ptrdiff_t>(end),
              items.begin() + static_cast<std::ptrdiff_t>(begin));
}
template <class Less>
void sort_all(std::vector<Word>& items, Less is_less) {
    std::vector<Word> spare(items.size());
    sort_stably(items, spare, 0, items.size(), is_less);
}

std::vector<Word> in_order(Vm& vm, Args args) {
    std::vector<Word> items = vm.items_of(args[0]);
    // Numbers of 63 bits and texts, the usual items, are compared without asking what they are.
    if (std::all_of(items.begin(), items.end(), [](Word word) { return word.is_small(); })) {
        std::sort(items.begin(), items.end(),
                  [](Word a, Word b) { return a.small_number() < b.small_number(); });
        return items;
    }
    const auto is_text = [](Word word) { return is_kind(word, Kind::text); };
    if (std::all_of(items.begin(), items.end(), is_text)) {
        // Equal texts cannot be told apart.
        std::sort(items.begin(), items.end(), [](Word a, Word b) {
            return static_cast<Text*>(a.thing())->text < static_cast<Text*>(b.thing())->text;
        });
        return items;
    }
    sort_all(items, [&](Word a, Word b) { return compared(vm, a, b) < 0; });
    return items;
}
std::vector<Word> in_order_by(Vm& vm, Args args) {
    Rooted roots(vm);
    roots.add(args);
    const std::vector<Word> items = vm.items_of(args[0]);
    const HeldOutside held(vm, items.size(), 5 * sizeof(Word));
    roots.add(items);
    // Pairs of a key and its item, each once.
    std::vector<Word> pairs;
    for (const Word item : items) {
        const Word key = roots.add(vm.call(args[1], {&item, 1}));
        pairs.push_back(roots.add(vm.heap.make<Tuple>(std::vector{key, item})));
    }
    const auto part = [](Word pair, std::size_t i) {
        return static_cast<Tuple*>(pair.thing())->items[i];
    };
    sort_all(pairs, [&](Word a, Word b) { return compared(vm, part(a, 0), part(b, 0)) < 0; });
    for (Word& pair : pairs) pair = part(pair, 1);
    return pairs;
}
std::vector<Word> in_order_with(Vm& vm, Args args) {
    Rooted roots(vm);
    roots.add(args);
    std::vector<Word> items = vm.items_of(args[0]);
    const HeldOutside held(vm, items.size(), 3 * sizeof(Word));
    roots.add(items);
    sort_all(items, [&](Word a, Word b) {
        const Word both[] = {a, b};
        return number_of(vm.call(args[1], both)) < 0;
    });
    return items;
}

using Sorting = std::vector<Word> (*)(Vm& vm, Args args);
template <Sorting sorting>
Word sort_in_place(Vm& vm, Args args) {
    std::vector<Word> items = sorting(vm, args);
    as<List>(args[0], Kind::list).items = std::move(items);
    return Word::nothing();
}
template <Sorting sorting>
Word sorted_copy(Vm& vm, Args args) {
    return vm.heap.make<List>(sorting(vm, args));
}

Word slice(Vm& vm, Args args) {
    const ItemsView view(vm, args[0]);
    const auto items = view.all();
    const auto limit = static_cast<std::int64_t>(items.size());
    const std::int64_t from = std::clamp<std::int64_t>(number_of(args[1]), 0, limit);
    const std::int64_t to = std::clamp<std::int64_t>(number_of(args[2]), from, limit);
    return vm.heap.make<List>(std::vector<Word>(items.begin() + from, items.begin() + to));
}
Word zip(Vm& vm, Args args) {
    const std::vector<Word> left = vm.items_of(args[0]);
    const std::vector<Word> right = vm.items_of(args[1]);
    std::vector<Word> pairs;
    for (std::size_t i = 0; i < std::min(left.size(), right.size()); ++i) {
        pairs.emplace_back(vm.heap.make<Tuple>(std::vector{left[i], right[i]}));
    }
    return vm.heap.make<List>(std::move(pairs));
}
Word enumerate(Vm& vm, Args args) {
    std::vector<Word> pairs;
    for (const Word item : vm.items_of(args[0])) {
        const Word index = Word::small(static_cast<std::int64_t>(pairs.size()));
        pairs.emplace_back(vm.heap.make<Tuple>(std::vector{index, item}));
    }
    return vm.heap.make<List>(std::move(pairs));
}
Word index_of_item(Vm& vm, Args args) {
    const ItemsView view(vm, args[0]);
    const auto items = view.all();
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (are_equal(items[i], args[1])) return vm.some(Word::small(static_cast<std::int64_t>(i)));
    }
    return vm.none();
}
Word extreme(Vm& vm, Args args, int sign) {
    Word best;
    for (const Word item : vm.items_of(args[0])) {
        if (best.is_missing() || compared(vm, item, best) * sign > 0) best = item;
    }
    return best.is_missing() ? vm.none() : vm.some(best);
}
std::size_t place_in(Vm& vm, const List& list, Word index, std::size_t last) {
    const std::int64_t at = number_of(index);
    if (at < 0 || static_cast<std::size_t>(at) > last ||
        list.items.size() < static_cast<std::size_t>(at)) {
        vm.fail("Error", concat("Index ", std::to_string(at), " is out of range"));
    }
    return static_cast<std::size_t>(at);
}
Word insert(Vm& vm, Args args) {
    auto& list = as<List>(args[0], Kind::list);
    const std::size_t at = place_in(vm, list, args[1], list.items.size());
    list.items.insert(list.items.begin() + static_cast<std::ptrdiff_t>(at), vm.copied(args[2]));
    vm.heap.count_growth(sizeof(Word));
    return Word::nothing();
}
Word remove_at(Vm& vm, Args args) {
    auto& list = as<List>(args[0], Kind::list);
    if (list.items.empty()) vm.fail("Error", "The list is empty");
    const std::size_t at = place_in(vm, list, args[1], list.items.size() - 1);
    const Word removed = list.items[at];
    list.items.erase(list.items.begin() + static_cast<std::ptrdiff_t>(at));
    return removed;
}

Table& entries_of(Word word) {
    if (!is_table(word)) wrong_kind(word, "a Map or Set");
    return *static_cast<Table*>(word.thing());
}
template <class Wanted>
Word chosen(Vm& vm, Word from, Kind kind, Wanted is_wanted) {
    auto* made = vm.heap.make<Table>(kind);
    for (const Table::Entry& entry : entries_of(from).entries) {
        if (!entry.key.is_missing() && is_wanted(entry.key)) made->set(entry.key, entry.value);
    }
    vm.heap.count_growth(made->outside_bytes());
    return made;
}
Word union_of(Vm& vm, Args args) {
    const Word made = chosen(vm, args[0], Kind::set, [](Word) { return true; });
    const std::size_t before = entries_of(made).outside_bytes();
    for (const Word item : vm.items_of(args[1])) entries_of(made).set(item, item);
    vm.heap.count_growth(entries_of(made).outside_bytes() - before);
    return made;
}
Word update(Vm& vm, Args args) {
    Rooted roots(vm);
    roots.add(args);
    const Table::Entry* entry = entries_of(args[0]).find(args[1]);
    const Word old = roots.add(entry == nullptr ? vm.none() : vm.some(entry->value));
    const Word value = vm.call(args[2], {&old, 1});
    vm.check_key(args[1]);
    entries_of(args[0]).set(vm.copied(args[1]), vm.copied(value));
    return Word::nothing();
}

Word whole(Vm& vm, double real) {
    // The least and the greatest double that a Number holds.
    if (!(real >= -9223372036854775808.0 && real < 9223372036854775808.0)) {
        vm.fail("OverflowError", "Number overflow");
    }
    return vm.heap.number(static_cast<std::int64_t>(real));
}
template <double (*function)(double)>
Word of_float(Vm& vm, Args args) {
    return vm.heap.real(function(real_of(args[1])));
}

std::int64_t drawn(Vm& vm, std::int64_t from, std::int64_t to) {
    if (from >= to) vm.fail("Error", "A range to draw from has at least one number");
    const std::uint64_t size = static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(from) + vm.random.below(size));
}
Word shuffle(Vm& vm, Args args) {
    auto& items = as<List>(args[1], Kind::list).items;
    for (std::size_t i = items.size(); i > 1; --i) {
        std::swap(items[i - 1], items[static_cast<std::size_t>(vm.random.below(i))]);
    }
    return Word::nothing();
}

}  // namespace

void add_order_natives(NativeTable& table) {
    table["List.sort"] = sort_in_place<in_order>;
    table["List.sortBy"] = sort_in_place<in_order_by>;
    table["List.sortWith"] = sort_in_place<in_order_with>;
    table["Sequence.sorted"] = sorted_copy<in_order>;
    table["Sequence.sortedBy"] = sorted_copy<in_order_by>;
    table["Sequence.sortedWith"] = sorted_copy<in_order_with>;
    table["Sequence.slice"] = slice;
    table["Sequence.zip"] = zip;
    table["Sequence.enumerate"] = enumerate;
    table["Sequence.indexOf"] = index_of_item;
    table["Sequence.first"] = [](Vm& vm, Args args) {
        const ItemsView view(vm, args[0]);
        return view.all().empty() ? vm.none() : vm.some(view.all().front());
    };
    table["Sequence.last"] = [](Vm& vm, Args args) {
        const ItemsView view(vm, args[0]);
        return view.all().empty() ? vm.none() : vm.some(view.all().back());
    };
    table["Sequence.min"] = [](Vm& vm, Args args) { return extreme(vm, args, -1); };
    table["Sequence.max"] = [](Vm& vm, Args args) { return extreme(vm, args, 1); };
    const NativeCall copy = [](Vm& vm, Args args) {
        return Word(vm.heap.make<List>(vm.items_of(args[0])));
    };
    table["Sequence.toList"] = copy;
    table["List.copy"] = copy;
    table["List.insert"] = insert;
    table["List.removeAt"] = remove_at;
    table["Map.entries"] = copy;
    table["Map.getOr"] = [](Vm&, Args args) {
        const Table::Entry* entry = entries_of(args[0]).find(args[1]);
        return entry == nullptr ? args[2] : entry->value;
    };
    table["Map.update"] = update;
    table["Map.copy"] = [](Vm& vm, Args args) {
        return chosen(vm, args[0], Kind::map, [](Word) { return true; });
    };
    table["Set.copy"] = [](Vm& vm, Args args) {
        return chosen(vm, args[0], Kind::set, [](Word) { return true; });
    };
    table["Set.union"] = union_of;
    table["Set.intersect"] = [](Vm& vm, Args args) {
        return chosen(vm, args[0], Kind::set,
                      [&](Word key) { return entries_of(args[1]).find(key) != nullptr; });
    };
    table["Set.minus"] = [](Vm& vm, Args args) {
        return chosen(vm, args[0], Kind::set,
                      [&](Word key) { return entries_of(args[1]).find(key) == nullptr; });
    };
}

Word absolute(Vm& vm, Word value) {
    if (is_kind(value, Kind::boxed_real)) return vm.heap.real(std::fabs(real_of(value)));
    const std::int64_t number = number_of(value);
    if (number == INT64_MIN) vm.fail("OverflowError", "Number overflow");
    return vm.heap.number(number < 0 ? -number : number);
}

void add_number_natives(NativeTable& table) {
    table["Number.toFloat"] = [](Vm& vm, Args args) { return vm.heap.real(real_of(args[0])); };
    table["Number.abs"] = [](Vm& vm, Args args) { return absolute(vm, args[0]); };
    table["Float.toNumber"] = [](Vm& vm, Args args) {
        return whole(vm, std::trunc(real_of(args[0])));
    };
    table["Float.abs"] = [](Vm& vm, Args args) { return absolute(vm, args[0]); };
    table["abs"] = [](Vm& vm, Args args) { return absolute(vm, args[0]); };
    table["MathFunctions.abs"] = [](Vm& vm, Args args) { return absolute(vm, args[1]); };
    table["MathFunctions.floor"] = [](Vm& vm, Args args) {
        return whole(vm, std::floor(real_of(args[1])));
    };
    table["MathFunctions.ceil"] = [](Vm& vm, Args args) {
        return whole(vm, std::ceil(real_of(args[1])));
    };
    table["MathFunctions.round"] = [](Vm& vm, Args args) {
        return whole(vm, std::round(real_of(args[1])));
    };
    table["MathFunctions.sqrt"] = of_float<std::sqrt>;
    table["MathFunctions.sin"] = of_float<std::sin>;
    table["MathFunctions.cos"] = of_float<std::cos>;
    table["MathFunctions.exp"] = of_float<std::exp>;
    table["MathFunctions.log"] = of_float<std::log>;
    table["MathFunctions.pow"] = [](Vm& vm, Args args) {
        return vm.heap.real(std::pow(real_of(args[1]), real_of(args[2])));
    };
    table["MathFunctions.min"] = [](Vm& vm, Args args) {
        return compared(vm, args[2], args[1]) < 0 ? args[2] : args[1];
    };
    table["MathFunctions.max"] = [](Vm& vm, Args args) {
        return compared(vm, args[2], args[1]) > 0 ? args[2] : args[1];
    };
    table["RandomNumbers.next"] = [](Vm& vm, Args) {
        constexpr double unit = 1.0 / static_cast<double>(std::uint64_t{1} << 53U);
        return vm.heap.real(static_cast<double>(vm.random.below(std::uint64_t{1} << 53U)) * unit);
    };
    table["RandomNumbers.range"] = [](Vm& vm, Args args) {
        return vm.heap.number(drawn(vm, number_of(args[1]), number_of(args[2])));
    };
    table["RandomNumbers.shuffle"] = shuffle;
}

}  // namespace gyre::vela::vm
