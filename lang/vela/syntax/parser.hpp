// SPDX-License-Identifier: Apache-2.0
// parse, format: a Source in, its Tree out; and the tree as text in Vela's one style. After an
// error (E0201) the parser continues at the next statement, so one pass finds several. Pure
// functions.
//
//     const vela::Tree tree = vela::parse(source, diagnostics);
//     if (!diagnostics.has_errors()) std::fputs(vela::format(tree).c_str(), stdout);
//
// Thread: any.
// Lifetime: the tree points into the source, which outlives it; the text is a value.
#pragma once

#include <cstdint>
#include <string>

#include "lang/vela/syntax/detail/tree.hpp"
#include "lang/vela/syntax/diagnostic.hpp"

namespace gyre::vela {

// The maximum sizes of a Vela text. A text that exceeds one gets an error that names it.
struct Limits {
    std::uint32_t file_bytes_max = 16U << 20U;
    std::uint32_t token_bytes_max = 64U << 10U;
    // Nested brackets, blocks, types and prefix operators.
    std::uint32_t nesting_max = 256;
    // Operators, calls and members chained in one expression.
    std::uint32_t chain_max = 1000;
    // Items of a tuple, parameters of a function, type parameters of a declaration: their types are
    // compared item by item wherever they are used.
    std::uint32_t items_max = 255;
};

[[nodiscard]] Tree parse(const Source& source, Diagnostics& diagnostics, const Limits& limits = {});

// Lays out a tree without errors. It decides blanks and indentation and keeps the writer's line
// ends, except that a block of several lines has its braces on lines of their own. Formatting the
// result again does not change it, and its tree is the same.
struct FormatOptions {
    // Lines with more columns are parted where they can be.
    std::size_t columns_max = 100;
};
[[nodiscard]] std::string format(const Tree& tree, const FormatOptions& options = {});

}  // namespace gyre::vela
