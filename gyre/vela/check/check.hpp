// SPDX-License-Identifier: Apache-2.0
// The checker: files in, diagnostics out, with everything that is known of the program where it is
// right: names, types, async rules, exhaustive matches, definite returns. Knows nothing of the loop
// and reads no files: SourceFiles does. One thread.
#pragma once

#include <map>
#include <string>

#include "gyre/vela/check/source_files.hpp"
#include "gyre/vela/check/types.hpp"
#include "gyre/vela/syntax/diagnostic.hpp"

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
