// SPDX-License-Identifier: Apache-2.0
// json: encodes a value; decodes to maps, lists, strings and numbers; null is None.
#include <charconv>

#include "lang/vela/reference/internal/native_tables.hpp"
#include "lang/vela/syntax/diagnostic.hpp"

namespace gyre::vela::internal {
namespace {

std::string in_quotes(std::string_view text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') result += '\\';
        if (c == '\n') {
            result += "\\n";
        } else if (c == '\t') {
            result += "\\t";
        } else if (c == '\r') {
            result += "\\r";
        } else {
            result += c;
        }
    }
    return result + '"';
}

std::string encoded(const Value& value);

std::string encoded_list(const Values& items) {
    std::string text;
    for (const Value& item : items) {
        if (!text.empty()) text += ',';
        text += encoded(item);
    }
    return concat("[", text, "]");
}

std::string encoded(const Value& value) {
    if (value.is_void()) return "null";
    if (const auto* text = value.as<Text>()) return in_quotes(text->text);
    if (const auto* list = value.as<List>()) return encoded_list(list->items);
    if (const auto* tuple = value.as<Tuple>()) return encoded_list(tuple->items);
    if (const auto* variant = value.as<EnumValue>()) {
        if (variant->name == "None") return "null";
        if (variant->payload.empty()) return in_quotes(variant->name);
        if (variant->name == "Some" || variant->name == "Ok") return encoded(variant->payload[0]);
        return concat("{", in_quotes(variant->name), ":", encoded_list(variant->payload), "}");
    }
    std::string text;
    if (const auto* map = value.as<Map>()) {
        for (const auto& [key, item] : map->entries) {
            if (!text.empty()) text += ',';
            text += in_quotes(printed(key)) + ":" + encoded(item);
        }
        return concat("{", text, "}");
    }
    if (const auto* object = value.as<Object>()) {
        for (const auto& [name, item] : object->fields) {
            if (!text.empty()) text += ',';
            text += in_quotes(name) + ":" + encoded(item);
        }
        return concat("{", text, "}");
    }
    return printed(value);
}

// For invalid JSON `decode` returns an Err.
struct Wrong {};

class Decoder {
public:
    Decoder(Runtime& runtime, std::string_view text) : runtime_(runtime), rest_(text) {}

    Value all() {
        const Value value = one(0);
        skip();
        if (!rest_.empty()) throw Wrong{};
        return value;
    }

private:
    void skip() {
        while (!rest_.empty() && std::string_view(" \t\r\n").contains(rest_[0])) {
            rest_.remove_prefix(1);
        }
    }
    bool take(std::string_view word) {
        skip();
        if (!rest_.starts_with(word)) return false;
        rest_.remove_prefix(word.size());
        return true;
    }
    void need(std::string_view word) {
        if (!take(word)) throw Wrong{};
    }

    Value one(int depth) {
        if (depth > 200) throw Wrong{};
        if (take("null")) return runtime_.heap.none();
        if (take("true")) return true;
        if (take("false")) return false;
        if (take("\"")) return runtime_.heap.text(text());
        if (take("[")) {
            auto* list = runtime_.heap.make<List>();
            if (take("]")) return list;
            do list->items.push_back(one(depth + 1));
            while (take(","));
            need("]");
            return list;
        }
        if (take("{")) {
            auto* map = runtime_.heap.make<Map>();
            if (take("}")) return map;
            do {
                need("\"");
                const Value key = runtime_.heap.text(text());
                need(":");
                map->entries.emplace_back(key, one(depth + 1));
            } while (take(","));
            need("}");
            return map;
        }
        return number();
    }

    std::string text() {
        const std::size_t begin = 0;
        std::size_t end = begin;
        while (end < rest_.size() && rest_[end] != '"') end += rest_[end] == '\\' ? 2 : 1;
        if (end >= rest_.size()) throw Wrong{};
        std::string result = unescaped(rest_.substr(begin, end));
        rest_.remove_prefix(end + 1);
        return result;
    }

    Value number() {
        skip();
        const std::string_view text = rest_.substr(0, rest_.find_first_not_of("+-.0123456789eE"));
        const bool is_real = text.find_first_of(".eE") != std::string_view::npos;
        std::int64_t whole = 0;
        double real = 0;
        const auto result = is_real ? std::from_chars(text.begin(), text.end(), real)
                                    : std::from_chars(text.begin(), text.end(), whole);
        if (result.ec != std::errc() || result.ptr != text.end()) throw Wrong{};
        rest_.remove_prefix(text.size());
        return is_real ? Value(real) : Value(whole);
    }

    Runtime& runtime_;
    std::string_view rest_;
};

}  // namespace

void add_json_natives(NativeTable& table) {
    table["JsonCodec.encode"] = [](Runtime& runtime, const Value&, const Values& args) -> Value {
        return runtime.heap.text(encoded(args[0]));
    };
    table["JsonCodec.decode"] = [](Runtime& runtime, const Value&, const Values& args) -> Value {
        try {
            return runtime.heap.variant("Ok", {Decoder(runtime, text_of(args[0])).all()});
        } catch (const Wrong&) {
            return runtime.heap.variant("Err", {runtime.error("ParseError", "not JSON")});
        }
    };
}

}  // namespace gyre::vela::internal
