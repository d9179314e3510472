// SPDX-License-Identifier: Apache-2.0
// Things: what they hold, for the collector; what they are, for the rest.
#include "lang/vela/run/internal/thing.hpp"

#include <cstring>

#include "lang/vela/run/internal/code.hpp"
#include "lang/vela/run/internal/heap.hpp"

namespace gyre::vela::vm {

void RoutePath::trace(Marker& marker) {
    marker.mark(params);
}
void Tuple::trace(Marker& marker) {
    marker.mark(items);
}
void List::trace(Marker& marker) {
    marker.mark(all());
}
void Table::trace(Marker& marker) {
    for (const Entry& entry : entries) {
        marker.mark(entry.key);
        marker.mark(entry.value);
    }
}
void Variant::trace(Marker& marker) {
    marker.mark(all());
}
void Instance::trace(Marker& marker) {
    marker.mark(actor);
    for (std::size_t i = 0; i < slot_count; ++i) {
        if (shape->reps[i] == Rep::word) marker.mark(field(i));
    }
}
void Closure::trace(Marker& marker) {
    for (std::size_t i = 0; i < count; ++i) {
        const bool is_word =
            function == nullptr || is_bound || function->reps[function->captures[i]] == Rep::word;
        if (is_word) marker.mark(captures()[i].word());
    }
}
void Cell::trace(Marker& marker) {
    marker.mark(value);
}
void ItemsLeft::trace(Marker& marker) {
    marker.mark(items);
}

Instance::Instance(const Shape& of) noexcept
    : Thing(Kind::instance), shape(&of), slot_count(static_cast<std::uint32_t>(of.reps.size())) {
    std::memset(static_cast<void*>(slots()), 0, slot_count * sizeof(Slot));
}
std::size_t Instance::tail_bytes(const Shape& of) noexcept {
    return of.reps.size() * sizeof(Slot);
}

Closure::Closure(const Function* of, std::span<const Slot> with) noexcept
    : Thing(Kind::closure), function(of), count(static_cast<std::uint32_t>(with.size())) {
    for (std::size_t i = 0; i < with.size(); ++i) captures()[i] = with[i];
}
Closure::Closure(const FunctionInfo* of, std::span<const Slot> with) noexcept
    : Thing(Kind::closure), native(of), count(static_cast<std::uint32_t>(with.size())) {
    for (std::size_t i = 0; i < with.size(); ++i) captures()[i] = with[i];
}

void wrong_kind(Word word, const char* wanted) {
    GYRE_ASSERT(false, "a value of another kind than its type says: %s where %s is wanted",
                printed(word).c_str(), wanted);
    __builtin_unreachable();
}

bool is_number(Word word) noexcept {
    return word.is_small() || is_kind(word, Kind::boxed_number);
}
std::int64_t number_of(Word word) {
    if (word.is_small()) return word.small_number();
    return as<Boxed>(word, Kind::boxed_number).value.number;
}
double real_of(Word word) {
    if (is_kind(word, Kind::boxed_real)) return static_cast<Boxed*>(word.thing())->value.real;
    return static_cast<double>(number_of(word));
}
bool truth_of(Word word) {
    if (!word.is_boolean()) wrong_kind(word, "a Bool");
    return word.truth();
}
const std::string& text_of(Word word) {
    return as<Text>(word, Kind::text).text;
}

// ---- tables

namespace {
constexpr std::size_t small_table_max = 8;
constexpr std::size_t not_found = SIZE_MAX;

// Keys with one hash: two small numbers are equal only if they are the same word.
bool are_equal_keys(Word a, Word b) {
    return a.is_small() && b.is_small() ? a == b : are_equal(a, b);
}
}  // namespace

std::size_t Table::place_of(Word key, std::uint64_t hash) const {
    if (index.empty()) {
        for (std::size_t i = 0; i < entries.size(); ++i) {
            if (entries[i].hash == hash && !entries[i].key.is_missing() &&
                are_equal_keys(entries[i].key, key)) {
                return i;
            }
        }
        return not_found;
    }
    const std::size_t mask = index.size() - 1;
    for (std::size_t at = hash & mask; index[at] != 0; at = (at + 1) & mask) {
        const Entry& entry = entries[index[at] - 1];
        if (entry.hash == hash && !entry.key.is_missing() && are_equal_keys(entry.key, key)) {
            return index[at] - 1;
        }
    }
    return not_found;
}

Table::Entry* Table::find(Word key) {
    const std::size_t place = place_of(key, hash_of(key));
    return place == not_found ? nullptr : &entries[place];
}

bool Table::set(Word key, Word value) {
    const std::uint64_t hash = hash_of(key);
    const std::size_t place = place_of(key, hash);
    if (place != not_found) {
        entries[place].value = value;
        return false;
    }
    entries.push_back({key, value, hash});
    ++live_count;
    if (entries.size() > small_table_max && entries.size() * 2 > index.size()) {
        rebuild();
    } else if (!index.empty()) {
        const std::size_t mask = index.size() - 1;
        std::size_t at = hash & mask;
        while (index[at] != 0) at = (at + 1) & mask;
        index[at] = static_cast<std::uint32_t>(entries.size());
    }
    return true;
}

bool Table::remove(Word key) {
    Entry* entry = find(key);
    if (entry == nullptr) return false;
    *entry = {};
    --live_count;
    if (entries.size() > small_table_max && live_count * 2 < entries.size()) rebuild();
    if (live_count == 0) {
        entries.clear();
        index.clear();
    }
    return true;
}

// Drops removed entries and indexes the others.
void Table::rebuild() {
    std::erase_if(entries, [](const Entry& entry) { return entry.key.is_missing(); });
    index.clear();
    if (entries.size() <= small_table_max) return;
    std::size_t size = 32;
    while (size < entries.size() * 4) size *= 2;
    index.resize(size);
    for (std::size_t i = 0; i < entries.size(); ++i) {
        std::size_t at = entries[i].hash & (size - 1);
        while (index[at] != 0) at = (at + 1) & (size - 1);
        index[at] = static_cast<std::uint32_t>(i + 1);
    }
}

}  // namespace gyre::vela::vm
