// SPDX-License-Identifier: Apache-2.0
// Random programs: well typed, always ending, with awaits in every position and much printed on the
// way, so that two interpreters that order anything differently print something different. The same
// seed gives the same text. A pure function; any thread.
#pragma once

#include <cstdint>
#include <string>

namespace gyre::vela {

[[nodiscard]] std::string random_program(std::uint64_t seed);

}  // namespace gyre::vela
