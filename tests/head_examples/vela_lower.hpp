// SPDX-License-Identifier: Apache-2.0
// What the examples of lang/vela/lower take for granted.
#pragma once

#include <cstdio>
#include <utility>

#include "lang/vela/check/check.hpp"
#include "lang/vela/lower/lower.hpp"

namespace gyre::vela_lower_examples {

extern decltype(vela::check("", "", std::declval<vela::SourceFiles&>())) program;

namespace print_hpp {
extern decltype(vela::lower(*program)) lowered;
}
namespace verify_hpp {
extern decltype(vela::lower(*program)) lowered;
}

}  // namespace gyre::vela_lower_examples
