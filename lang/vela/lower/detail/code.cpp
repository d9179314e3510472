// SPDX-License-Identifier: Apache-2.0
#include "lang/vela/lower/detail/code.hpp"

namespace gyre::vela {

std::span<const OpInfo> all_ops() {
    static constexpr OpInfo infos[] = {
#define GYRE_VELA_OP(name, writes, throws, ends) {#name, writes != 0, throws != 0, ends != 0},
        GYRE_VELA_OPS(GYRE_VELA_OP)
#undef GYRE_VELA_OP
    };
    return infos;
}

}  // namespace gyre::vela
