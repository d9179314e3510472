// SPDX-License-Identifier: Apache-2.0
// Runs a scenario with many seeds: 2,000 under `hostile`, fewer with a sanitizer, or as GYRE_SEEDS says:
// the long run has 200,000. Stops at the first seed that fails, with its smallest plan. One thread.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <string>

#include "gyre/base/log.hpp"
#include "gyre/testing/search.hpp"

namespace gyre::testing {

using namespace std::chrono_literals;

inline std::uint64_t seed_count() {
    if (const char* const count = std::getenv("GYRE_SEEDS"))
        return std::strtoull(count, nullptr, 10);
#if defined(__SANITIZE_ADDRESS__)
    return 100;
#elif defined(__has_feature)
#    if __has_feature(address_sanitizer)
    return 100;
#    endif
#endif
    return 2'000;
}

// Of GYRE_FIRST_SEED.
inline std::uint64_t first_seed() {
    const char* const first = std::getenv("GYRE_FIRST_SEED");
    return first == nullptr ? 1 : std::strtoull(first, nullptr, 10);
}

// A test whose scenario logs what its faults cause.
class QuietTest : public ::testing::Test {
protected:
    QuietTest() : before_(log_level()) { set_log_level(LogLevel::off); }
    ~QuietTest() override { set_log_level(before_); }

private:
    const LogLevel before_;
};

enum class FaultsOf { several_hosts, one_host };

inline bool can_happen(sim::FaultKind kind, FaultsOf of) {
    if (sim::events_per_minute(sim::PlanLevel::hostile, kind) == 0) return false;
    return of == FaultsOf::several_hosts || kind >= sim::FaultKind::crash;
}

// Each kind of fault that can happen must have happened.
inline void expect_no_seed_fails(const Scenario& scenario, FaultsOf of = FaultsOf::several_hosts) {
    const std::vector<std::string> names = host_names(scenario);
    std::array<std::uint64_t, sim::fault_kind_count> faults{};
    const std::uint64_t count = seed_count();
    Duration simulated(0);
    const std::uint64_t first = first_seed();
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
        const sim::Plan plan =
            sim::draw_plan(sim::PlanLevel::hostile, seed, names, scenario.faults_last);
        const TrialResult result = run_trial(scenario, seed, plan);
        simulated += result.simulated;
        for (std::size_t kind = 0; kind < faults.size(); ++kind) {
            faults[kind] += result.faults[kind];
        }
        if (seed % 100 == 0) {
            ASSERT_EQ(run_trial(scenario, seed, plan).trace_hash, result.trace_hash) << seed;
        }
        if (result.why.empty()) continue;
        ADD_FAILURE() << "seed " << seed << ": " << result.why << "\n" << to_text(plan);
        const sim::Plan small = shrink_plan(scenario, seed, plan);
        const TrialResult again = run_trial(scenario, seed, small);
        std::string history;
        for (const std::string& line : again.history) history += line + "\n";
        FAIL() << "seed " << seed << ": " << result.why << "\n"
               << to_text(small) << history << again.tasks;
    }
    // For ./dev bench sim, and for the table of the guide.
    ::testing::Test::RecordProperty("seeds", std::to_string(count));
    ::testing::Test::RecordProperty("simulated_seconds", std::to_string(simulated / 1s));
    for (std::size_t kind = 0; kind < faults.size(); ++kind) {
        const std::string word(word_of(static_cast<sim::FaultKind>(kind)));
        ::testing::Test::RecordProperty(word, std::to_string(faults[kind]));
    }
    for (std::size_t kind = 0; kind < faults.size(); ++kind) {
        const auto of_kind = static_cast<sim::FaultKind>(kind);
        if (!can_happen(of_kind, of)) continue;
        EXPECT_GE(faults[kind], count >= 2000 ? 100u : 1u) << word_of(of_kind);
    }
}

// For a scenario with a mistake: one of the first seeds fails, for the reason that begins so.
inline void expect_some_seed_fails(const Scenario& scenario, std::string_view why) {
    const std::vector<std::string> names = host_names(scenario);
    for (std::uint64_t seed = 1; seed <= 500; ++seed) {
        const sim::Plan plan =
            sim::draw_plan(sim::PlanLevel::hostile, seed, names, scenario.faults_last);
        if (run_trial(scenario, seed, plan).why.starts_with(why)) return;
    }
    FAIL() << "no seed of 500 finds the mistake";
}

}  // namespace gyre::testing
