// SPDX-License-Identifier: Apache-2.0
// gyre run: what the command line asks for, and the function of each language that runs it. To add
// a language, write its file and one line in the table of run.cpp. The main thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gyre/kernel/clock.hpp"
#include "gyre/task/core/run.hpp"

namespace gyre::cli {

struct RunRequest {
    std::string file;
    std::vector<std::string> arguments;
    std::string platform;
    bool has_virtual_clock = false;
    std::optional<std::uint64_t> seed;
    std::optional<Duration> time_limit;  // in real time
    std::size_t memory_limit_bytes = 0;  // 0: none
    std::string trace;

    // Of Vela.
    bool shows_stack = false;
};

// Each throws a UsageError for a request that it cannot serve.
[[nodiscard]] ExitCode run_vela(const RunRequest& request);

}  // namespace gyre::cli
