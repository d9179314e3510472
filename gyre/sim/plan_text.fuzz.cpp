// SPDX-License-Identifier: Apache-2.0
// Plans as text: whatever is read back from what is printed is the same plan, and an error is one line
// that names a line of the input.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "gyre/sim/plan.hpp"

using namespace gyre;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::vector<std::string> hosts = {"a", "b", "c-d"};
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto plan = sim::parse_plan(text, hosts);
    if (!plan) {
        const bool is_one_line = plan.error().find('\n') == std::string::npos;
        if (!is_one_line || !plan.error().starts_with("line ")) std::abort();
        return 0;
    }
    const auto again = sim::parse_plan(sim::to_text(*plan), hosts);
    if (!again || *again != *plan) std::abort();
    return 0;
}
