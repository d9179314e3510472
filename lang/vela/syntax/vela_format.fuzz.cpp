// SPDX-License-Identifier: Apache-2.0
// Fuzz target: formatting a text that parses keeps its tree, and formatting is idempotent.
#include <cstddef>
#include <cstdint>
#include <string>

#include "gyre/base/assert.hpp"
#include "lang/vela/syntax/internal/tree_text.hpp"
#include "lang/vela/syntax/parser.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size_bytes) {
    using namespace gyre::vela;
    const Source source("fuzz", std::string(reinterpret_cast<const char*>(data), size_bytes));
    Diagnostics diagnostics;
    const Tree tree = parse(source, diagnostics);
    if (diagnostics.has_errors()) return -1;
    const Source once("once", format(tree));
    const Tree tree_once = parse(once, diagnostics);
    GYRE_ASSERT(!diagnostics.has_errors(), "what was laid out parses");
    GYRE_ASSERT(tree_text(tree) == tree_text(tree_once), "the tree stays what it was");
    GYRE_ASSERT(format(tree_once) == once.text(), "laid out twice is laid out once");
    const FormatOptions narrow{.columns_max = 16};
    const Source parted("parted", format(tree, narrow));
    const Tree tree_parted = parse(parted, diagnostics);
    GYRE_ASSERT(!diagnostics.has_errors(), "what was parted parses");
    GYRE_ASSERT(tree_text(tree) == tree_text(tree_parted), "the tree stays what it was");
    GYRE_ASSERT(format(tree_parted, narrow) == parted.text(), "parted twice is parted once");
    return 0;
}
