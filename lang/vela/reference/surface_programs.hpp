// SPDX-License-Identifier: Apache-2.0
// surface_program: a random program that uses the operators and the standard surface on values of
// random types. Most are well typed; the checker decides. Any thread.
#pragma once

#include <cstdint>
#include <string>

namespace gyre::vela {

[[nodiscard]] std::string surface_program(std::uint64_t seed);

}  // namespace gyre::vela
