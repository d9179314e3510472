// SPDX-License-Identifier: Apache-2.0
// What the scripts of gyre run have in common, and the workers that they start: each has a thread, a
// loop and an engine. Any thread.
#pragma once

#include <memory>
#include <optional>

#include "cli/run.hpp"
#include "gyre/kernel/platform.hpp"
#include "lang/script/sandbox.hpp"
#include "lang/script/script.hpp"
#include "lang/script/threads/threads.hpp"

namespace gyre::cli {

// Without what only the main script has: arguments, steps, trace and virtual time.
[[nodiscard]] script::ScriptOptions common_options(const RunRequest& request);
// The system itself, or what --sandbox and --allow leave of it: a permission implies a sandbox.
[[nodiscard]] script::System& confined(script::System& system,
                                       std::optional<script::Sandbox>& sandbox,
                                       const RunRequest& request);
// Of a thread beside the main one.
[[nodiscard]] std::unique_ptr<Platform> make_thread_platform(const RunRequest& request,
                                                             Clock& clock);
// The request outlives the workers. In virtual time there are none.
[[nodiscard]] script::ThreadOptions worker_options(const RunRequest& request,
                                                   script::Worker* self = nullptr);

}  // namespace gyre::cli
