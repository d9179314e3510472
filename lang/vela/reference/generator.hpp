// SPDX-License-Identifier: Apache-2.0
// Random programs: well typed, terminating, with awaits in every position and frequent output, so
// that interpreters with a different order print different lines. The same seed gives the same
// text. A pure function.
#pragma once

#include <cstdint>
#include <string>

namespace gyre::vela {

[[nodiscard]] std::string random_program(std::uint64_t seed);

}  // namespace gyre::vela
