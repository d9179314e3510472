// SPDX-License-Identifier: Apache-2.0
// check: the type checker of Vela: files in, diagnostics out; for a correct program also its names,
// types, async rules and resolved calls. It knows nothing of the loop, and SourceFiles reads files.
//
//     const auto program = vela::check("app.vela", text, files);
//     std::fputs(vela::report(program->diagnostics.sorted()).c_str(), stderr);
//
// Thread: one at a time.
// Lifetime: the Program owns all that was found out; its diagnostics point into it.
#pragma once

#include <map>
#include <string>

#include "lang/vela/check/detail/types.hpp"
#include "lang/vela/check/source_files.hpp"
#include "lang/vela/syntax/diagnostic.hpp"

namespace gyre::vela {

struct CheckOptions {
    Limits limits;
    // Also warns of what is allowed but not principled (W0402).
    bool is_strict = false;
};

// Owns all that one check found out; diagnostics point into it.
struct Program {
    Types types;
    Diagnostics diagnostics;
    Module standard;
    // By path, each file once, imported ones too.
    std::map<std::string, std::unique_ptr<Module>> modules;
    // Imported ones before those that import them, the file itself last.
    std::vector<Module*> order;
    std::deque<TypeInfo> infos;
    std::deque<FunctionInfo> functions;
};

// Checks a file and what it imports.
[[nodiscard]] std::unique_ptr<Program> check(const std::string& path, std::string text,
                                             SourceFiles& files, const CheckOptions& options = {});

}  // namespace gyre::vela
