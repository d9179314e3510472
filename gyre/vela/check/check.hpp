// SPDX-License-Identifier: Apache-2.0
// The checker: files in, diagnostics out, with everything that is known of the program where it is
// right: names, types, async rules, exhaustive matches, definite returns. Knows nothing of the loop
// and reads no files: the caller says how. One thread.
#pragma once

#include <expected>
#include <functional>
#include <map>
#include <string>

#include "gyre/vela/check/types.hpp"
#include "gyre/vela/syntax/diagnostic.hpp"

namespace gyre::vela {

// The text at a path, or why there is none.
using ReadFile = std::function<std::expected<std::string, std::string>(const std::string& path)>;

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
                                             const ReadFile& read,
                                             const CheckOptions& options = {});

}  // namespace gyre::vela
