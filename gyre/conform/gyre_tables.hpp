// SPDX-License-Identifier: Apache-2.0
// Every table, run against gyre itself. One thread.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "gyre/conform/scenario.hpp"

namespace gyre::conform {

// "kernel", "loop", "jobs", "effects": what run_gyre can be asked for.
[[nodiscard]] std::span<const char* const> topics();

// The tables of a topic, or with an empty one all of them, on each of the platforms: "sim",
// "epoll", "uring". Where the machine does not offer a platform, all is skipped there.
[[nodiscard]] Results run_gyre(const std::string& topic, const std::vector<std::string>& platforms);

}  // namespace gyre::conform
