// SPDX-License-Identifier: Apache-2.0
// A Value from a parsed JSON tree and back, for the files of this module. Any thread; plain values.
#pragma once

#include <nlohmann/json.hpp>

#include "gyre/effect/value.hpp"

namespace gyre::effect {

// Throws a Failure.
[[nodiscard]] Value value_from(const nlohmann::ordered_json& json);
[[nodiscard]] nlohmann::ordered_json json_from(const Value& value);

}  // namespace gyre::effect
