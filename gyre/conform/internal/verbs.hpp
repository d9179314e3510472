// SPDX-License-Identifier: Apache-2.0
// For the players: the verbs of a table, each with the call that it stands for. Plain values.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace gyre::conform {

template <class Verb>
using Verbs = std::map<std::string, Verb>;

// "7 ms": whole milliseconds, for a time that is simulated.
[[nodiscard]] inline std::string in_ms(double ms) {
    return std::to_string(static_cast<std::int64_t>(ms)) + " ms";
}

}  // namespace gyre::conform
