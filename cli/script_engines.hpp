// SPDX-License-Identifier: Apache-2.0
// The JavaScript engines of this build. Any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "lang/script/engine.hpp"

namespace gyre::cli {

struct ScriptEngine {
    const char* name;
    script::EngineFactory make;
    std::string (*version)();
};

// The default first. The build writes this table: cmake/gyre_programs.cmake.
[[nodiscard]] std::span<const ScriptEngine> script_engines() noexcept;

// The engine of that name; no name: the default. Throws a UsageError if the build has no such one.
[[nodiscard]] script::EngineFactory script_engine(std::string_view name);

// Names and versions, for gyre doctor and gyre version; `none: ...` in a build without one.
[[nodiscard]] std::string script_engine_line();

}  // namespace gyre::cli
