// SPDX-License-Identifier: Apache-2.0
// EventList: the recorded events of a scenario, in order, and their comparison with the expected
// ones. Repetition is compressed: see scenario.hpp. A value; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gyre::conform {

class EventList {
public:
    void add(std::string_view event);
    [[nodiscard]] std::vector<std::string> entries() const;

private:
    struct Run {
        std::string event;          // the first event of the run
        std::string text;           // the event without its number
        std::uint64_t number;       // at the end of the event; 0: none
        std::uint64_t equal = 1;    // how many equal events
        std::uint64_t counted = 1;  // how many events whose number counts up
    };
    std::vector<Run> runs_;
};

// A message, empty when the lists are equal. `wanted` is the text of Scenario::trace.
[[nodiscard]] std::string first_difference(std::string_view wanted,
                                           const std::vector<std::string>& found);

}  // namespace gyre::conform
