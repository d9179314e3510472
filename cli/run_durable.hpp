// SPDX-License-Identifier: Apache-2.0
// gyre run --store: functions of a module as durable runs. In a build without gyre/durable, without_durable.cpp
// refuses. The loop's thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/run.hpp"
#include "gyre/effect/scheduler.hpp"

namespace gyre::cli {

// The functions that the store's runs may name, and how they are run. All of it outlives the future.
struct DurableProgram {
    effect::Guest& guest;
    effect::Handlers& handlers;
    const std::vector<std::string>& functions;
    const std::string& entry;
    const effect::Arguments& arguments;
};

// Starts the run of --key unless it is in the store already, and works until it has ended. Without a key it works for the
// runs that others start until the program is cancelled: none.
[[nodiscard]] Future<std::optional<effect::RunOutcome<effect::Value>>> run_durable(
    Executor& executor, effect::Scheduler& scheduler, const RunRequest& request,
    DurableProgram program);

}  // namespace gyre::cli
