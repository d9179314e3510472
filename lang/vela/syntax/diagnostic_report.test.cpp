// SPDX-License-Identifier: Apache-2.0
#include "lang/vela/syntax/diagnostic.hpp"

#include "lang/vela/syntax/syntax_texts.test.hpp"

namespace gyre::vela {
namespace {

TEST(VelaReport, shows_the_line_with_a_caret_the_notes_and_the_fix) {
    const Source source("t.vela", "fn main() {\n  data = await f()\n}\n");
    Diagnostics diagnostics;
    diagnostics.error("E0301", source, {21, 26}, "not here")
        .note(source, {3, 7}, "declared here")
        .note("think again")
        .suggest({0, 0}, "async ", "write `async`");
    EXPECT_EQ(report(diagnostics.sorted()),
              "t.vela:2:10: error[E0301]: not here\n"
              "  2 |   data = await f()\n"
              "    |          ^^^^^\n"
              "  note: t.vela:1:4: declared here\n"
              "  1 | fn main() {\n"
              "    |    ^^^^\n"
              "  note: think again\n"
              "  help: write `async`\n");
    EXPECT_NE(report(diagnostics.sorted(), {.has_colour = true}).find("\033[1;31merror[E0301]"),
              std::string::npos);
}

TEST(VelaReport, counts_columns_in_code_points_and_stands_under_tabs) {
    const Source source("t.vela", "\t\xC3\xB1 = ~\r\n");
    Diagnostics diagnostics;
    diagnostics.warning("W0001", source, {6, 7}, "here");
    EXPECT_EQ(report(diagnostics.sorted()),
              "t.vela:1:6: warning[W0001]: here\n"
              "  1 | \t\xC3\xB1 = ~\n"
              "    | \t    ^\n");
}

TEST(VelaReport, shows_a_window_of_a_long_line) {
    const Source source("t.vela", std::string(1'000'000, 'a'));
    Diagnostics diagnostics;
    diagnostics.error("E0101", source, {500'000, 900'000}, "long");
    const std::string text = report(diagnostics.sorted());
    EXPECT_LT(text.size(), 500U);
    EXPECT_NE(text.find("...aaaa"), std::string::npos);
    EXPECT_NE(text.find("    |"), std::string::npos);
}

TEST(VelaReport, is_in_the_order_of_places_without_duplicates) {
    const Source first("a.vela", "one\ntwo\n");
    const Source second("b.vela", "three\n");
    Diagnostics diagnostics;
    diagnostics.error("E1", first, {4, 5}, "late");
    diagnostics.error("E1", second, {0, 1}, "other file");
    diagnostics.error("E1", first, {0, 1}, "early");
    diagnostics.error("E1", first, {4, 5}, "late again");
    std::vector<std::string> messages;
    for (const Diagnostic& diagnostic : diagnostics.sorted())
        messages.push_back(diagnostic.message);
    EXPECT_EQ(messages, (std::vector<std::string>{"early", "late", "other file"}));
}

TEST(VelaReport, json_has_places_notes_and_the_fix) {
    const Source source("a\"b.vela", "x\ny\n");
    Diagnostics diagnostics;
    EXPECT_EQ(report_json(diagnostics.sorted()), "[]\n");
    diagnostics.error("E1", source, {2, 3}, "m\n").note("n").suggest({2, 3}, "z", "write z");
    EXPECT_EQ(report_json(diagnostics.sorted()),
              "[\n  {\"file\": \"a\\\"b.vela\", \"line\": 2, \"column\": 1, \"end_line\": 2, "
              "\"end_column\": 2, \"begin_byte\": 2, \"end_byte\": 3, \"severity\": \"error\", "
              "\"code\": \"E1\", \"message\": \"m\\u000a\", \"notes\": [{\"text\": \"n\"}], "
              "\"fix\": {\"file\": \"a\\\"b.vela\", \"line\": 2, \"column\": 1, \"end_line\": 2, "
              "\"end_column\": 2, \"begin_byte\": 2, \"end_byte\": 3, \"replacement\": \"z\", "
              "\"text\": \"write z\"}}\n]\n");
}

}  // namespace
}  // namespace gyre::vela
