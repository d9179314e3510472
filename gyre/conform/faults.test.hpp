// SPDX-License-Identifier: Apache-2.0
// For the tests of the tables: plants a fault into an adapter, and checks that exactly the expected
// scenarios fail. One test, one thread.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gyre/conform/internal/platform_setup.hpp"
#include "gyre/conform/scenario.hpp"

namespace gyre::conform {

using Names = std::set<std::string>;

template <class Adapter>
struct Fault {
    std::string name;
    std::function<std::unique_ptr<Adapter>()> make;
    Names found_by;
    // More scenarios than these may fail.
    bool is_broad = false;
};

inline std::unique_ptr<PlatformSetup> simulated() {
    return std::move(PlatformSetup::make("sim").value());
}

inline Names failed_in(const Results& results) {
    Names names;
    for (const Result& result : results) {
        if (result.verdict == Verdict::fail) names.insert(result.scenario->name);
    }
    return names;
}

inline Names names_of(const Table& table) {
    Names names;
    for (const Scenario& scenario : table.scenarios) names.insert(scenario.name);
    return names;
}

// Each fault fails exactly its scenarios, and every scenario is failed by some fault.
template <class Adapter>
void expect_found(const Table& table, const std::vector<Fault<Adapter>>& faults) {
    Names never_failed = names_of(table);
    for (const Fault<Adapter>& fault : faults) {
        const Names found = failed_in(run(table, "sim", fault.make));
        if (fault.is_broad) {
            EXPECT_TRUE(std::ranges::includes(found, fault.found_by)) << fault.name;
        } else {
            EXPECT_EQ(found, fault.found_by) << fault.name;
        }
        for (const std::string& name : found) never_failed.erase(name);
    }
    EXPECT_EQ(never_failed, Names{});
}

}  // namespace gyre::conform
