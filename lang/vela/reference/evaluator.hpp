// SPDX-License-Identifier: Apache-2.0
// The reference evaluator: walks the tree of a checked program and does what it says, in virtual
// time, without sockets. Slow and obvious on purpose: it says what programs mean, for faster ones
// to agree with. A pure function; any thread.
//
// Where the language leaves open what happens, this is the reading:
// - Default arguments are evaluated at the call, named ones in the order they are written.
// - `?` in an async lambda or block rejects; in a plain lambda it gives the Err or None on.
// - A `spawn` belongs to the scope it is written in, in a lambda too, until that is closed.
// - A lambda sees the names that are declared before it, and changes them.
#pragma once

#include "lang/vela/reference/natives.hpp"

namespace gyre::vela {

// `path` as given to check(). The program must be free of errors.
[[nodiscard]] Outcome evaluate(const Program& program, const std::string& path,
                               RuntimeOptions options = {});

}  // namespace gyre::vela
