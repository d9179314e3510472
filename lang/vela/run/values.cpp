// SPDX-License-Identifier: Apache-2.0
// How values are printed, compared and hashed.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <functional>

#include "lang/vela/run/internal/code.hpp"
#include "lang/vela/run/internal/thing.hpp"
#include "lang/vela/syntax/diagnostic.hpp"

namespace gyre::vela::vm {
namespace {

// A value that contains itself ends here.
constexpr int shown_depth_max = 50;

// The shortest text that reads back as the same number, always with a point or an exponent.
std::string real_text(double real) {
    std::array<char, 64> buffer{};
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), real);
    std::string text(buffer.data(), end.ptr);
    if (text.find_first_of(".en") == std::string::npos) text += ".0";
    return text;
}

std::string in_quotes(std::string_view text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') result += '\\';
        if (c == '\n') {
            result += "\\n";
        } else {
            result += c;
        }
    }
    return result + '"';
}

std::string shown(Word word, int depth);

std::string joined(std::span<const Word> words, int depth) {
    std::string text;
    bool is_first = true;
    for (const Word word : words) {
        if (!is_first) text += ", ";
        is_first = false;
        text += shown(word, depth);
    }
    return text;
}

std::string table_text(const Table& table, int depth) {
    std::string text;
    for (const Table::Entry& entry : table.entries) {
        if (entry.key.is_missing()) continue;
        if (!text.empty()) text += ", ";
        text += shown(entry.key, depth);
        if (table.kind == Kind::map) text += ": " + shown(entry.value, depth);
    }
    return concat("{", text, "}");
}

std::string slot_text(Instance& object, std::size_t i, int depth) {
    const Slot slot = object.slots()[i];
    switch (object.shape->reps[i]) {
        case Rep::number:
            return std::to_string(slot.number);
        case Rep::real:
            return real_text(slot.real);
        case Rep::boolean:
            return slot.bits != 0 ? "true" : "false";
        case Rep::word:
            break;
    }
    return shown(slot.word(), depth);
}

std::string object_text(Instance& object, int depth) {
    const Shape& shape = *object.shape;
    std::string text(shape.type->name.text);
    if (shape.is_error) {
        const std::string message =
            is_kind(object.field(0), Kind::text) ? text_of(object.field(0)) : std::string();
        return message.empty() ? text : concat(text, ": ", message);
    }
    if (shape.fields.empty()) return text + " { }";
    text += " { ";
    for (std::size_t i = 0; i < shape.fields.size(); ++i) {
        if (i > 0) text += ", ";
        text += concat(shape.fields[i]->name.text, ": ", slot_text(object, i, depth));
    }
    return text + " }";
}

std::string thing_text(Thing& thing, int depth) {
    switch (thing.kind) {
        case Kind::boxed_number:
            return std::to_string(static_cast<Boxed&>(thing).value.number);
        case Kind::boxed_real:
            return real_text(static_cast<Boxed&>(thing).value.real);
        case Kind::text: {
            const std::string& text = static_cast<Text&>(thing).text;
            return depth == 0 ? text : in_quotes(text);
        }
        case Kind::bytes:
            return "<Bytes>";
        case Kind::tuple:
            return concat("(", joined(static_cast<Tuple&>(thing).items, depth + 1), ")");
        case Kind::list:
        case Kind::queue:
            return concat("[", joined(static_cast<List&>(thing).all(), depth + 1), "]");
        case Kind::range: {
            const auto& range = static_cast<Range&>(thing);
            return concat(std::to_string(range.first), range.is_inclusive ? "..=" : "..",
                          std::to_string(range.last));
        }
        case Kind::map:
        case Kind::set:
            return table_text(static_cast<Table&>(thing), depth + 1);
        case Kind::variant: {
            auto& variant = static_cast<Variant&>(thing);
            if (variant.count == 0) return std::string(variant.info->name.text);
            return concat(variant.info->name.text, "(", joined(variant.all(), depth + 1), ")");
        }
        case Kind::instance:
            return object_text(static_cast<Instance&>(thing), depth + 1);
        case Kind::future:
            return "<Future>";
        case Kind::task_handle:
            return "<TaskHandle>";
        case Kind::promise:
            return "<Promise>";
        case Kind::stream:
            return "<AsyncIterator>";
        case Kind::actor_ref:
            return "<ActorRef>";
        case Kind::timer:
            return "<Timer>";
        case Kind::host:
            return concat("<", static_cast<HostThing&>(thing).type->name.text, ">");
        default:
            return "<fn>";
    }
}

std::string shown(Word word, int depth) {
    if (word.is_small()) return std::to_string(word.small_number());
    if (word.is_nothing()) return "()";
    if (word.is_boolean()) return word.truth() ? "true" : "false";
    if (word.is_missing()) return "()";
    if (depth > shown_depth_max) return "...";
    return thing_text(*word.thing(), depth);
}

bool is_numeric(Word word) {
    return is_number(word) || is_kind(word, Kind::boxed_real);
}

bool are_equal_parts(std::span<const Word> a, std::span<const Word> b, int depth) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [depth](Word x, Word y) { return are_equal(x, y, depth); });
}

bool are_equal_tables(Table& a, Table& b, int depth) {
    if (a.size() != b.size()) return false;
    return std::all_of(a.entries.begin(), a.entries.end(), [&](const Table::Entry& entry) {
        if (entry.key.is_missing()) return true;
        const Table::Entry* other = b.find(entry.key);
        return other != nullptr &&
               (a.kind == Kind::set || are_equal(entry.value, other->value, depth));
    });
}

bool are_equal_objects(Instance& a, Instance& b, int depth) {
    if (a.shape != b.shape || !a.shape->is_struct) return false;
    for (std::size_t i = 0; i < a.slot_count; ++i) {
        const Slot left = a.slots()[i];
        const Slot right = b.slots()[i];
        const Rep rep = a.shape->reps[i];
        const bool is_same = rep == Rep::word   ? are_equal(left.word(), right.word(), depth)
                             : rep == Rep::real ? left.real == right.real
                                                : left.bits == right.bits;
        if (!is_same) return false;
    }
    return true;
}

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
    std::uint64_t value = (a ^ (b + 0x9e3779b97f4a7c15ULL)) * 0xff51afd7ed558ccdULL;
    return value ^ value >> 32U;
}

std::uint64_t hash_of_number(std::int64_t number) {
    return mixed(7, static_cast<std::uint64_t>(number));
}

// A Float with the value of a Number has its hash, since the two are equal.
std::uint64_t hash_of_real(double real) {
    if (real >= -9e15 && real <= 9e15 && real == std::floor(real)) {
        return hash_of_number(static_cast<std::int64_t>(real));
    }
    return mixed(11, std::bit_cast<std::uint64_t>(real));
}

std::uint64_t hash_of_all(std::uint64_t seed, std::span<const Word> words, int depth) {
    for (const Word word : words) seed = mixed(seed, hash_of(word, depth));
    return seed;
}

std::uint64_t hash_of_object(Instance& object, int depth) {
    if (!object.shape->is_struct) return mixed(17, reinterpret_cast<std::uintptr_t>(&object));
    std::uint64_t hash = 19;
    for (std::size_t i = 0; i < object.slot_count; ++i) {
        const Slot slot = object.slots()[i];
        const Rep rep = object.shape->reps[i];
        hash = mixed(hash, rep == Rep::word   ? hash_of(slot.word(), depth)
                           : rep == Rep::real ? hash_of_real(slot.real)
                                              : hash_of_number(slot.number));
    }
    return hash;
}

}  // namespace

std::string printed(Word word) {
    return shown(word, 0);
}

bool are_equal(Word a, Word b, int depth) {
    if (a == b) return !is_kind(a, Kind::boxed_real) || real_of(a) == real_of(b);
    if (is_numeric(a) && is_numeric(b)) {
        if (is_number(a) && is_number(b)) return number_of(a) == number_of(b);
        return real_of(a) == real_of(b);
    }
    Thing* left = a.thing();
    Thing* right = b.thing();
    if (left == nullptr || right == nullptr || depth > shown_depth_max) return false;
    if (left->kind != right->kind) return false;
    switch (left->kind) {
        case Kind::text:
        case Kind::bytes:
            return static_cast<Text*>(left)->text == static_cast<Text*>(right)->text;
        case Kind::tuple:
            return are_equal_parts(static_cast<Tuple*>(left)->items,
                                   static_cast<Tuple*>(right)->items, depth + 1);
        case Kind::list:
        case Kind::queue:
            return are_equal_parts(static_cast<List*>(left)->all(),
                                   static_cast<List*>(right)->all(), depth + 1);
        case Kind::range: {
            const auto& one = *static_cast<Range*>(left);
            const auto& other = *static_cast<Range*>(right);
            return one.first == other.first && one.last == other.last &&
                   one.is_inclusive == other.is_inclusive;
        }
        case Kind::map:
        case Kind::set:
            return are_equal_tables(*static_cast<Table*>(left), *static_cast<Table*>(right),
                                    depth + 1);
        case Kind::variant: {
            auto& one = *static_cast<Variant*>(left);
            auto& other = *static_cast<Variant*>(right);
            return one.info == other.info && are_equal_parts(one.all(), other.all(), depth + 1);
        }
        case Kind::instance:
            return are_equal_objects(*static_cast<Instance*>(left), *static_cast<Instance*>(right),
                                     depth + 1);
        default:
            return false;
    }
}

std::uint64_t hash_of(Word word, int depth) {
    Thing* thing = word.thing();
    if (word.is_small()) return hash_of_number(word.small_number());
    if (thing == nullptr || depth > shown_depth_max) return mixed(3, word.bits());
    switch (thing->kind) {
        case Kind::boxed_number:
            return hash_of_number(number_of(word));
        case Kind::boxed_real:
            return hash_of_real(real_of(word));
        case Kind::text:
        case Kind::bytes:
            return std::hash<std::string>()(static_cast<Text*>(thing)->text);
        case Kind::tuple:
            return hash_of_all(23, static_cast<Tuple*>(thing)->items, depth + 1);
        case Kind::list:
        case Kind::queue:
            return hash_of_all(29, static_cast<List*>(thing)->all(), depth + 1);
        case Kind::variant: {
            auto& variant = *static_cast<Variant*>(thing);
            return hash_of_all(reinterpret_cast<std::uintptr_t>(variant.info), variant.all(),
                               depth + 1);
        }
        case Kind::instance:
            return hash_of_object(*static_cast<Instance*>(thing), depth + 1);
        case Kind::map:
        case Kind::set:
        case Kind::range:
            return 31;
        default:
            return mixed(5, word.bits());
    }
}

}  // namespace gyre::vela::vm
