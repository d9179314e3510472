// SPDX-License-Identifier: Apache-2.0
// What the examples of lang/vela/syntax take for granted.
#pragma once

#include <cstdio>
#include <string>

#include "lang/vela/syntax/diagnostic.hpp"
#include "lang/vela/syntax/source.hpp"

namespace gyre::vela_syntax_examples {

namespace source_hpp {
extern std::string text;
}
extern vela::Source source;
extern vela::Diagnostics diagnostics;

}  // namespace gyre::vela_syntax_examples
