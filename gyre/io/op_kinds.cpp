// SPDX-License-Identifier: Apache-2.0
#include "gyre/io/op_kinds.hpp"

namespace gyre {

const char* name_of(IoCode code) noexcept {
    switch (code) {
#define GYRE_IO_NAME(code, ...) \
    case IoCode::code:          \
        return #code;
        GYRE_IO_KINDS(GYRE_IO_NAME)
        GYRE_STANDING_IO_KINDS(GYRE_IO_NAME)
#undef GYRE_IO_NAME
        default:
            return name_of(op_code(code));
    }
}

}  // namespace gyre
