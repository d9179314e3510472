// SPDX-License-Identifier: Apache-2.0
// What the examples of lang/script/threads take for granted.
#pragma once

#include "lang/script/script.hpp"
#include "lang/script/system.hpp"
#include "lang/script/threads/threads.hpp"
#include "lang/script/threads/worker.hpp"
#include "lang/script/v8/engine.hpp"
#include "tests/head_examples/common.hpp"

namespace gyre::script_threads_examples {

extern platform::SystemClock clock;

namespace threads_hpp {
extern script::System& system;
int run_worker(script::Worker& worker);
}  // namespace threads_hpp
namespace worker_hpp {
extern script::System& outside;
extern std::unique_ptr<Platform> platform;
extern Executor executor;
script::ScriptOptions options_of(const script::WorkerOrder& order);
}  // namespace worker_hpp

}  // namespace gyre::script_threads_examples
