// SPDX-License-Identifier: Apache-2.0
// The parser: a Source in, its Tree out, with what is wrong in between told to Diagnostics (E0201).
// After an error it goes on at the next statement, so one pass finds several. A pure function; any
// thread.
#pragma once

#include "gyre/vela/syntax/arena.hpp"
#include "gyre/vela/syntax/diagnostic.hpp"
#include "gyre/vela/syntax/limits.hpp"
#include "gyre/vela/syntax/tree.hpp"

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
