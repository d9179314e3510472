// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes parse to a tree without crash or hang, with a bounded number of errors.
#include <cstddef>
#include <cstdint>
#include <string>

#include "gyre/base/assert.hpp"
#include "lang/vela/syntax/diagnostic.hpp"
#include "lang/vela/syntax/internal/tree_text.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size_bytes) {
    using namespace gyre::vela;
    const Source source("fuzz", std::string(reinterpret_cast<const char*>(data), size_bytes));
    Diagnostics diagnostics;
    const Tree tree = parse(source, diagnostics);
    const auto sorted = diagnostics.sorted();
    GYRE_ASSERT(sorted.size() <= Diagnostics::error_count_max, "errors are bounded");
    GYRE_ASSERT(sorted.empty() != diagnostics.has_errors(), "what was reported is told");
    const std::string text = tree_text(tree) + report(sorted, {.has_colour = true});
    return text.size() == SIZE_MAX ? -1 : 0;
}
