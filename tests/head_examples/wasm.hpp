// SPDX-License-Identifier: Apache-2.0
// What the examples of lang/wasm take for granted.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "gyre/effect/scheduler.hpp"
#include "lang/wasm/guest.hpp"

namespace gyre::wasm_examples {

using namespace gyre::wasm;
using namespace gyre::effect;
using wasm::Program;

extern std::string bytes;
std::unique_ptr<Engine> make_wasmtime();

namespace program_hpp {
extern std::unique_ptr<Engine> engine;
}
namespace guest_hpp {
extern std::unique_ptr<Engine> engine;
extern Scheduler scheduler;
extern Handlers handlers;
}  // namespace guest_hpp

}  // namespace gyre::wasm_examples
