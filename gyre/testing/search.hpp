// SPDX-License-Identifier: Apache-2.0
// search_seeds: the main function of a program that looks for a seed which breaks a scenario: hosts, a
// plan of faults drawn from the seed, and checks.
//
//     int main(int argc, char** argv) {
//         return testing::search_seeds(argc, argv, {.name = "bank", .make = [] {
//             return std::make_unique<Bank>();  // a Trial
//         }});
//     }
//
// The file also includes gyre/testing/host_new.hpp. To search for a seed, to repeat one, and to make its
// plan smaller:
//
//     ./bank --seeds 100000 --plan rough
//     ./bank --seed 4711 --plan rough
//     ./bank --seed 4711 --shrink
//
// A failure is one line of JSON on standard output with seed, trace hash and plan, and exit code 1; the
// same in words is on standard error. A wrong argument is exit code 2.
//
// Thread: one, and one more for each job and for the watch over hangs.
// Lifetime: returns when the search has ended.
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gyre/sim/plan.hpp"
#include "gyre/testing/simulation.hpp"

namespace gyre::testing {

// One run of a scenario. Its functions are called in this order.
class Trial {
public:
    virtual ~Trial() = default;
    // Adds the hosts, which are then started.
    virtual void set_up(Simulation& simulation) = 0;
    // While faults happen and after them, a hundred times: something that must never be so. Empty: fine.
    virtual std::string check_always(Simulation& /*simulation*/) { return {}; }
    // After the faults: everything that is to happen has happened.
    virtual bool is_at_rest(Simulation& simulation) = 0;
    // At the end: what is wrong. Empty: nothing.
    virtual std::string check(Simulation& simulation) = 0;
    // The operations that matter, for the report of a failure.
    virtual std::vector<std::string> history() { return {}; }
};

// A number of hosts, clients or operations that a scenario can be run with less of.
struct Size {
    std::string name;
    std::uint64_t value;
    std::uint64_t least = 1;
};
class Sizes {
public:
    Sizes() = default;
    Sizes(std::initializer_list<Size> sizes) : all(sizes) {}
    // That of a name that the scenario has.
    [[nodiscard]] std::uint64_t operator[](std::string_view name) const;

    std::vector<Size> all;
};

struct Scenario {
    std::string name;
    std::function<std::unique_ptr<Trial>()> make = nullptr;
    // In place of `make`, for a scenario with sizes, which --shrink makes smaller too.
    std::function<std::unique_ptr<Trial>(const Sizes& sizes)> make_sized = nullptr;
    Sizes sizes = {};
    // Faults happen in this time, which every plan drawn ends with.
    Duration faults_last = std::chrono::seconds(10);
    // Then it must come to rest within this time.
    Duration rests_within = std::chrono::minutes(2);
    // Whether a failed task that nobody joins is a failure of the run.
    bool tasks_may_fail = false;
    // Options that the program reads itself, each with one value: "--bug".
    std::vector<std::string> own_options = {};
    // For the help.
    std::string own_help = {};
};

// What one run came to.
struct TrialResult {
    std::string why;  // empty: nothing went wrong
    std::uint64_t trace_hash = 0;
    Duration simulated = Duration(0);
    std::vector<std::string> history;
    std::array<std::uint64_t, sim::fault_kind_count> faults{};
    std::vector<std::pair<std::string, sim::ChancePoints::Count>> points;
    std::string tasks;  // of hosts that run, at a failure: who waits for what
};

// Runs one seed with a plan.
[[nodiscard]] TrialResult run_trial(const Scenario& scenario, std::uint64_t seed,
                                    const sim::Plan& plan);
// The names of the hosts of a scenario.
[[nodiscard]] std::vector<std::string> host_names(const Scenario& scenario);
// Removes events, and shortens them, as long as the seed still fails; every plan that it tries is a
// run. Returns the smallest.
[[nodiscard]] sim::Plan shrink_plan(const Scenario& scenario, std::uint64_t seed, sim::Plan plan);
// Makes the sizes smaller, as long as the seed still fails: first by halves, then by one. Events of
// hosts that are no longer there are left out.
[[nodiscard]] Scenario shrink_sizes(Scenario scenario, std::uint64_t seed, sim::Plan& plan);

[[nodiscard]] int search_seeds(int argc, char** argv, const Scenario& scenario);

}  // namespace gyre::testing
