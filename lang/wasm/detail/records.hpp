// SPDX-License-Identifier: Apache-2.0
// Reading the requests of standard effects and making their answers: fields of records, texts and bytes. A field
// that is missing or of another kind is a Failure that names it. Any thread; plain values.
#pragma once

#include <cstring>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "gyre/base/failure.hpp"
#include "gyre/effect/value.hpp"

namespace gyre::wasm {

[[nodiscard]] inline effect::Value record(
    std::initializer_list<std::pair<const char*, effect::Value>> fields) {
    effect::Value::Record made;
    for (const auto& [name, value] : fields) made.emplace_back(name, value);
    return effect::Value(std::move(made));
}

// The one argument of a request, of that kind.
[[nodiscard]] inline const effect::Value& argument(const effect::Arguments& arguments,
                                                   effect::Value::Kind kind) {
    if (arguments.size() != 1 || !arguments[0].is(kind)) {
        throw Failure("a standard effect was performed with other arguments than it has");
    }
    return arguments[0];
}

// Null: the record has no such field, or nothing in it.
[[nodiscard]] inline const effect::Value* optional_field(const effect::Value& from,
                                                         std::string_view name,
                                                         effect::Value::Kind kind) {
    const effect::Value* found = from.is(effect::Value::Kind::record) ? from.field(name) : nullptr;
    if (found == nullptr || found->is(effect::Value::Kind::nothing)) return nullptr;
    if (!found->is(kind)) {
        throw Failure("the field " + std::string(name) + " is not " + effect::name_of(kind));
    }
    return found;
}
[[nodiscard]] inline const effect::Value& field(const effect::Value& from, std::string_view name,
                                                effect::Value::Kind kind) {
    const effect::Value* found = optional_field(from, name, kind);
    if (found == nullptr) throw Failure("there is no field " + std::string(name));
    return *found;
}
[[nodiscard]] inline const std::string& text_field(const effect::Value& from,
                                                   std::string_view name) {
    return field(from, name, effect::Value::Kind::text).text();
}
[[nodiscard]] inline std::int64_t integer_field(const effect::Value& from, std::string_view name) {
    return field(from, name, effect::Value::Kind::integer).integer();
}
[[nodiscard]] inline std::optional<std::int64_t> optional_integer(const effect::Value& from,
                                                                  std::string_view name) {
    const effect::Value* found = optional_field(from, name, effect::Value::Kind::integer);
    return found == nullptr ? std::nullopt : std::optional(found->integer());
}

[[nodiscard]] inline std::string_view view_of(const effect::Value::Blob& bytes) noexcept {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
[[nodiscard]] inline std::string_view bytes_field(const effect::Value& from,
                                                  std::string_view name) {
    return view_of(field(from, name, effect::Value::Kind::bytes).bytes());
}
[[nodiscard]] inline effect::Value::Blob blob_of(std::string_view text) {
    effect::Value::Blob made(text.size());
    if (!text.empty()) std::memcpy(made.data(), text.data(), text.size());
    return made;
}

}  // namespace gyre::wasm
