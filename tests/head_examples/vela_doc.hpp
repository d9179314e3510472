// SPDX-License-Identifier: Apache-2.0
// What the examples of lang/vela/doc take for granted.
#pragma once

#include <cstdio>
#include <string>

#include "lang/vela/check/check.hpp"

namespace gyre::vela_doc_examples {

extern std::string text;

}  // namespace gyre::vela_doc_examples
