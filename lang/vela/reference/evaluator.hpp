// SPDX-License-Identifier: Apache-2.0
// The reference evaluator: interprets the syntax tree of a checked program in virtual time, without
// sockets. Simple and slow on purpose: it defines the meaning of programs, which faster
// interpreters must match. A pure function.
//
// Where the language reference leaves the behaviour open, it does the following:
// - Default arguments are evaluated at the call, named ones in the order they are written.
// - `?` in an async lambda or block rejects; in a plain lambda it returns the Err or None.
// - A `spawn` belongs to the scope it is written in, also in a lambda, until that scope is closed.
// - A lambda sees the names that are declared before it, and can change them.
#pragma once

#include "lang/vela/reference/natives.hpp"

namespace gyre::vela {

// `path` as given to check(). The program must be free of errors.
[[nodiscard]] Outcome evaluate(const Program& program, const std::string& path,
                               RuntimeOptions options = {});

}  // namespace gyre::vela
