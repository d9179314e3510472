// SPDX-License-Identifier: Apache-2.0
// assemble: lowered code into instructions of the machine. Decides what each register holds, folds
// small constants, fuses a comparison with the branch that follows it, and turns a loop over a range
// into two registers. Pure; one thread.
#pragma once

#include <expected>
#include <memory>
#include <span>
#include <string>

#include "lang/vela/run/internal/code.hpp"

namespace gyre::vela::vm {

class Vm;
// A function of the standard surface: its arguments, the object first if it is a method; a missing
// word is an omitted argument.
using NativeCall = Word (*)(Vm& vm, std::span<const Word> args);

// What the instructions refer to.
class Linker {
public:
    // A String that lives as long as the program.
    virtual Word text(const std::string& of) = 0;
    // Null if this program has no such function.
    virtual NativeCall native(const FunctionInfo& function) = 0;
    // False: every await is an instruction of its own, which Tasks sees.
    [[nodiscard]] virtual bool joins_calls_and_awaits() const noexcept { return true; }

protected:
    ~Linker() = default;
};

// The error names a limit.

[[nodiscard]] std::expected<std::unique_ptr<Assembled>, std::string> assemble(
    const Lowered& lowered, Linker& linker);
// Adds what the lowered program has got since then.
[[nodiscard]] std::expected<void, std::string> assemble_more(Assembled& made, Linker& linker);

// What a value of the type is in a register.
[[nodiscard]] Rep rep_of(const Type* type, const Builtins& types);
// The class and its bases, outermost first.
[[nodiscard]] std::vector<const TypeInfo*> line_of(const TypeInfo* type);

}  // namespace gyre::vela::vm
