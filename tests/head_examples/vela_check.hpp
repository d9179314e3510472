// SPDX-License-Identifier: Apache-2.0
// What the examples of lang/vela/check take for granted.
#pragma once

#include <cstdio>
#include <string>

#include "lang/vela/check/check.hpp"
#include "lang/vela/syntax/diagnostic.hpp"

namespace gyre::vela_check_examples::check_hpp {

extern std::string text;
extern vela::SourceTable files;

}  // namespace gyre::vela_check_examples::check_hpp
