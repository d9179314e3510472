// SPDX-License-Identifier: Apache-2.0
#include "gyre/conform/scenario.hpp"

namespace gyre::conform {

const char* name_of(Verdict verdict) noexcept {
    switch (verdict) {
        case Verdict::pass:
            return "pass";
        case Verdict::fail:
            return "FAIL";
        case Verdict::skipped:
            return "skipped";
    }
    return "";
}

Results skip(const Table& table, const std::string& platform, const std::string& reason) {
    Results results;
    for (const Scenario& scenario : table.scenarios) {
        results.push_back({&table, &scenario, platform, Verdict::skipped, reason});
    }
    return results;
}

}  // namespace gyre::conform
