// SPDX-License-Identifier: Apache-2.0
// The synchronous part of the standard surface: strings, sequences, maps, options, results.
#include <algorithm>
#include <charconv>

#include "lang/vela/reference/internal/native_tables.hpp"
#include "lang/vela/syntax/diagnostic.hpp"
#include "lang/vela/syntax/source.hpp"

namespace gyre::vela::internal {
namespace {

bool is_true(const Value& value) {
    return *value.truth();
}

std::int64_t number_at(const Values& args, std::size_t index) {
    return *args.at(index).number();
}

// Clamps a count; a negative one is 0.
std::size_t bounded(std::int64_t count, std::size_t size) {
    if (count < 0) return 0;
    return std::min(static_cast<std::size_t>(count), size);
}

std::string replaced(std::string_view text, std::string_view part, std::string_view by) {
    std::string result;
    while (!part.empty()) {
        const std::size_t at = text.find(part);
        if (at == std::string_view::npos) break;
        result.append(text.substr(0, at)).append(by);
        text.remove_prefix(at + part.size());
    }
    return result.append(text);
}

Values split(Heap& heap, std::string_view text, std::string_view separator) {
    Values parts;
    while (!text.empty() && separator.empty()) {
        const std::size_t length = std::max<std::size_t>(1, utf8_length(text));
        parts.push_back(heap.text(std::string(text.substr(0, length))));
        text.remove_prefix(length);
    }
    if (separator.empty()) return parts;
    while (true) {
        const std::size_t at = text.find(separator);
        parts.push_back(heap.text(std::string(text.substr(0, at))));
        if (at == std::string_view::npos) return parts;
        text.remove_prefix(at + separator.size());
    }
}

std::string trimmed(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(" \t\r\n");
    if (begin == std::string_view::npos) return {};
    return std::string(text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1));
}

std::string in_case(std::string text, char first, char last, int shift) {
    for (char& c : text) {
        if (c >= first && c <= last) c = static_cast<char>(c + shift);
    }
    return text;
}

Value to_number(Runtime& runtime, const std::string& text) {
    std::int64_t number = 0;
    const char* end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, number);
    if (result.ec == std::errc() && result.ptr == end) return runtime.heap.variant("Ok", {number});
    return runtime.heap.variant(
        "Err", {runtime.error("ParseError", concat("\"", text, "\" is not a Number"))});
}

std::vector<std::pair<Value, Value>>::iterator entry_of(Map& map, const Value& key) {
    return std::find_if(map.entries.begin(), map.entries.end(),
                        [&](const auto& entry) { return are_equal(entry.first, key); });
}

Values::iterator place_of(Values& items, const Value& value) {
    return std::find_if(items.begin(), items.end(),
                        [&](const Value& item) { return are_equal(item, value); });
}

Value unwrapped(Runtime& runtime, const Value& self) {
    const auto* variant = self.as<EnumValue>();
    if (variant->name == "Some" || variant->name == "Ok") return variant->payload[0];
    if (variant->name == "None") runtime.fail("NoneError", "unwrapped None");
    if (runtime.is_error(variant->payload[0])) throw Thrown{variant->payload[0]};
    runtime.fail("Error", printed(variant->payload[0]));
}

bool has_value(const Value& self) {
    return is_variant(self, "Some") || is_variant(self, "Ok");
}

Value payload_of(const Value& self) {
    return self.as<EnumValue>()->payload[0];
}

void add_texts(NativeTable& table) {
    table["String.contains"] = [](Runtime&, const Value& self, const Values& args) -> Value {
        return text_of(self).find(text_of(args[0])) != std::string::npos;
    };
    table["String.startsWith"] = [](Runtime&, const Value& self, const Values& args) -> Value {
        return text_of(self).starts_with(text_of(args[0]));
    };
    table["String.endsWith"] = [](Runtime&, const Value& self, const Values& args) -> Value {
        return text_of(self).ends_with(text_of(args[0]));
    };
    table["String.split"] = [](Runtime& runtime, const Value& self, const Values& args) -> Value {
        return runtime.heap.make<List>(split(runtime.heap, text_of(self), text_of(args[0])));
    };
    table["String.trim"] = [](Runtime& runtime, const Value& self, const Values&) -> Value {
        return runtime.heap.text(trimmed(text_of(self)));
    };
    table["String.replace"] = [](Runtime& runtime, const Value& self, const Values& args) -> Value {
        return runtime.heap.text(replaced(text_of(self), text_of(args[0]), text_of(args[1])));
    };
    table["String.toUpperCase"] = [](Runtime& runtime, const Value& self, const Values&) -> Value {
        return runtime.heap.text(in_case(text_of(self), 'a', 'z', 'A' - 'a'));
    };
    table["String.toLowerCase"] = [](Runtime& runtime, const Value& self, const Values&) -> Value {
        return runtime.heap.text(in_case(text_of(self), 'A', 'Z', 'a' - 'A'));
    };
    table["String.toNumber"] = [](Runtime& runtime, const Value& self, const Values&) -> Value {
        return to_number(runtime, text_of(self));
    };
}

// Methods that call a function for every item.
void add_walks(NativeTable& table) {
    table["Sequence.map"] = [](Runtime& runtime, const Value& self, const Values& args) -> Value {
        Values made;
        for (const Value& item : items_of(runtime, self)) {
            made.push_back(args[0].as<Function>()->call({item}));
        }
        return runtime.heap.make<List>(std::move(made));
    };
    table["Sequence.filter"] = [](Runtime& runtime, const Value& self,
                                  const Values& args) -> Value {
        Values kept;
        for (const Value& item : items_of(runtime, self)) {
            if (is_true(args[0].as<Function>()->call({item}))) kept.push_back(item);
        }
        return runtime.heap.make<List>(std::move(kept));
    };
    table["Sequence.reduce"] = [](Runtime& runtime, const Value& self,
                                  const Values& args) -> Value {
        // The function is the first or the last argument.
        const std::size_t at = args[0].as<Function>() != nullptr ? 0 : 1;
        Value result = args[1 - at];
        for (const Value& item : items_of(runtime, self)) {
            result = args[at].as<Function>()->call({result, item});
        }
        return result;
    };
    table["Sequence.forEach"] = [](Runtime& runtime, const Value& self,
                                   const Values& args) -> Value {
        for (const Value& item : items_of(runtime, self)) args[0].as<Function>()->call({item});
        return {};
    };
    table["Sequence.forEachIndexed"] = [](Runtime& runtime, const Value& self,
                                          const Values& args) -> Value {
        std::int64_t index = 0;
        for (const Value& item : items_of(runtime, self)) {
            args[0].as<Function>()->call({index++, item});
        }
        return {};
    };
    table["Sequence.find"] = [](Runtime& runtime, const Value& self, const Values& args) -> Value {
        for (const Value& item : items_of(runtime, self)) {
            if (is_true(args[0].as<Function>()->call({item}))) return runtime.heap.some(item);
        }
        return runtime.heap.none();
    };
    table["Sequence.any"] = [](Runtime& runtime, const Value& self, const Values& args) -> Value {
        for (const Value& item : items_of(runtime, self)) {
            if (is_true(args[0].as<Function>()->call({item}))) return true;
        }
        return false;
    };
    table["Sequence.every"] = [](Runtime& runtime, const Value& self, const Values& args) -> Value {
        for (const Value& item : items_of(runtime, self)) {
            if (!is_true(args[0].as<Function>()->call({item}))) return false;
        }
        return true;
    };
}

void add_sequences(NativeTable& table) {
    table["Sequence.get"] = [](Runtime& runtime, const Value& self, const Values& args) -> Value {
        const Values items = items_of(runtime, self);
        const std::int64_t index = number_at(args, 0);
        if (index < 0 || index >= static_cast<std::int64_t>(items.size())) {
            return runtime.heap.none();
        }
        return runtime.heap.some(items[static_cast<std::size_t>(index)]);
    };
    table["Sequence.contains"] = [](Runtime& runtime, const Value& self,
                                    const Values& args) -> Value {
        Values items = items_of(runtime, self);
        return place_of(items, args[0]) != items.end();
    };
    table["Sequence.join"] = [](Runtime& runtime, const Value& self, const Values& args) -> Value {
        std::string text;
        bool is_first = true;
        for (const Value& item : items_of(runtime, self)) {
            if (!is_first && !args.empty() && !args[0].is_void()) text += text_of(args[0]);
            is_first = false;
            text += printed(item);
        }
        return runtime.heap.text(text);
    };
    table["Sequence.chunk"] = [](Runtime& runtime, const Value& self, const Values& args) -> Value {
        const std::int64_t size = number_at(args, 0);
        if (size < 1) runtime.fail("Error", "A chunk has at least one item");
        auto* chunks = runtime.heap.make<List>();
        for (const Value& item : items_of(runtime, self)) {
            auto* last = chunks->items.empty() ? nullptr : chunks->items.back().as<List>();
            if (last == nullptr || static_cast<std::int64_t>(last->items.size()) == size) {
                last = runtime.heap.make<List>();
                chunks->items.emplace_back(last);
            }
            last->items.push_back(item);
        }
        return chunks;
    };
    table["Sequence.concat"] = [](Runtime& runtime, const Value& self,
                                  const Values& args) -> Value {
        Values items = items_of(runtime, self);
        const Values more = items_of(runtime, args[0]);
        items.insert(items.end(), more.begin(), more.end());
        return runtime.heap.make<List>(std::move(items));
    };
    table["Sequence.take"] = [](Runtime& runtime, const Value& self, const Values& args) -> Value {
        Values items = items_of(runtime, self);
        items.resize(bounded(number_at(args, 0), items.size()));
        return runtime.heap.make<List>(std::move(items));
    };
    table["Sequence.drop"] = [](Runtime& runtime, const Value& self, const Values& args) -> Value {
        Values items = items_of(runtime, self);
        const std::size_t count = bounded(number_at(args, 0), items.size());
        items.erase(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(count));
        return runtime.heap.make<List>(std::move(items));
    };
    table["Sequence.reverse"] = [](Runtime& runtime, const Value& self, const Values&) -> Value {
        Values items = items_of(runtime, self);
        std::reverse(items.begin(), items.end());
        return runtime.heap.make<List>(std::move(items));
    };
    table["Sequence.sum"] = [](Runtime& runtime, const Value& self, const Values&) -> Value {
        Value total = std::int64_t{0};
        for (const Value& item : items_of(runtime, self)) {
            total = binary(runtime, TokenKind::plus, total, item);
        }
        return total;
    };
}

void add_collections(NativeTable& table) {
    const NativeCall push = [](Runtime& runtime, const Value& self, const Values& args) -> Value {
        self.as<List>()->items.push_back(runtime.heap.copied(args[0]));
        return {};
    };
    table["List.push"] = push;
    table["Queue.push"] = push;
    table["List.pop"] = [](Runtime& runtime, const Value& self, const Values&) -> Value {
        Values& items = self.as<List>()->items;
        if (items.empty()) return runtime.heap.none();
        const Value last = items.back();
        items.pop_back();
        return runtime.heap.some(last);
    };
    table["Queue.pop"] = [](Runtime& runtime, const Value& self, const Values&) -> Value {
        Values& items = self.as<List>()->items;
        if (items.empty()) return runtime.heap.none();
        const Value first = items.front();
        items.erase(items.begin());
        return runtime.heap.some(first);
    };
    table["List.flatten"] = [](Runtime& runtime, const Value& self, const Values&) -> Value {
        Values all;
        for (const Value& item : items_of(runtime, self)) {
            const Values inner = items_of(runtime, item);
            all.insert(all.end(), inner.begin(), inner.end());
        }
        return runtime.heap.make<List>(std::move(all));
    };
    table["Set.add"] = [](Runtime&, const Value& self, const Values& args) -> Value {
        Values& items = self.as<List>()->items;
        if (place_of(items, args[0]) == items.end()) items.push_back(args[0]);
        return {};
    };
    table["Set.remove"] = [](Runtime&, const Value& self, const Values& args) -> Value {
        Values& items = self.as<List>()->items;
        const auto place = place_of(items, args[0]);
        if (place == items.end()) return false;
        items.erase(place);
        return true;
    };
    table["Set.has"] = [](Runtime&, const Value& self, const Values& args) -> Value {
        Values& items = self.as<List>()->items;
        return place_of(items, args[0]) != items.end();
    };
    table["Map.get"] = [](Runtime& runtime, const Value& self, const Values& args) -> Value {
        Map& map = *self.as<Map>();
        const auto entry = entry_of(map, args[0]);
        return entry == map.entries.end() ? runtime.heap.none() : runtime.heap.some(entry->second);
    };
    table["Map.set"] = [](Runtime& runtime, const Value& self, const Values& args) -> Value {
        Map& map = *self.as<Map>();
        const auto entry = entry_of(map, args[0]);
        const Value value = runtime.heap.copied(args[1]);
        if (entry == map.entries.end()) {
            map.entries.emplace_back(runtime.heap.copied(args[0]), value);
        } else {
            entry->second = value;
        }
        return {};
    };
    table["Map.remove"] = [](Runtime& runtime, const Value& self, const Values& args) -> Value {
        Map& map = *self.as<Map>();
        const auto entry = entry_of(map, args[0]);
        if (entry == map.entries.end()) return runtime.heap.none();
        const Value value = entry->second;
        map.entries.erase(entry);
        return runtime.heap.some(value);
    };
    table["Map.has"] = [](Runtime&, const Value& self, const Values& args) -> Value {
        Map& map = *self.as<Map>();
        return entry_of(map, args[0]) != map.entries.end();
    };
    table["Map.keys"] = [](Runtime& runtime, const Value& self, const Values&) -> Value {
        auto* keys = runtime.heap.make<List>();
        for (const auto& entry : self.as<Map>()->entries) keys->items.push_back(entry.first);
        return keys;
    };
    table["Map.values"] = [](Runtime& runtime, const Value& self, const Values&) -> Value {
        auto* values = runtime.heap.make<List>();
        for (const auto& entry : self.as<Map>()->entries) values->items.push_back(entry.second);
        return values;
    };
}

void add_choices(NativeTable& table) {
    const NativeCall unwrap = [](Runtime& runtime, const Value& self, const Values&) -> Value {
        return unwrapped(runtime, self);
    };
    const NativeCall unwrap_or = [](Runtime&, const Value& self, const Values& args) -> Value {
        return has_value(self) ? payload_of(self) : args[0];
    };
    const NativeCall map = [](Runtime& runtime, const Value& self, const Values& args) -> Value {
        if (!has_value(self)) return self;
        const Value made = args[0].as<Function>()->call({payload_of(self)});
        return runtime.heap.variant(self.as<EnumValue>()->name, {made});
    };
    for (const std::string type : {"OptionMembers", "ResultMembers"}) {
        table[type + ".unwrap"] = unwrap;
        table[type + ".unwrapOr"] = unwrap_or;
        table[type + ".map"] = map;
    }
    table["ResultMembers.mapErr"] = [](Runtime& runtime, const Value& self,
                                       const Values& args) -> Value {
        if (has_value(self)) return self;
        return runtime.heap.variant("Err", {args[0].as<Function>()->call({payload_of(self)})});
    };
    table["OptionMembers.okOr"] = [](Runtime& runtime, const Value& self,
                                     const Values& args) -> Value {
        if (has_value(self)) return runtime.heap.variant("Ok", {payload_of(self)});
        return runtime.heap.variant("Err", {args[0]});
    };
}

}  // namespace

void add_data_natives(NativeTable& table) {
    add_texts(table);
    add_walks(table);
    add_sequences(table);
    add_collections(table);
    add_choices(table);
}

}  // namespace gyre::vela::internal
