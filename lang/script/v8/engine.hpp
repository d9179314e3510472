// SPDX-License-Identifier: Apache-2.0
// V8 as an Engine, from the library libnode of Debian; nothing of Node's own is used.
//
//     script::ScriptOptions options{.engine = script::v8::make_engine};
//
// Thread: each engine belongs to the thread that made it; there may be several.
// Lifetime: V8 itself is initialized with the first engine, and stays until the process ends.
#pragma once

#include <memory>
#include <string>

#include "lang/script/engine.hpp"

namespace gyre::script::v8 {

[[nodiscard]] std::unique_ptr<Engine> make_engine(const EngineOptions& options);
// For reports: the name and the version.
[[nodiscard]] std::string version();

}  // namespace gyre::script::v8
