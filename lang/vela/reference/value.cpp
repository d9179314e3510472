// SPDX-License-Identifier: Apache-2.0
#include "lang/vela/reference/value.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "lang/vela/reference/runtime.hpp"
#include "lang/vela/syntax/diagnostic.hpp"

namespace gyre::vela {
namespace {

// Limits the depth: objects may form cycles.
constexpr int depth_max = 50;

// The shortest text that round-trips, always with a point or an exponent.
std::string real_text(double real) {
    // The sign of a NaN depends on the processor.
    if (std::isnan(real)) return "nan";
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

std::string shown(const Value& value, int depth);

std::string joined_texts(const Values& values, int depth) {
    std::string text;
    for (const Value& value : values) {
        if (!text.empty()) text += ", ";
        text += shown(value, depth);
    }
    return text;
}

// Whether the type is Error or CancelledError of the standard text, or extends one.
bool prints_as_error(const TypeInfo* type) {
    for (; type != nullptr; type = type->base == nullptr ? nullptr : known(type->base)->info) {
        const bool is_it = type->name.text == "Error" || type->name.text == "CancelledError";
        if (type->is_standard && is_it) return true;
    }
    return false;
}

std::string object_text(Object& object, int depth) {
    std::string text(object.type->name.text);
    if (prints_as_error(object.type)) {
        const std::string& message = text_of(*object.field("message"));
        return message.empty() ? text : concat(text, ": ", message);
    }
    if (object.fields.empty()) return text + " { }";
    text += " { ";
    bool is_first = true;
    for (const auto& [name, value] : object.fields) {
        if (!is_first) text += ", ";
        is_first = false;
        text += concat(name, ": ", shown(value, depth));
    }
    return text + " }";
}

std::string shown(const Value& value, int depth) {
    if (value.is_void()) return "()";
    if (value.truth() != nullptr) return *value.truth() ? "true" : "false";
    if (value.number() != nullptr) return std::to_string(*value.number());
    if (value.real() != nullptr) return real_text(*value.real());
    if (depth > depth_max) return "...";
    if (const auto* text = value.as<Text>()) return depth == 0 ? text->text : in_quotes(text->text);
    if (const auto* tuple = value.as<Tuple>()) {
        return concat("(", joined_texts(tuple->items, depth + 1), ")");
    }
    if (const auto* list = value.as<List>()) {
        const std::string inner = joined_texts(list->items, depth + 1);
        return list->kind == ListKind::set ? concat("{", inner, "}") : concat("[", inner, "]");
    }
    if (const auto* range = value.as<Range>()) {
        return std::to_string(range->first) + (range->is_inclusive ? "..=" : "..") +
               std::to_string(range->last);
    }
    if (const auto* map = value.as<Map>()) {
        std::string text;
        for (const auto& [key, item] : map->entries) {
            if (!text.empty()) text += ", ";
            text += shown(key, depth + 1) + ": " + shown(item, depth + 1);
        }
        return concat("{", text, "}");
    }
    if (const auto* variant = value.as<EnumValue>()) {
        if (variant->payload.empty()) return std::string(variant->name);
        return concat(variant->name, "(", joined_texts(variant->payload, depth + 1), ")");
    }
    if (auto* object = value.as<Object>()) return object_text(*object, depth + 1);
    if (value.as<TaskHandle>() != nullptr) return "<TaskHandle>";
    if (value.as<Future>() != nullptr) return "<Future>";
    if (value.as<Promise>() != nullptr) return "<Promise>";
    if (value.as<Iterator>() != nullptr) return "<AsyncIterator>";
    if (value.as<ActorRef>() != nullptr) return "<ActorRef>";
    if (value.as<Timer>() != nullptr) return "<Timer>";
    return "<fn>";
}

bool are_equal_lists(const Values& a, const Values& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), &are_equal);
}

// Such a value does not equal itself.
bool holds_nan(const Value& value, int depth) {
    if (value.real() != nullptr) return std::isnan(*value.real());
    if (depth > depth_max) return false;
    const auto holds = [depth](const Value& part) { return holds_nan(part, depth + 1); };
    if (const auto* tuple = value.as<Tuple>()) return std::ranges::any_of(tuple->items, holds);
    if (const auto* list = value.as<List>()) return std::ranges::any_of(list->items, holds);
    if (const auto* variant = value.as<EnumValue>()) {
        return std::ranges::any_of(variant->payload, holds);
    }
    const auto of_entry = [&](const auto& entry) { return holds(entry.second); };
    if (const auto* map = value.as<Map>()) return std::ranges::any_of(map->entries, of_entry);
    const auto* object = value.as<Object>();
    const bool is_struct = object != nullptr && object->type->kind == DeclKind::structure;
    return is_struct && std::ranges::any_of(object->fields, of_entry);
}

double as_real(const Value& value) {
    return value.real() != nullptr ? *value.real() : static_cast<double>(*value.number());
}

}  // namespace

Value* Object::field(std::string_view name) {
    for (auto& [field_name, value] : fields) {
        if (field_name == name) return &value;
    }
    return nullptr;
}

Value Heap::copied(Value value) {
    const auto* object = value.as<Object>();
    if (object == nullptr || object->type->kind != DeclKind::structure) return value;
    auto* copy = make<Object>(object->type);
    for (const auto& [name, field] : object->fields) copy->fields.emplace_back(name, copied(field));
    return copy;
}

std::string printed(const Value& value) {
    return shown(value, 0);
}

bool are_equal(const Value& a, const Value& b) {
    const bool is_a_numeric = a.number() != nullptr || a.real() != nullptr;
    const bool is_b_numeric = b.number() != nullptr || b.real() != nullptr;
    if (is_a_numeric && is_b_numeric) {
        if (a.number() != nullptr && b.number() != nullptr) return *a.number() == *b.number();
        return as_real(a) == as_real(b);
    }
    if (a.is_void() || b.is_void()) return a.is_void() && b.is_void();
    if (a.truth() != nullptr && b.truth() != nullptr) return *a.truth() == *b.truth();
    if (a.thing() == nullptr || b.thing() == nullptr) return false;
    if (a.thing() == b.thing()) return !holds_nan(a, 0);
    if (const auto* text = a.as<Text>()) {
        const auto* other = b.as<Text>();
        return other != nullptr && text->text == other->text;
    }
    if (const auto* tuple = a.as<Tuple>()) {
        const auto* other = b.as<Tuple>();
        return other != nullptr && are_equal_lists(tuple->items, other->items);
    }
    if (const auto* list = a.as<List>()) {
        const auto* other = b.as<List>();
        return other != nullptr && are_equal_lists(list->items, other->items);
    }
    if (const auto* range = a.as<Range>()) {
        const auto* other = b.as<Range>();
        return other != nullptr && range->first == other->first && range->last == other->last &&
               range->is_inclusive == other->is_inclusive;
    }
    if (const auto* map = a.as<Map>()) {
        const auto* other = b.as<Map>();
        if (other == nullptr || map->entries.size() != other->entries.size()) return false;
        return std::all_of(map->entries.begin(), map->entries.end(), [&](const auto& entry) {
            return std::any_of(other->entries.begin(), other->entries.end(), [&](const auto& at) {
                return are_equal(entry.first, at.first) && are_equal(entry.second, at.second);
            });
        });
    }
    if (const auto* variant = a.as<EnumValue>()) {
        const auto* other = b.as<EnumValue>();
        return other != nullptr && variant->name == other->name &&
               are_equal_lists(variant->payload, other->payload);
    }
    const auto* object = a.as<Object>();
    const auto* other = b.as<Object>();
    if (object == nullptr || other == nullptr || object->type != other->type) return false;
    if (object->type->kind != DeclKind::structure) return false;
    return std::equal(
        object->fields.begin(), object->fields.end(), other->fields.begin(), other->fields.end(),
        [](const auto& left, const auto& right) { return are_equal(left.second, right.second); });
}

const std::string& text_of(const Value& value) {
    const auto* text = value.as<Text>();
    if (text == nullptr) throw InternalError{"expected a String, found " + printed(value)};
    return text->text;
}

bool is_kind_of(const TypeInfo* type, const TypeInfo* base) {
    while (type != nullptr && type != base) {
        type = type->base == nullptr ? nullptr : known(type->base)->info;
    }
    return type != nullptr;
}

bool is_variant(const Value& value, std::string_view name) {
    const auto* variant = value.as<EnumValue>();
    return variant != nullptr && variant->name == name;
}

}  // namespace gyre::vela
