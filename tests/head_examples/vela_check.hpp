// SPDX-License-Identifier: Apache-2.0
// What the examples of lang/vela/check take for granted.
#pragma once

#include <cstdio>
#include <string>

#include "lang/vela/check/check.hpp"
#include "lang/vela/check/source_files.hpp"
#include "lang/vela/syntax/report.hpp"

namespace gyre::vela_check_examples::check_hpp {

extern std::string text;
extern vela::SourceTable files;

}  // namespace gyre::vela_check_examples::check_hpp
