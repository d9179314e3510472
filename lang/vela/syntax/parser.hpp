// SPDX-License-Identifier: Apache-2.0
// parse: a Source in, its Tree out; errors go to Diagnostics (E0201). After an error it goes on at
// the next statement, so one pass finds several. A pure function.
//
//     const vela::Tree tree = vela::parse(source, diagnostics);
//
// Thread: any.
// Lifetime: the tree points into the source, which outlives it.
#pragma once

#include "lang/vela/syntax/detail/arena.hpp"
#include "lang/vela/syntax/detail/tree.hpp"
#include "lang/vela/syntax/diagnostic.hpp"
#include "lang/vela/syntax/limits.hpp"

namespace gyre::vela {

// Owns the nodes. Where there was an error, the statement or declaration that had it is missing.
struct Tree {
    const Source* source = nullptr;
    Arena arena;
    TokenList tokens;
    Span doc;  // of the string that stands first, empty where none does
    std::span<Decl* const> declarations;
    std::uint32_t expr_count = 0;
};

[[nodiscard]] Tree parse(const Source& source, Diagnostics& diagnostics, const Limits& limits = {});

}  // namespace gyre::vela
