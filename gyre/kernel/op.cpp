// SPDX-License-Identifier: Apache-2.0
#include "gyre/kernel/op.hpp"

namespace gyre {

const char* name_of(OpCode code) noexcept {
    switch (code) {
        case OpCode::none:
            return "none";
        case OpCode::timer:
            return "timer";
        case OpCode::cancel:
            return "cancel";
        case OpCode::post:
            return "post";
        case OpCode::work:
            return "work";
        case OpCode::wake:
            return "wake";
        case OpCode::channel:
            return "channel";
        default:
            break;
    }
    const auto number = static_cast<unsigned>(code) & ~static_cast<unsigned>(OpCode::standing);
    return number < static_cast<unsigned>(OpCode::first_custom) ? "io" : "custom";
}

}  // namespace gyre
