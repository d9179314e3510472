// SPDX-License-Identifier: Apache-2.0
// Several programs as the hosts of one simulated world: what gyre sim --host asks for, and one seed of it.
// The main thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gyre/sim/plan.hpp"
#include "gyre/task/core/run.hpp"

namespace gyre::cli {

struct HostRequest {
    std::string name;
    std::vector<std::string> words;  // the file, and the arguments of the program
    std::string text;                // as it was given
};
inline constexpr std::size_t host_count_max = 64;

// "NAME=FILE ARGUMENT ...", in the order in which they are started. Throws a UsageError.
[[nodiscard]] std::vector<HostRequest> read_hosts(const std::vector<std::string>& texts);
// The plan of a level, or of a list of events. Throws a UsageError for one that cannot be read.
[[nodiscard]] sim::Plan plan_of(const std::string& text, std::uint64_t seed,
                                const std::vector<HostRequest>& hosts);

// One seed. Prints what the programs print, why it failed, and its trace hash; then ends the process, in
// which the threads of killed programs wait for ever.
[[noreturn]] void run_world(const std::vector<HostRequest>& hosts, std::uint64_t seed,
                            const sim::Plan& plan);

}  // namespace gyre::cli
