// SPDX-License-Identifier: Apache-2.0
// The lexer: text in, tokens and comments out. Never fails: what it cannot read it reports (E0101)
// and leaves out. A pure function; any thread.
#pragma once

#include "gyre/vela/syntax/diagnostic.hpp"
#include "gyre/vela/syntax/limits.hpp"
#include "gyre/vela/syntax/token.hpp"

namespace gyre::vela {

[[nodiscard]] TokenList lex(const Source& source, Diagnostics& diagnostics,
                            const Limits& limits = {});

}  // namespace gyre::vela
