// SPDX-License-Identifier: Apache-2.0
// Parses and formats whole files.
#include "lang/vela/syntax/diagnostic.hpp"
#include "lang/vela/syntax/internal/tree_text.hpp"
#include "lang/vela/syntax/parser.hpp"
#include "tests/vela/cases.hpp"

namespace gyre::vela {
namespace {

void expect_stable_layout(const std::string& name, const std::string& text) {
    const Source source(name, text);
    Diagnostics diagnostics;
    const Tree tree = parse(source, diagnostics);
    ASSERT_FALSE(diagnostics.has_errors()) << report(diagnostics.sorted());
    const Source once("once", format(tree));
    const Tree tree_once = parse(once, diagnostics);
    EXPECT_FALSE(diagnostics.has_errors()) << report(diagnostics.sorted());
    EXPECT_EQ(tree_text(tree), tree_text(tree_once)) << name;
    EXPECT_EQ(format(tree_once), once.text()) << name;
}

std::vector<std::string> comments_of(const Tree& tree) {
    std::vector<std::string> comments;
    for (const Span span : tree.tokens.comments) comments.emplace_back(tree.source->text(span));
    return comments;
}

// The lines of more columns, and those that end in a comment or hold one string are not counted.
void expect_stable_parting(const std::string& name, const std::string& text, std::size_t columns) {
    const Source source(name, text);
    Diagnostics diagnostics;
    const Tree tree = parse(source, diagnostics);
    const FormatOptions options{.columns_max = columns};
    const Source once("once", format(tree, options));
    const Tree tree_once = parse(once, diagnostics);
    EXPECT_FALSE(diagnostics.has_errors()) << report(diagnostics.sorted());
    EXPECT_EQ(tree_text(tree), tree_text(tree_once)) << name << columns;
    EXPECT_EQ(format(tree_once, options), once.text()) << name << columns;
    EXPECT_EQ(comments_of(tree_once), comments_of(tree)) << name << columns;
}

TEST(VelaFiles, every_code_block_of_the_seed_parses_and_keeps_its_tree_when_laid_out) {
    // clause: A01
    for (const auto& path : files_of("seed")) {
        expect_stable_layout(path.filename(), read_text(path));
    }
}

TEST(VelaFiles, every_program_parses_and_keeps_its_tree_when_laid_out) {
    for (const auto& path : files_of("programs")) {
        if (path.filename() == "e15_syntax.vela") continue;
        expect_stable_layout(path.filename(), read_text(path));
    }
    for (const char* folder : {"clean", "run"}) {
        for (const Case& program : cases_of(folder)) {
            expect_stable_layout(program.name, program.program);
        }
    }
}

// The same programs, in less room than they were written for.
TEST(VelaFiles, every_program_keeps_its_tree_and_comments_when_its_lines_are_parted) {
    for (const std::size_t columns : {100U, 50U, 20U}) {
        for (const char* folder : {"programs", "seed"}) {
            for (const auto& path : files_of(folder)) {
                if (path.filename() == "e15_syntax.vela") continue;
                expect_stable_parting(path.filename(), read_text(path), columns);
            }
        }
        for (const Case& program : cases_of("run")) {
            expect_stable_parting(program.name, program.program, columns);
        }
    }
}

}  // namespace
}  // namespace gyre::vela
