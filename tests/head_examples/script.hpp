// SPDX-License-Identifier: Apache-2.0
// What the examples of lang/script take for granted.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "gyre/io/permissions.hpp"
#include "gyre/kernel/loop.hpp"
#include "gyre/platform/system_clock.hpp"
#include "lang/script/debugger.hpp"
#include "lang/script/script.hpp"
#include "lang/script/system.hpp"
#include "lang/script/v8/engine.hpp"

namespace gyre::script_examples {

extern platform::SystemClock clock;

namespace debugger_hpp {
extern script::Script& program;
extern script::DebugLink& link;
extern bool is_asked_to_wait;
}  // namespace debugger_hpp
namespace engine_hpp {
extern script::System& system;
}
namespace sandbox_hpp {
extern script::System& system;
extern Permissions permissions;
}  // namespace sandbox_hpp
namespace script_hpp {
extern script::System& system;
extern std::unique_ptr<Platform> platform;
}  // namespace script_hpp
namespace system_hpp {
extern std::map<std::string, std::string> texts;
}

}  // namespace gyre::script_examples
