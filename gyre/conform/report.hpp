// SPDX-License-Identifier: Apache-2.0
// Results as text: a table for people, at most 80 columns wide, and JSON for programs. Any thread.
#pragma once

#include <cstddef>
#include <string>

#include "gyre/conform/scenario.hpp"

namespace gyre::conform {

[[nodiscard]] std::size_t count_of(const Results& results, Verdict verdict) noexcept;
[[nodiscard]] inline bool has_failed(const Results& results) noexcept {
    return count_of(results, Verdict::fail) > 0;
}

// "12 pass, 1 FAIL, 3 skipped", and the end of the line.
[[nodiscard]] std::string counts_in_words(const Results& results);
// A row each: clauses, scenario, platform, verdict; what there is to say of it below; at the end
// the counts.
[[nodiscard]] std::string as_table(const Results& results);
// One object: the counts, and under "results" an object each, with script and expected trace.
[[nodiscard]] std::string as_json(const Results& results);

}  // namespace gyre::conform
