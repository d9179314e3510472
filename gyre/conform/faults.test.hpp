// SPDX-License-Identifier: Apache-2.0
// For the tests of the tables: a fault that is planted into an adapter, and the scenarios that must
// find it, and no others. One test, one thread.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gyre/conform/ground.hpp"
#include "gyre/conform/scenario.hpp"

namespace gyre::conform {

using Names = std::set<std::string>;

template <class Adapter>
struct Fault {
    std::string name;
    std::function<std::unique_ptr<Adapter>()> make;
    Names found_by;
    // Breaks so much that these are not all that find it.
    bool is_broad = false;
};

inline std::unique_ptr<Ground> simulated() {
    return std::move(Ground::make("sim").value());
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

// Each fault is found by its scenarios alone, and together they show that every scenario can fail.
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
