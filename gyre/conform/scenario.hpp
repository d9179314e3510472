// SPDX-License-Identifier: Apache-2.0
// What a runtime must do, as data: a Scenario is a script, in the words of script.hpp, and the
// trace that it must leave; a Table is the scenarios of one topic. Nothing here knows a runtime.
// Plain values; the texts live as long as the program.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace gyre::conform {

enum class Time : std::uint8_t {
    any,
    // The trace holds times, or an order that real time leaves open: it is left out on an adapter
    // whose time is real.
    simulated,
};

struct Scenario {
    const char* clauses;  // ids of docs/CLAUSES.md: "J06 J13"
    const char* name;
    const char* script;
    const char* trace;  // events, separated by commas; see Trace
    Time time = Time::any;
};

struct Table {
    const char* topic;  // what `gyre conform` calls it: "jobs"
    const char* name;   // "jobs, Node's order"
    std::span<const Scenario> scenarios;
};

enum class Verdict : std::uint8_t { pass, fail, skipped };
[[nodiscard]] const char* name_of(Verdict verdict) noexcept;

// What came of one scenario on one adapter.
struct Result {
    const Table* table;
    const Scenario* scenario;
    std::string platform;
    Verdict verdict;
    std::string detail;  // the first difference, or why it was skipped
};
using Results = std::vector<Result>;

// All scenarios of a table as skipped, for an adapter that is not to be had here.
[[nodiscard]] Results skip(const Table& table, const std::string& platform,
                           const std::string& reason);

}  // namespace gyre::conform
