// SPDX-License-Identifier: Apache-2.0
// Limits: the maximum sizes of a Vela text. Crossing one is an error that names it.
//
//     vela::Limits limits;
//
// Thread: a value.
// Lifetime: a value.
#pragma once

#include <cstdint>

namespace gyre::vela {

struct Limits {
    std::uint32_t file_bytes_max = 16U << 20U;
    std::uint32_t token_bytes_max = 64U << 10U;
    // Brackets, blocks, types and prefix operators inside one another.
    std::uint32_t nesting_max = 256;
    // Operators, calls and members one after the other in one expression.
    std::uint32_t chain_max = 1000;
};

}  // namespace gyre::vela
