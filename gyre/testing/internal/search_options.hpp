// SPDX-License-Identifier: Apache-2.0
// The options of a search, and what they say about a seed. Values; any thread.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gyre/sim/plan.hpp"
#include "gyre/testing/search.hpp"

namespace gyre::testing {

struct SearchOptions {
    std::optional<std::uint64_t> seed;  // one run
    std::uint64_t first_seed = 1;
    std::uint64_t seed_count = 1000;
    std::uint64_t seconds = 0;  // 0: no limit
    unsigned jobs = 1;
    sim::PlanLevel level = sim::PlanLevel::rough;
    std::optional<sim::Plan> plan;  // as a list of events
    std::optional<std::uint64_t> trace;
    bool shrinks = false;
    bool is_quiet = false;
    bool wants_help = false;
    std::string repeated;   // the scenario's own options, for a repetition
    std::string plan_word;  // --plan as it was given
    std::vector<std::pair<std::string, std::uint64_t>> sizes;
};

// What is wrong is in the error, in one line.
[[nodiscard]] std::expected<SearchOptions, std::string> read_options(
    std::span<char* const> words, const Scenario& scenario, std::span<const std::string> hosts);
[[nodiscard]] std::string help_of(const Scenario& scenario, const std::string& program);
[[nodiscard]] sim::Plan plan_for(const SearchOptions& options, const Scenario& scenario,
                                 std::uint64_t seed, std::span<const std::string> hosts);

// A line for each step of a run: its time, and the hash of all before it.
using TraceOfRun = std::vector<std::string>;
[[nodiscard]] TraceOfRun trace_of(const Scenario& scenario, std::uint64_t seed,
                                  const sim::Plan& plan);

}  // namespace gyre::testing
