// SPDX-License-Identifier: Apache-2.0
// fields_of: which of the three fields of an instruction are registers, and what these hold.
#pragma once

#include "lang/vela/run/internal/code.hpp"

namespace gyre::vela::vm {

enum class Field : std::uint8_t {
    none,  // a number, an offset, or nothing
    word,  // a register that holds a word; so on
    number,
    real,
    boolean,
    any,      // a register
    bare,     // of a Number or a Bool
    same,     // as the field before it
    operand,  // a register with its representation
    result,   // what the function gives back
};

struct Fields {
    Field a = Field::none;
    Field b = Field::none;
    Field c = Field::none;
};

// Of an instruction without a list of operands.
[[nodiscard]] Fields fields_of(InsnOp op);

}  // namespace gyre::vela::vm
