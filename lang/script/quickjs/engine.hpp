// SPDX-License-Identifier: Apache-2.0
// QuickJS-ng as the engine of scripts: an interpreter of one library, compiled in. It starts in a
// few milliseconds, takes little memory and has no threads; V8 (lang/script/v8) runs long
// computations many times faster. The module is there when the sources of QuickJS are in the cache
// (./dev setup).
//
//     script::ScriptOptions options{.engine = script::quickjs::make_engine};
//
// Thread: any; the engine belongs to the thread that made it.
// Lifetime: the options are copied.
#pragma once

#include <memory>
#include <string>

#include "lang/script/engine.hpp"

namespace gyre::script::quickjs {

[[nodiscard]] std::unique_ptr<Engine> make_engine(const EngineOptions& options);
// For reports: the name and the version.
[[nodiscard]] std::string version();

}  // namespace gyre::script::quickjs
