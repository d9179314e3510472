// SPDX-License-Identifier: Apache-2.0
// What the examples of lang/wasm/http take for granted.
#pragma once

#include <memory>

#include "lang/wasm/http/http_effects.hpp"

namespace gyre::wasm_http_examples {

using namespace gyre::wasm;
using wasm::Program;

extern effect::Handlers handlers;
extern std::shared_ptr<const Program> program;

}  // namespace gyre::wasm_http_examples
