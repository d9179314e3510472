// SPDX-License-Identifier: Apache-2.0
#include "cli/script_engines.hpp"

#include "cli/usage.hpp"

namespace gyre::cli {

script::EngineFactory script_engine(std::string_view name) {
    std::string known;
    for (const ScriptEngine& engine : script_engines()) {
        if (name.empty() || name == engine.name) return engine.make;
        known += (known.empty() ? "" : ", ") + std::string(engine.name);
    }
    if (known.empty()) {
        throw UsageError("this build has no JavaScript engine; run ./dev setup and build again");
    }
    throw UsageError("this build has no JavaScript engine " + std::string(name) + ", only " +
                     known);
}

std::string script_engine_line() {
    std::string line;
    for (const ScriptEngine& engine : script_engines()) {
        line += (line.empty() ? "" : ", ") + engine.version();
    }
    return line.empty() ? "none: ./dev setup, and build again" : line;
}

}  // namespace gyre::cli
