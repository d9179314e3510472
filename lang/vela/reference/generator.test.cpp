// SPDX-License-Identifier: Apache-2.0
// Random programs have no errors and no warnings, and are deterministic. A failure shows the seed
// and the program.
#include "lang/vela/reference/generator.hpp"

#include <set>

#include "lang/vela/reference/await_positions.hpp"
#include "lang/vela/reference/run_text.hpp"
#include "lang/vela/reference/seeds.hpp"

namespace gyre::vela {
namespace {

TEST(VelaRandom, a_seed_gives_the_same_program_and_another_seed_another_one) {
    EXPECT_EQ(random_program(7), random_program(7));
    std::set<std::string> texts;
    for (std::uint64_t seed = 1; seed <= 50; ++seed) texts.insert(random_program(seed));
    EXPECT_EQ(texts.size(), 50U);
}

TEST(VelaRandom, awaits_stand_in_every_position) {
    std::set<std::string> found;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        const Source source("random.vela", random_program(seed));
        Diagnostics diagnostics;
        const Tree tree = parse(source, diagnostics);
        add_await_positions(tree, found);
    }
    const std::set<std::string> wanted = {
        "argument",       "assigned value",  "async block",   "async lambda",
        "async function", "branch of an if", "catch",         "condition",
        "element",        "entry of a map",  "field value",   "finally",
        "for await head", "for head",        "guard",         "if let subject",
        "index",          "inner await",     "interpolation", "left operand",
        "loop",           "match arm",       "match subject", "named argument",
        "local function", "operand of ?",    "receiver",      "return",
        "right operand",  "right of &&",     "right of ??",   "right of ||",
        "scope",          "statement",       "throw",         "try",
        "unary operand",  "while head",      "yield",         "generator",
        "compound value",
    };
    for (const std::string& position : wanted) {
        EXPECT_TRUE(found.contains(position)) << position;
    }
}

TEST(VelaRandom, programs_are_clean_and_run_twice_to_the_same_end) {
    std::size_t line_count = 0;
    const auto [first, last] = seeds_to_try();
    for (std::uint64_t seed = first; seed <= last; ++seed) {
        const std::string text = random_program(seed);
        SourceTable no_files;
        const auto program = check("random.vela", text, no_files);
        const std::string said = report(program->diagnostics.sorted());
        ASSERT_EQ(said, "") << "seed " << seed << "\n" << text;
        const Outcome outcome = evaluate(*program, "random.vela");
        ASSERT_EQ(outcome.internal_error, "") << "seed " << seed << "\n" << text;
        ASSERT_EQ(outcome, evaluate(*program, "random.vela")) << "seed " << seed << "\n" << text;
        ASSERT_NE(outcome.exit_code, 3) << "seed " << seed << "\n" << text;
        line_count += outcome.lines.size();
    }
    // Comparisons are meaningful only with enough output.
    EXPECT_GE(line_count, 10 * (last - first + 1));
}

}  // namespace
}  // namespace gyre::vela
