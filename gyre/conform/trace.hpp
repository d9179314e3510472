// SPDX-License-Identifier: Apache-2.0
// Trace: the events of a run in their order, and where two traces part. Repetition is written
// shorter: `m*1024` is an event that happened so often in a row, `app has 1..500` a row of events
// that count up, if there are four or more. A value.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gyre::conform {

class Trace {
public:
    void add(std::string_view event);
    [[nodiscard]] std::vector<std::string> entries() const;

private:
    struct Run {
        std::string event;     // the first one
        std::string text;      // what stands before its number
        std::uint64_t number;  // at its end; 0: it has none
        std::uint64_t equal = 1;
        std::uint64_t counted = 1;
    };
    std::vector<Run> runs_;
};

// In words; empty where there is none. `wanted` is written as in a Scenario.
[[nodiscard]] std::string first_difference(std::string_view wanted,
                                           const std::vector<std::string>& found);

}  // namespace gyre::conform
