// SPDX-License-Identifier: Apache-2.0
// value_from_json, to_json: an effect::Value as JSON, and back. Bytes are {"$bytes": "00ff"}, a real
// that JSON has not is {"$real": "nan"}.
//
//     effect::Value value = effect::value_from_json("[1, 2.5, {\"$bytes\": \"00ff\"}]");    // throws a Failure
//     std::puts(effect::to_json(value).c_str());
//
// Thread: any; plain values.
// Lifetime: copies what it needs.
#pragma once

#include <string>
#include <string_view>

#include "gyre/effect/value.hpp"

namespace gyre::effect {

[[nodiscard]] Value value_from_json(std::string_view text, int depth_max = 128);
// In one line. Bytes of a text that are no UTF-8 are replaced.
[[nodiscard]] std::string to_json(const Value& value);

}  // namespace gyre::effect
