// SPDX-License-Identifier: Apache-2.0
// The natives by name: "Type.method" of the standard text, or the name of a function. Filled once,
// then read-only.
#pragma once

#include <functional>
#include <string>
#include <unordered_map>

#include "lang/vela/reference/natives.hpp"

namespace gyre::vela::internal {

using NativeCall = Value (*)(Runtime& runtime, const Value& self, const Values& args);
using NativeTable = std::unordered_map<std::string, NativeCall>;

void add_data_natives(NativeTable& table);
void add_async_natives(NativeTable& table);
void add_stream_natives(NativeTable& table);
void add_json_natives(NativeTable& table);

// The future of `sleep`.
[[nodiscard]] Future* sleeping(Runtime& runtime, std::int64_t delay_ms);

}  // namespace gyre::vela::internal
