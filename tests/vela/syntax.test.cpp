// SPDX-License-Identifier: Apache-2.0
// Whole files through the parser and the formatter.
#include "gyre/vela/syntax/format.hpp"
#include "gyre/vela/syntax/report.hpp"
#include "gyre/vela/syntax/tree_text.hpp"
#include "tests/vela/vela_files.hpp"

namespace gyre::vela {
namespace {

void expect_stable_layout(const std::filesystem::path& path) {
    const Source source(path.filename(), read_text(path));
    Diagnostics diagnostics;
    const Tree tree = parse(source, diagnostics);
    ASSERT_FALSE(diagnostics.has_errors()) << report(diagnostics.sorted());
    const Source once("once", format(tree));
    const Tree tree_once = parse(once, diagnostics);
    EXPECT_FALSE(diagnostics.has_errors()) << report(diagnostics.sorted());
    EXPECT_EQ(tree_text(tree), tree_text(tree_once)) << path;
    EXPECT_EQ(format(tree_once), once.text()) << path;
}

TEST(VelaFiles, every_code_block_of_the_seed_parses_and_keeps_its_tree_when_laid_out) {
    // clause: A01
    for (const auto& path : files_of("seed")) expect_stable_layout(path);
}

TEST(VelaFiles, every_program_parses_and_keeps_its_tree_when_laid_out) {
    for (const auto& path : files_of("programs")) {
        if (path.filename() == "e15_syntax.vela") continue;
        expect_stable_layout(path);
    }
}

}  // namespace
}  // namespace gyre::vela
