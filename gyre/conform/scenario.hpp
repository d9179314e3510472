// SPDX-License-Identifier: Apache-2.0
// Scenario and Table: required behaviour as data, independent of any runtime. A scenario is a
// script and the events that it must cause, in order; a table has the scenarios of one topic
// (kernel.hpp, loop.hpp, jobs.hpp, effects.hpp). Running a table against an Adapter gives Results,
// which this header also prints.
//
//     const conform::Results results = conform::run_gyre("jobs", {"sim"});
//     std::fputs(conform::as_table(results).c_str(), stdout);
//     const bool is_good = !conform::has_failed(results);
//
// Thread: any; an adapter is used by the thread that runs the table.
// Lifetime: plain values; the texts of a table live as long as the program, and results refer to
// them.
//
// A line of a script is the name of an event and the actions that follow it. `main` comes first; an
// event without a line is only recorded.
//
//   main: timeout t 1; immediate i; block 5
//   t: micro m; at 2 clear t; until 9 tick k
//
// A colon and a blank end the name. An action is a verb and its arguments; each table has its
// verbs, and all have `say word`, which records an event. Before the verb, `at 2` means only the
// second time that the event happens, `until 9` only before the ninth, `times 3` three times in a
// row. In the expected events, `m*1024` is an event that happens 1024 times in a row, and `app has
// 1..500` four or more events that count up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace gyre::conform {

enum class Time : std::uint8_t {
    any,
    // The events contain times, or an order that depends on real time: the scenario is skipped on
    // an adapter whose time is real.
    simulated,
};

struct Scenario {
    const char* clauses;  // ids of docs/CLAUSES.md: "J06 J13"
    const char* name;
    const char* script;
    const char* trace;  // the expected events, separated by commas
    Time time = Time::any;
};

struct Table {
    const char* topic;  // the argument of `gyre conform`: "jobs"
    const char* name;   // "jobs, Node's order"
    std::span<const Scenario> scenarios;
};

// The base of the adapters of all tables.
class Adapter {
public:
    virtual ~Adapter() = default;
    // Why the runtime does not support a verb: "no promises". Scenarios that use the verb are
    // skipped. Empty if it is supported.
    [[nodiscard]] virtual std::string lacks(const std::string& /*verb*/) const { return {}; }
    // Whether its time is simulated, so that waiting takes no real time.
    [[nodiscard]] virtual bool has_simulated_time() const { return false; }
};

enum class Verdict : std::uint8_t { pass, fail, skipped };
[[nodiscard]] const char* name_of(Verdict verdict) noexcept;

// The result of one scenario on one platform.
struct Result {
    const Table* table;
    const Scenario* scenario;
    std::string platform;
    Verdict verdict;
    std::string detail;  // the first difference, or why it was skipped
};
using Results = std::vector<Result>;

// All scenarios of a table as skipped, for an adapter that is not available here.
[[nodiscard]] Results skip(const Table& table, const std::string& platform,
                           const std::string& reason);

// ---- Reports ----

[[nodiscard]] std::size_t count_of(const Results& results, Verdict verdict) noexcept;
[[nodiscard]] inline bool has_failed(const Results& results) noexcept {
    return count_of(results, Verdict::fail) > 0;
}

// "12 pass, 1 FAIL, 3 skipped", and a newline.
[[nodiscard]] std::string counts_in_words(const Results& results);
// At most 80 columns wide. A row per result: clauses, scenario, platform, verdict, and below it the
// detail; at the end the counts.
[[nodiscard]] std::string as_table(const Results& results);
// One JSON object: the counts, and under "results" an object each, with script and expected events.
[[nodiscard]] std::string as_json(const Results& results);

// ---- gyre itself ----

// The topics of run_gyre: "kernel", "loop", "jobs", "effects".
[[nodiscard]] std::span<const char* const> topics();

// Runs the tables of a topic (empty: of all topics) against gyre, on each platform: "sim", "epoll",
// "uring". A platform that this machine does not have is skipped.
[[nodiscard]] Results run_gyre(const std::string& topic, const std::vector<std::string>& platforms);

}  // namespace gyre::conform
