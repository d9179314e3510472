// SPDX-License-Identifier: Apache-2.0
// verify_function: proves of the instructions of one function what the handlers rely on: each operand
// is a register of the representation that the instruction takes, each jump leads to an instruction of
// the function, control does not run past the end, an extension is whole, a pointer is one of the
// program, a call fits its callee, and control goes back only through a safepoint. What a word refers
// to is not proved: handlers look at it. A pure function; any thread.
#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "lang/vela/run/internal/code.hpp"

namespace gyre::vela::vm {

// The pointers that instructions of a program may hold.
struct KnownPointers {
    explicit KnownPointers(const Assembled& program);
    std::unordered_set<const void*> functions;
    std::unordered_set<const void*> shapes;
    std::unordered_set<const void*> types;
    std::unordered_set<const void*> variants;
};

// The faults, a line each.
[[nodiscard]] std::vector<std::string> verify_function(const Function& function,
                                                       const KnownPointers& known);

}  // namespace gyre::vela::vm
