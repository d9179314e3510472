// SPDX-License-Identifier: Apache-2.0
// lex: text in, tokens and comments out. Never fails: characters that it cannot read are reported
// (E0101) and left out. A pure function.
//
//     const vela::TokenList tokens = vela::lex(source, diagnostics);
//
// Thread: any.
// Lifetime: tokens point into the source.
#pragma once

#include "lang/vela/syntax/detail/token.hpp"
#include "lang/vela/syntax/diagnostic.hpp"
#include "lang/vela/syntax/limits.hpp"

namespace gyre::vela {

[[nodiscard]] TokenList lex(const Source& source, Diagnostics& diagnostics,
                            const Limits& limits = {});

}  // namespace gyre::vela
