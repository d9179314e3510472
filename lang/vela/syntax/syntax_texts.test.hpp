// SPDX-License-Identifier: Apache-2.0
// From a Vela text to its tree, its errors or its format, as text for comparisons.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "lang/vela/syntax/diagnostic.hpp"
#include "lang/vela/syntax/internal/tree_text.hpp"
#include "lang/vela/syntax/parser.hpp"

namespace gyre::vela {

// The tree of a text without errors.
inline std::string tree_of(const std::string& text) {
    const Source source("t.vela", text);
    Diagnostics diagnostics;
    const Tree tree = parse(source, diagnostics);
    EXPECT_FALSE(diagnostics.has_errors()) << report(diagnostics.sorted());
    return tree_text(tree);
}

// `line:column code message` a line.
inline std::string errors_of(const std::string& text, const Limits& limits = {}) {
    const Source source("t.vela", text);
    Diagnostics diagnostics;
    static_cast<void>(parse(source, diagnostics, limits));
    std::string result;
    for (const Diagnostic& diagnostic : diagnostics.sorted()) {
        const Position at = source.position(diagnostic.span.begin);
        result += std::to_string(at.line) + ":" + std::to_string(at.column) + " ";
        result += std::string(diagnostic.code) + " " + diagnostic.message + "\n";
    }
    return result;
}

inline std::string formatted(const std::string& text) {
    const Source source("t.vela", text);
    Diagnostics diagnostics;
    const Tree tree = parse(source, diagnostics);
    EXPECT_FALSE(diagnostics.has_errors()) << report(diagnostics.sorted());
    return format(tree);
}

}  // namespace gyre::vela
