// SPDX-License-Identifier: Apache-2.0
#include "lang/vela/syntax/internal/lexer.hpp"

#include "lang/vela/syntax/syntax_texts.test.hpp"

namespace gyre::vela {
namespace {

std::vector<TokenKind> kinds_of(const std::string& text) {
    const Source source("t.vela", text);
    Diagnostics diagnostics;
    std::vector<TokenKind> kinds;
    for (const Token& token : lex(source, diagnostics).tokens) kinds.push_back(token.kind);
    EXPECT_FALSE(diagnostics.has_errors()) << text;
    kinds.pop_back();
    return kinds;
}

using enum TokenKind;
using Kinds = std::vector<TokenKind>;

TEST(VelaLexer, tells_numbers_from_floats_and_ranges) {
    EXPECT_EQ(kinds_of("42 0x2A 0b101"), (Kinds{integer, integer, integer}));
    EXPECT_EQ(kinds_of("3.14 1e9 2.5e-3"), (Kinds{real, real, real}));
    EXPECT_EQ(kinds_of("1..10 1..=9"),
              (Kinds{integer, range, integer, integer, range_inclusive, integer}));
    EXPECT_EQ(kinds_of("1.abs"), (Kinds{integer, dot, name}));
}

TEST(VelaLexer, knows_keywords_and_leaves_contextual_words_names) {
    EXPECT_EQ(kinds_of("fn async await static"), (Kinds{kw_fn, kw_async, kw_await, kw_static}));
    EXPECT_EQ(kinds_of("actor state scope spawn type self as show hide fns _"), Kinds(11, name));
}

TEST(VelaLexer, names_may_have_letters_of_any_script) {
    EXPECT_EQ(kinds_of("\xC3\xB1u \xE5\x90\x8D m\xC3\xA9"), (Kinds{name, name, name}));
    EXPECT_EQ(errors_of("x = a \xE2\x86\x92 b"),
              "1:7 E0101 `\xE2\x86\x92` has no meaning in Vela\n");
}

TEST(VelaLexer, skips_a_byte_order_mark_and_comments_of_three_kinds) {
    EXPECT_EQ(kinds_of("\xEF\xBB\xBFx # c\n// d\n/* e\n */ y"), (Kinds{name, name}));
    EXPECT_EQ(errors_of("\xEF\xBB\xBFx = ~"), "1:5 E0101 `~` has no meaning in Vela\n");
}

TEST(VelaLexer, interpolations_nest_with_their_braces_and_strings) {
    EXPECT_EQ(kinds_of(R"("a${b}c")"), (Kinds{string_head, name, string_tail}));
    EXPECT_EQ(kinds_of(R"("${a}${b}")"),
              (Kinds{string_head, name, string_middle, name, string_tail}));
    EXPECT_EQ(kinds_of(R"("${ {1: "x${y}"} }")"),
              (Kinds{string_head, brace_open, integer, colon, string_head, name, string_tail,
                     brace_close, string_tail}));
    EXPECT_EQ(kinds_of(R"("\${a}" '${a}')"), (Kinds{string, string}));
    EXPECT_EQ(kinds_of("x \"\"\"a\n\"b\" ${c}\n\"\"\""),
              (Kinds{name, string_head, name, string_tail}));
}

TEST(VelaLexer, reads_nothing_in_a_doc_comment) {
    EXPECT_EQ(kinds_of("\n# c\n\"\"\"a ${b \\q\n\"\"\" x"), (Kinds{string, name}));
    EXPECT_EQ(errors_of("\"\"\"a ${b"), "1:1 E0101 this string is not closed with `\"\"\"`\n");
    EXPECT_EQ(errors_of("\"\"\"\xFF\"\"\""), "1:4 E0101 this is not UTF-8\n");
}

TEST(VelaLexer, a_string_left_open_is_one_error_at_its_quote) {
    EXPECT_EQ(errors_of("x = \"abc\ny = 2\n"), "1:5 E0101 this string is not closed on its line\n");
    EXPECT_EQ(errors_of("x = \"a${b\ny = 2\n"), "2:1 E0201 expected `}`, found `y`\n");
    EXPECT_EQ(errors_of("f(\"a${b\")\ny = 2\n"),
              "1:3 E0101 this string is not closed on its line\n");
    EXPECT_EQ(errors_of("fn f() {\n  x = \"a${b\n  g()\n}\ny = 2\n"),
              "2:7 E0101 this string is not closed on its line\n");
    EXPECT_EQ(errors_of("x = 'abc\n"), "1:5 E0101 this string is not closed on its line\n");
    EXPECT_EQ(errors_of("x = \"\"\"abc\n"), "1:5 E0101 this string is not closed with `\"\"\"`\n");
    EXPECT_EQ(errors_of("/* abc"), "1:1 E0101 this comment is not closed with `*/`\n");
}

TEST(VelaLexer, refuses_what_is_no_number_no_escape_and_no_utf8) {
    EXPECT_EQ(errors_of("x = 12ab"), "1:5 E0101 `12ab` is not a number\n");
    EXPECT_EQ(errors_of("x = 0xZ"), "1:5 E0101 `0xZ` is not a number\n");
    EXPECT_EQ(errors_of("x = \"a\\qb\""), "1:7 E0101 unknown escape `\\q`\n");
    EXPECT_EQ(errors_of("x = \"a\xFF\""), "1:7 E0101 this is not UTF-8\n");
    EXPECT_EQ(errors_of("\xFF\xFE\xFF"), "1:1 E0101 this is not UTF-8\n");
    EXPECT_EQ(errors_of("# \xC0\xAF\n"), "1:3 E0101 this is not UTF-8\n");
    EXPECT_EQ(errors_of(std::string("x = \0 1", 7)),
              "1:5 E0101 a control character has no meaning here\n");
}

TEST(VelaLexer, each_limit_is_an_error_that_names_it) {
    EXPECT_EQ(errors_of("x = 12345\n", {.file_bytes_max = 8}),
              "1:1 E0101 the file has 10 bytes; the limit on file size is 8\n");
    EXPECT_EQ(errors_of("longer = 1\n", {.token_bytes_max = 5}),
              "1:1 E0101 a token of 6 bytes; the limit on token length is 5\n");
    std::string nested = "x = ";
    for (int i = 0; i < 10'000; ++i) nested += "\"${";
    EXPECT_EQ(errors_of(nested),
              "1:774 E0101 the limit on nesting is 256 strings inside one another\n");
}

TEST(VelaLexer, brackets_know_their_partners) {
    const Source source("t.vela", "(a[b]{c)");
    Diagnostics diagnostics;
    const auto tokens = lex(source, diagnostics).tokens;
    EXPECT_EQ(tokens[0].partner, 7U);
    EXPECT_EQ(tokens[2].partner, 4U);
    EXPECT_EQ(tokens[5].partner, Token::no_partner);
}

}  // namespace
}  // namespace gyre::vela
