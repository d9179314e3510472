// SPDX-License-Identifier: Apache-2.0
// What the examples of lang/vela/run take for granted.
#pragma once

#include <memory>
#include <utility>

#include "lang/vela/check/check.hpp"
#include "lang/vela/run/interactive.hpp"
#include "lang/vela/run/run.hpp"

namespace gyre::vela_run_examples {

extern decltype(vela::check("", "", std::declval<vela::SourceFiles&>())) program;
extern vela::RunHost& host;

}  // namespace gyre::vela_run_examples

namespace gyre::vela_run_examples::interactive_hpp {

extern std::unique_ptr<vela::Lowered> lowered;
extern vela::InputSource& source;

}  // namespace gyre::vela_run_examples::interactive_hpp
