// SPDX-License-Identifier: Apache-2.0
// In a build without v8-inspector.h: the engine has no debugger.
#include "lang/script/v8/internal/v8_engine.hpp"

namespace gyre::script::v8 {

std::unique_ptr<Debugger> V8Engine::open_debugger(DebugLink& /*link*/) {
    return nullptr;
}
void V8Engine::serve_debugger() {}
void V8Engine::ring_debugger() noexcept {}
void V8Engine::end_debugger_waits() noexcept {}
void V8Engine::pause_at_first_call(const FunctionCallbackInfo<Value>& /*info*/) {}

}  // namespace gyre::script::v8
