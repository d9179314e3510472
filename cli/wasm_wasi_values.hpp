// SPDX-License-Identifier: Apache-2.0
// The answers of WASI's requests as values: records with numbers and bytes. A script may answer too, so the fields are
// checked: one that is missing or of another kind is a Failure. Any thread; plain values.
#pragma once

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "gyre/base/failure.hpp"
#include "gyre/effect/value.hpp"

namespace gyre::cli {

[[nodiscard]] inline effect::Value wasi_record(
    std::initializer_list<std::pair<const char*, effect::Value>> fields) {
    effect::Value::Record made;
    for (const auto& [name, value] : fields) made.emplace_back(name, value);
    return effect::Value(std::move(made));
}

[[nodiscard]] inline effect::Value::Blob wasi_blob(std::string_view bytes) {
    effect::Value::Blob made(bytes.size());
    if (!bytes.empty()) std::memcpy(made.data(), bytes.data(), bytes.size());
    return made;
}

[[nodiscard]] inline const effect::Value& wasi_field(const effect::Value& answer,
                                                     std::string_view name,
                                                     effect::Value::Kind kind) {
    const bool is_record = answer.is(effect::Value::Kind::record);
    const effect::Value* found = is_record ? answer.field(name) : nullptr;
    if (found != nullptr && found->is(kind)) return *found;
    throw Failure("an answer to a WASI call needs the field " + std::string(name) + ", " +
                  effect::name_of(kind));
}
[[nodiscard]] inline std::int64_t wasi_number(const effect::Value& answer, std::string_view name) {
    return wasi_field(answer, name, effect::Value::Kind::integer).integer();
}
[[nodiscard]] inline std::string_view wasi_bytes(const effect::Value& answer,
                                                 std::string_view name) {
    const effect::Value::Blob& bytes = wasi_field(answer, name, effect::Value::Kind::bytes).bytes();
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace gyre::cli
