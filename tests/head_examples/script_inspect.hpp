// SPDX-License-Identifier: Apache-2.0
// What the example of lang/script/inspect takes for granted.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "gyre/kernel/loop.hpp"
#include "gyre/kernel/platform.hpp"
#include "gyre/task/core/run.hpp"
#include "gyre/task/core/scope.hpp"
#include "lang/script/script.hpp"

namespace gyre::script_inspect_examples {

extern std::unique_ptr<Platform> platform;
extern Loop& loop;
extern script::Script& program;
extern std::string id;
extern std::function<void(std::string)> tell;

}  // namespace gyre::script_inspect_examples
