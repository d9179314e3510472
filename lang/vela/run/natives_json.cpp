// SPDX-License-Identifier: Apache-2.0
// json: encodes a value; decodes to maps, lists, strings and numbers; null is None.
#include <charconv>
#include <cmath>

#include "lang/vela/run/internal/json_text.hpp"
#include "lang/vela/run/internal/native_library.hpp"
#include "lang/vela/syntax/diagnostic.hpp"

namespace gyre::vela::vm {
namespace {

using Args = std::span<const Word>;
constexpr int json_depth_max = 200;

void quote(std::string& to, std::string_view text) {
    constexpr std::string_view digits = "0123456789abcdef";
    to += '"';
    for (const char c : text) {
        const auto code = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            to += '\\';
            to += c;
        } else if (c == '\n') {
            to += "\\n";
        } else if (c == '\t') {
            to += "\\t";
        } else if (c == '\r') {
            to += "\\r";
        } else if (code < 0x20) {
            to += "\\u00";
            to += digits[code >> 4U];
            to += digits[code & 15U];
        } else {
            to += c;
        }
    }
    to += '"';
}

class Encoder {
public:
    explicit Encoder(Vm& vm) noexcept : vm_(vm) {}
    void add(Word word, int depth);
    std::string text;

private:
    void list(std::span<const Word> items, int depth) {
        text += '[';
        for (std::size_t i = 0; i < items.size(); ++i) {
            if (i > 0) text += ',';
            add(items[i], depth + 1);
        }
        text += ']';
    }
    void table(const Table& of, int depth) {
        text += '{';
        bool is_first = true;
        for (const Table::Entry& entry : of.entries) {
            if (entry.key.is_missing()) continue;
            if (!is_first) text += ',';
            is_first = false;
            quote(text, printed(entry.key));
            text += ':';
            add(entry.value, depth + 1);
        }
        text += '}';
    }
    void object(Instance& of, int depth) {
        text += '{';
        for (std::size_t i = 0; i < of.slot_count; ++i) {
            if (i > 0) text += ',';
            quote(text, of.shape->fields[i]->name.text);
            text += ':';
            add(vm_.field(of, of.shape->fields[i]->name.text), depth + 1);
        }
        text += '}';
    }
    void variant(Variant& of, int depth) {
        const std::string_view name = of.info->name.text;
        if (name == "None") {
            text += "null";
        } else if (of.count == 0) {
            quote(text, name);
        } else if (name == "Some" || name == "Ok") {
            add(of.payload()[0], depth);
        } else {
            text += '{';
            quote(text, name);
            text += ':';
            list(of.all(), depth);
            text += '}';
        }
    }

    Vm& vm_;
};

void Encoder::add(Word word, int depth) {
    if (depth > json_depth_max) vm_.fail("Error", "JSON is nested too deep");
    vm_.check_text_size(text.size());
    Thing* thing = word.thing();
    if (word.is_nothing()) {
        text += "null";
    } else if (thing == nullptr) {
        text += printed(word);
    } else if (thing->kind == Kind::boxed_real && !std::isfinite(real_of(word))) {
        text += "null";  // JSON has neither infinities nor NaN
    } else if (thing->kind == Kind::text) {
        quote(text, static_cast<Text*>(thing)->text);
    } else if (is_list(word)) {
        list(static_cast<List*>(thing)->all(), depth);
    } else if (thing->kind == Kind::set || thing->kind == Kind::range) {
        list(vm_.items_of(word), depth);
    } else if (thing->kind == Kind::tuple) {
        list(static_cast<Tuple*>(thing)->items, depth);
    } else if (thing->kind == Kind::map) {
        table(*static_cast<Table*>(thing), depth);
    } else if (thing->kind == Kind::variant) {
        variant(*static_cast<Variant*>(thing), depth);
    } else if (thing->kind == Kind::instance) {
        object(*static_cast<Instance*>(thing), depth);
    } else {
        text += printed(word);
    }
}

// For invalid JSON `decode` returns an Err.
struct Malformed {};

class Decoder {
public:
    Decoder(Vm& vm, std::string_view text) : vm_(vm), rest_(text) {}

    Word all() {
        const Word value = one(0);
        skip();
        if (!rest_.empty()) throw Malformed{};
        return value;
    }

private:
    void skip() {
        const std::size_t at = rest_.find_first_not_of(" \t\r\n");
        rest_.remove_prefix(std::min(at, rest_.size()));
    }
    bool take(std::string_view word) {
        skip();
        if (!rest_.starts_with(word)) return false;
        rest_.remove_prefix(word.size());
        return true;
    }
    void need(std::string_view word) {
        if (!take(word)) throw Malformed{};
    }
    Word list(int depth) {
        auto* made = vm_.heap.make<List>();
        if (take("]")) return made;
        do made->items.push_back(one(depth + 1));
        while (take(","));
        need("]");
        return made;
    }
    Word map(int depth) {
        auto* made = vm_.heap.make<Table>(Kind::map);
        if (take("}")) return made;
        do {
            need("\"");
            const Word key = vm_.heap.text(text());
            need(":");
            made->set(key, one(depth + 1));
        } while (take(","));
        need("}");
        return made;
    }
    Word one(int depth) {
        if (depth > json_depth_max) throw Malformed{};
        if (take("null")) return vm_.none();
        if (take("true")) return Word::boolean(true);
        if (take("false")) return Word::boolean(false);
        if (take("\"")) return vm_.heap.text(text());
        if (take("[")) return list(depth);
        if (take("{")) return map(depth);
        return number();
    }
    unsigned four_digits() {
        unsigned code = 0;
        if (rest_.size() < 4) throw Malformed{};
        const auto result = std::from_chars(rest_.data(), rest_.data() + 4, code, 16);
        if (result.ptr != rest_.data() + 4) throw Malformed{};
        rest_.remove_prefix(4);
        return code;
    }
    void code_point(std::string& to) {
        std::uint32_t code = four_digits();
        if (code >= 0xD800 && code < 0xDC00 && rest_.starts_with("\\u")) {
            rest_.remove_prefix(2);
            const unsigned low = four_digits();
            if (low < 0xDC00 || low > 0xDFFF) throw Malformed{};
            code = 0x10000 + ((code - 0xD800) << 10U) + (low - 0xDC00);
        }
        if (code >= 0xD800 && code <= 0xDFFF) throw Malformed{};
        append_utf8(to, code);
    }
    std::string text() {
        constexpr std::string_view names = "\"\\/bfnrt";
        constexpr std::string_view values = "\"\\/\b\f\n\r\t";
        std::string made;
        while (!rest_.empty() && rest_[0] != '"') {
            const char c = rest_[0];
            rest_.remove_prefix(1);
            if (static_cast<unsigned char>(c) < 0x20) throw Malformed{};
            if (c != '\\') {
                made += c;
                continue;
            }
            if (rest_.empty()) throw Malformed{};
            const char escape = rest_[0];
            rest_.remove_prefix(1);
            if (escape == 'u') {
                code_point(made);
                continue;
            }
            const std::size_t at = names.find(escape);
            if (at == std::string_view::npos) throw Malformed{};
            made += values[at];
        }
        need("\"");
        return made;
    }
    Word number() {
        skip();
        const std::string_view digits = rest_.substr(0, rest_.find_first_not_of("+-.0123456789eE"));
        const bool is_real = digits.find_first_of(".eE") != std::string_view::npos;
        std::int64_t whole = 0;
        double real = 0;
        const auto result = is_real ? std::from_chars(digits.begin(), digits.end(), real)
                                    : std::from_chars(digits.begin(), digits.end(), whole);
        if (result.ec != std::errc() || result.ptr != digits.end()) throw Malformed{};
        rest_.remove_prefix(digits.size());
        return is_real ? vm_.heap.real(real) : vm_.heap.number(whole);
    }

    Vm& vm_;
    std::string_view rest_;
};

}  // namespace

void append_utf8(std::string& to, std::uint32_t code) {
    const auto add = [&to](std::uint32_t byte) { to += static_cast<char>(byte); };
    if (code < 0x80) {
        add(code);
    } else if (code < 0x800) {
        add(0xC0U | code >> 6U);
        add(0x80U | (code & 0x3FU));
    } else if (code < 0x10000) {
        add(0xE0U | code >> 12U);
        add(0x80U | (code >> 6U & 0x3FU));
        add(0x80U | (code & 0x3FU));
    } else {
        add(0xF0U | code >> 18U);
        add(0x80U | (code >> 12U & 0x3FU));
        add(0x80U | (code >> 6U & 0x3FU));
        add(0x80U | (code & 0x3FU));
    }
}

std::string json_text(Vm& vm, Word value) {
    Encoder encoder(vm);
    encoder.add(value, 0);
    return std::move(encoder.text);
}

Word json_result(Vm& vm, std::string_view text) {
    try {
        return vm.ok(Decoder(vm, text).all());
    } catch (const Malformed&) {
        return vm.err(vm.error("ParseError", "not JSON"));
    }
}

namespace {

bool is_none(Word json) {
    return is_kind(json, Kind::variant) && static_cast<Variant*>(json.thing())->count == 0;
}
// An Option is null, or what it holds.
Word bare(Word json) {
    while (is_kind(json, Kind::variant) && !is_none(json)) {
        json = static_cast<Variant*>(json.thing())->payload()[0];
    }
    return json;
}

bool is_text(Word json) {
    return is_kind(json, Kind::text);
}
bool is_truth(Word json) {
    return json.is_boolean();
}
using IsWanted = bool (*)(Word);
template <IsWanted is_wanted>
Word json_as(Vm& vm, Args args) {
    const Word json = bare(args[0]);
    return is_wanted(json) ? vm.some(json) : vm.none();
}

Word json_as_float(Vm& vm, Args args) {
    const Word json = bare(args[0]);
    if (!is_number(json) && !is_kind(json, Kind::boxed_real)) return vm.none();
    return vm.some(vm.heap.real(real_of(json)));
}

// A copy: what is written to it does not change the Json, which others may hold.
Word json_as_list(Vm& vm, Args args) {
    const Word json = bare(args[0]);
    if (!is_kind(json, Kind::list)) return vm.none();
    return vm.some(vm.heap.make<List>(vm.items_of(json)));
}

Word json_as_map(Vm& vm, Args args) {
    const Word json = bare(args[0]);
    if (!is_kind(json, Kind::map)) return vm.none();
    auto* made = vm.heap.make<Table>(Kind::map);
    for (const Table::Entry& entry : static_cast<Table*>(json.thing())->entries) {
        if (!entry.key.is_missing()) made->set(entry.key, entry.value);
    }
    vm.heap.count_growth(made->outside_bytes());
    return vm.some(made);
}

Word json_get(Vm& vm, Args args) {
    const Word json = bare(args[0]);
    if (!is_kind(json, Kind::map)) return vm.none();
    const Table::Entry* entry = static_cast<Table*>(json.thing())->find(args[1]);
    return entry == nullptr ? vm.none() : vm.some(entry->value);
}

}  // namespace

void add_json_natives(NativeTable& table) {
    table["Json.isNull"] = [](Vm&, Args args) { return Word::boolean(is_none(bare(args[0]))); };
    table["Json.asNumber"] = json_as<is_number>;
    table["Json.asFloat"] = json_as_float;
    table["Json.asText"] = json_as<is_text>;
    table["Json.asBool"] = json_as<is_truth>;
    table["Json.asList"] = json_as_list;
    table["Json.asMap"] = json_as_map;
    table["Json.get"] = json_get;
    table["JsonCodec.encode"] = [](Vm& vm, Args args) {
        return vm.heap.text(json_text(vm, args[1]));
    };
    table["JsonCodec.decode"] = [](Vm& vm, Args args) { return json_result(vm, text_of(args[1])); };
}

}  // namespace gyre::vela::vm
