// SPDX-License-Identifier: Apache-2.0
// run_jobs: the scenarios of gyre/conform for jobs, in JavaScript. A script queues the jobs of a
// scenario with Node's functions, and asks the scenario what to do in each of them.
//
//     conform::Results results = script::run_jobs(make_engine, {"sim"});
//
// Thread: that of the caller.
// Lifetime: plain values.
#pragma once

#include <string>
#include <vector>

#include "gyre/conform/scenario.hpp"
#include "lang/script/engine.hpp"

namespace gyre::script {

// In both orders, on each platform as conform::run_gyre does.
[[nodiscard]] conform::Results run_jobs(EngineFactory engine,
                                        const std::vector<std::string>& platforms);

}  // namespace gyre::script
