// SPDX-License-Identifier: Apache-2.0
// How values are printed, compared and hashed.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <functional>
#include <unordered_set>

#include "lang/vela/run/internal/code.hpp"
#include "lang/vela/run/internal/thing.hpp"
#include "lang/vela/syntax/diagnostic.hpp"

namespace gyre::vela::vm {
namespace {

// A value that contains itself ends here.
constexpr int shown_depth_max = 50;

// The shortest text that reads back as the same number, always with a point or an exponent.
std::string real_text(double real) {
    // The sign of a NaN depends on the processor.
    if (std::isnan(real)) return "nan";
    std::array<char, 64> buffer{};
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), real);
    std::string text(buffer.data(), end.ptr);
    if (text.find_first_of(".en") == std::string::npos) text += ".0";
    return text;
}

// Appends to one text. A value may hold another one many times over, at many levels: what is longer
// than a String can be is cut.
class Printer {
public:
    void add(Word word, int depth);
    std::string text;

private:
    [[nodiscard]] bool is_full() const noexcept { return text.size() > text_bytes_max; }
    void in_quotes(std::string_view of);
    void joined(std::span<const Word> words, int depth);
    void table(const Table& of, int depth);
    void slot(Instance& object, std::size_t i, int depth);
    void object(Instance& of, int depth);
    void thing(Thing& of, int depth);
    void simple(Thing& of);
};

void Printer::in_quotes(std::string_view of) {
    text += '"';
    for (const char c : of) {
        if (c == '"' || c == '\\') text += '\\';
        if (c == '\n') {
            text += "\\n";
        } else {
            text += c;
        }
    }
    text += '"';
}

void Printer::joined(std::span<const Word> words, int depth) {
    bool is_first = true;
    for (const Word word : words) {
        if (is_full()) return;
        if (!is_first) text += ", ";
        is_first = false;
        add(word, depth);
    }
}

void Printer::table(const Table& of, int depth) {
    bool is_first = true;
    text += '{';
    for (const Table::Entry& entry : of.entries) {
        if (entry.key.is_missing()) continue;
        if (is_full()) return;
        if (!is_first) text += ", ";
        is_first = false;
        add(entry.key, depth);
        if (of.kind != Kind::map) continue;
        text += ": ";
        add(entry.value, depth);
    }
    text += '}';
}

void Printer::slot(Instance& object, std::size_t i, int depth) {
    const Slot of = object.slots()[i];
    switch (object.shape->reps[i]) {
        case Rep::number:
            text += std::to_string(of.number);
            return;
        case Rep::real:
            text += real_text(of.real);
            return;
        case Rep::boolean:
            text += of.bits != 0 ? "true" : "false";
            return;
        case Rep::word:
            break;
    }
    add(of.word(), depth);
}

void Printer::object(Instance& of, int depth) {
    const Shape& shape = *of.shape;
    text += shape.type->name.text;
    if (shape.is_error) {
        const bool has_message = is_kind(of.field(0), Kind::text) && !text_of(of.field(0)).empty();
        if (has_message) text.append(": ").append(text_of(of.field(0)));
        return;
    }
    text += " { ";
    for (std::size_t i = 0; i < shape.fields.size(); ++i) {
        if (is_full()) return;
        if (i > 0) text += ", ";
        text.append(shape.fields[i]->name.text).append(": ");
        slot(of, i, depth);
    }
    text += shape.fields.empty() ? "}" : " }";
}

void Printer::thing(Thing& of, int depth) {
    switch (of.kind) {
        case Kind::text: {
            const std::string& content = static_cast<Text&>(of).text;
            if (depth > 0) return in_quotes(content);
            text += content;
            return;
        }
        case Kind::tuple:
            text += '(';
            joined(static_cast<Tuple&>(of).items, depth + 1);
            text += ')';
            return;
        case Kind::list:
        case Kind::queue:
            text += '[';
            joined(static_cast<List&>(of).all(), depth + 1);
            text += ']';
            return;
        case Kind::map:
        case Kind::set:
            return table(static_cast<Table&>(of), depth + 1);
        case Kind::variant: {
            auto& variant = static_cast<Variant&>(of);
            text += variant.info->name.text;
            if (variant.count == 0) return;
            text += '(';
            joined(variant.all(), depth + 1);
            text += ')';
            return;
        }
        case Kind::instance:
            return object(static_cast<Instance&>(of), depth + 1);
        default:
            simple(of);
    }
}

void Printer::simple(Thing& of) {
    switch (of.kind) {
        case Kind::boxed_number:
            text += std::to_string(static_cast<Boxed&>(of).value.number);
            return;
        case Kind::boxed_real:
            text += real_text(static_cast<Boxed&>(of).value.real);
            return;
        case Kind::bytes:
            text += "<Bytes>";
            return;
        case Kind::range: {
            const auto& range = static_cast<Range&>(of);
            text += concat(std::to_string(range.first), range.is_inclusive ? "..=" : "..",
                           std::to_string(range.last));
            return;
        }
        case Kind::future:
            text += "<Future>";
            return;
        case Kind::task_handle:
            text += "<TaskHandle>";
            return;
        case Kind::promise:
            text += "<Promise>";
            return;
        case Kind::stream:
            text += "<AsyncIterator>";
            return;
        case Kind::actor_ref:
            text += "<ActorRef>";
            return;
        case Kind::timer:
            text += "<Timer>";
            return;
        case Kind::host: {
            const TypeInfo* type = static_cast<HostThing&>(of).type;
            text += concat("<", type == nullptr ? "host" : type->name.text, ">");
            return;
        }
        default:
            text += "<fn>";
    }
}

void Printer::add(Word word, int depth) {
    if (word.is_small()) {
        text += std::to_string(word.small_number());
    } else if (word.is_boolean()) {
        text += word.truth() ? "true" : "false";
    } else if (word.is_nothing() || word.is_missing()) {
        text += "()";
    } else if (depth > shown_depth_max) {
        text += "...";
    } else {
        thing(*word.thing(), depth);
    }
}

std::string shown(Word word, int depth) {
    Printer printer;
    printer.add(word, depth);
    if (printer.text.size() > text_bytes_max) {
        printer.text.resize(text_bytes_max);
        printer.text += "...";
    }
    return std::move(printer.text);
}

bool is_numeric(Word word) {
    return is_number(word) || is_kind(word, Kind::boxed_real);
}

bool may_hold_real(Word word) {
    const Thing* thing = word.thing();
    if (thing == nullptr) return false;
    switch (thing->kind) {
        case Kind::boxed_real:
        case Kind::tuple:
        case Kind::list:
        case Kind::queue:
        case Kind::map:
            return true;
        case Kind::variant:
            return static_cast<const Variant*>(thing)->count > 0;
        case Kind::instance:
            return static_cast<const Instance*>(thing)->shape->is_struct;
        default:
            return false;
    }
}

// Compares two values part by part, without recursion: the pairs that are still to be compared are in
// a list. Values may share parts at many levels, so a long comparison remembers its pairs: each is
// compared once.
class Comparison {
public:
    bool run(Word a, Word b) {
        open_.push_back({a, b});
        for (std::size_t step = 0; !open_.empty(); ++step) {
            const auto [left, right] = open_.back();
            open_.pop_back();
            if (!compare(left, right, step)) return false;
        }
        return true;
    }

private:
    struct Pair {
        Word left;
        Word right;
    };
    struct PairHash {
        std::size_t operator()(const std::pair<const Thing*, const Thing*>& pair) const noexcept {
            return std::hash<const Thing*>()(pair.first) * 31 +
                   std::hash<const Thing*>()(pair.second);
        }
    };

    bool compare(Word a, Word b, std::size_t step) {
        constexpr std::size_t forgotten_max = 256;
        // A value that holds a NaN does not equal itself.
        if (a == b && !may_hold_real(a)) return true;
        if (is_numeric(a) && is_numeric(b)) {
            if (is_number(a) && is_number(b)) return number_of(a) == number_of(b);
            return real_of(a) == real_of(b);
        }
        Thing* left = a.thing();
        Thing* right = b.thing();
        if (left == nullptr || right == nullptr || left->kind != right->kind) return false;
        if (step > forgotten_max && !seen_.emplace(left, right).second) return true;
        return things(*left, *right);
    }

    bool parts(std::span<const Word> a, std::span<const Word> b) {
        if (a.size() != b.size()) return false;
        // In reverse, so that the first parts are compared first.
        for (std::size_t i = a.size(); i-- > 0;) open_.push_back({a[i], b[i]});
        return true;
    }

    bool tables(Table& a, Table& b) {
        if (a.size() != b.size()) return false;
        for (const Table::Entry& entry : a.entries) {
            if (entry.key.is_missing()) continue;
            const Table::Entry* other = b.find(entry.key);
            if (other == nullptr) return false;
            if (a.kind != Kind::set) open_.push_back({entry.value, other->value});
        }
        return true;
    }

    bool objects(Instance& a, Instance& b) {
        if (a.shape != b.shape || !a.shape->is_struct) return false;
        for (std::size_t i = 0; i < a.slot_count; ++i) {
            const Slot left = a.slots()[i];
            const Slot right = b.slots()[i];
            const Rep rep = a.shape->reps[i];
            if (rep == Rep::word) {
                open_.push_back({left.word(), right.word()});
            } else if (rep == Rep::real ? left.real != right.real : left.bits != right.bits) {
                return false;
            }
        }
        return true;
    }

    bool things(Thing& left, Thing& right);

    std::vector<Pair> open_;
    std::unordered_set<std::pair<const Thing*, const Thing*>, PairHash> seen_;
};

bool Comparison::things(Thing& left, Thing& right) {
    switch (left.kind) {
        case Kind::text:
        case Kind::bytes:
            return static_cast<Text&>(left).text == static_cast<Text&>(right).text;
        case Kind::tuple:
            return parts(static_cast<Tuple&>(left).items, static_cast<Tuple&>(right).items);
        case Kind::list:
        case Kind::queue:
            return parts(static_cast<List&>(left).all(), static_cast<List&>(right).all());
        case Kind::range: {
            const auto& one = static_cast<Range&>(left);
            const auto& other = static_cast<Range&>(right);
            return one.first == other.first && one.last == other.last &&
                   one.is_inclusive == other.is_inclusive;
        }
        case Kind::map:
        case Kind::set:
            return tables(static_cast<Table&>(left), static_cast<Table&>(right));
        case Kind::variant: {
            auto& one = static_cast<Variant&>(left);
            auto& other = static_cast<Variant&>(right);
            return one.info == other.info && parts(one.all(), other.all());
        }
        case Kind::instance:
            return objects(static_cast<Instance&>(left), static_cast<Instance&>(right));
        default:
            return false;
    }
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

// Below the first levels only a few parts count, so that a hash takes bounded time.
std::uint64_t hash_of_all(std::uint64_t seed, std::span<const Word> words, int depth) {
    constexpr std::size_t deep_count_max = 3;
    const std::size_t count =
        depth < 3 ? words.size() : std::min<std::size_t>(words.size(), deep_count_max);
    for (const Word word : words.first(count)) seed = mixed(seed, hash_of(word, depth));
    return mixed(seed, words.size());
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

std::string written(Word word) {
    return shown(word, 1);
}

bool are_equal(Word a, Word b) {
    // Most comparisons are of numbers and texts.
    if (is_kind(a, Kind::text) && is_kind(b, Kind::text)) {
        return static_cast<Text*>(a.thing())->text == static_cast<Text*>(b.thing())->text;
    }
    if (is_number(a) && is_number(b)) return number_of(a) == number_of(b);
    return Comparison().run(a, b);
}

std::uint64_t hash_of(Word word, int depth) {
    Thing* thing = word.thing();
    if (word.is_small()) return hash_of_number(word.small_number());
    // Equal values have equal hashes: what is deeper counts for nothing.
    constexpr int hashed_depth_max = 8;
    if (thing == nullptr) return mixed(3, word.bits());
    if (depth > hashed_depth_max) return 37;
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
