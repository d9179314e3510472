// SPDX-License-Identifier: Apache-2.0
#include "lang/vela/syntax/parser.hpp"

#include "lang/vela/syntax/syntax_texts.test.hpp"

namespace gyre::vela {
namespace {

TEST(VelaFormat, decides_blanks) {
    EXPECT_EQ(formatted("x=a+b *-c"), "x = a + b * -c\n");
    EXPECT_EQ(formatted("f ( a,b )[ 0 ] . g"), "f(a, b)[0].g\n");
    EXPECT_EQ(formatted("x:List < Number > =[]"), "x: List<Number> = []\n");
    EXPECT_EQ(formatted("if(a){b}else{c}"), "if (a) { b } else { c }\n");
    EXPECT_EQ(formatted("m={ \"k\" :1 }"), "m = {\"k\": 1}\n");
    EXPECT_EQ(formatted("u=User{id:1}"), "u = User { id: 1 }\n");
    EXPECT_EQ(formatted("for i in 1 .. 10{}"), "for i in 1..10 {}\n");
    EXPECT_EQ(formatted("x = \"a${ b }c\""), "x = \"a${b}c\"\n");
    EXPECT_EQ(formatted("f . catch ( e=>!e )"), "f.catch(e => !e)\n");
    EXPECT_EQ(formatted("@ test\nasync fn f < T : A > ( self ,a :T )->T?{}"),
              "@test\nasync fn f<T: A>(self, a: T) -> T? {}\n");
}

TEST(VelaFormat, keeps_apart_what_would_read_as_something_else) {
    EXPECT_EQ(formatted("x = a? .b"), "x = a? .b\n");
    EXPECT_EQ(formatted("x = a .. ..."), "x = a.. ...\n");
    EXPECT_EQ(formatted("x = a? ..b"), "x = a? ..b\n");
}

TEST(VelaFormat, parts_the_end_of_types_from_an_equals_sign) {
    EXPECT_EQ(formatted("x:List<A>=[]\ntype B<T>=List<List<T>>\ny=a>=b"),
              "x: List<A> = []\ntype B<T> = List<List<T>>\ny = a >= b\n");
    EXPECT_EQ(formatted("fn f(m: Map<A, List<B>>={}) {}"), "fn f(m: Map<A, List<B>> = {}) {}\n");
}

TEST(VelaFormat, indents_by_brackets_and_continuations) {
    EXPECT_EQ(formatted("fn f() {\nif a {\nb(\nc,\nd\n)\n}\n}"),
              "fn f() {\n  if a {\n    b(\n      c,\n      d\n    )\n  }\n}\n");
    EXPECT_EQ(formatted("x = a\n.b(y => {\nz\n})\n.c"), "x = a\n  .b(y => {\n    z\n  })\n  .c\n");
    EXPECT_EQ(formatted("x = f([\n1,\n])"), "x = f([\n  1,\n])\n");
}

TEST(VelaFormat, leaves_line_ends_to_the_writer_but_not_within_a_block) {
    EXPECT_EQ(formatted("if a { b }"), "if a { b }\n");
    EXPECT_EQ(formatted("if a { b\nc }"), "if a {\n  b\n  c\n}\n");
    EXPECT_EQ(formatted("if a\n{\nb\n}\nelse\n{\nc\n}"), "if a {\n  b\n} else {\n  c\n}\n");
    EXPECT_EQ(formatted("a\n\n\n\nb"), "a\n\nb\n");
    EXPECT_EQ(formatted("fn f() {\n\na\n\n}"), "fn f() {\n  a\n}\n");
}

TEST(VelaFormat, drops_semicolons_that_say_nothing) {
    EXPECT_EQ(formatted("a;\nb;;\n;c; d;"), "a\nb\nc; d\n");
    EXPECT_EQ(formatted("a\n  ;;; b"), "a\nb\n");
    EXPECT_EQ(formatted("fn f() { ; a; b; }"), "fn f() { a; b }\n");
}

TEST(VelaFormat, keeps_comments_where_they_are) {
    EXPECT_EQ(formatted("# head\n\n\n# next\na   # tail\n  # own\nb /* in */ + c\n# end"),
              "# head\n\n# next\na  # tail\n# own\nb /* in */ + c\n# end\n");
    EXPECT_EQ(formatted("fn f() { # why\n a\n # last\n}"), "fn f() {  # why\n  a\n  # last\n}\n");
    EXPECT_EQ(formatted("if a { b } # c\nelse { d }"), "if a { b }  # c\nelse { d }\n");
    EXPECT_EQ(formatted("# only"), "# only\n");
    EXPECT_EQ(formatted(""), "");
}

// To 30 columns.
std::string parted(const std::string& text) {
    const Source source("t.vela", text);
    Diagnostics diagnostics;
    const Tree tree = parse(source, diagnostics);
    EXPECT_FALSE(diagnostics.has_errors()) << report(diagnostics.sorted());
    return format(tree, {.columns_max = 30});
}

TEST(VelaFormat, parts_long_lines_at_their_outermost_brackets) {
    EXPECT_EQ(parted("total = add(first, second(a, b), third)"),
              "total = add(\n  first,\n  second(a, b),\n  third\n)\n");
    EXPECT_EQ(parted("names: List<String> = [\"one\", \"two\", \"three\"]"),
              "names: List<String> = [\n  \"one\",\n  \"two\",\n  \"three\"\n]\n");
    EXPECT_EQ(parted("fn sum(first: Number, second: Number) -> Number { return 1 }"),
              "fn sum(\n  first: Number,\n  second: Number\n) -> Number {\n  return 1\n}\n");
}

TEST(VelaFormat, parts_long_lines_at_blocks_chains_and_conditions) {
    EXPECT_EQ(parted("if isReady { begin(); go() } else { stop() }"),
              "if isReady {\n  begin()\n  go()\n} else {\n  stop()\n}\n");
    EXPECT_EQ(parted("x = users.filter(u => u.ok).map(u => u.id)"),
              "x = users\n  .filter(u => u.ok)\n  .map(u => u.id)\n");
    EXPECT_EQ(parted("ok = isFirst(a) && isSecond(b) || isThird(c)"),
              "ok = isFirst(a)\n  && isSecond(b)\n  || isThird(c)\n");
    EXPECT_EQ(parted("user = User { id: 17, name: \"a name\", age: 4 }"),
              "user = User {\n  id: 17,\n  name: \"a name\",\n  age: 4\n}\n");
    EXPECT_EQ(parted("theMessage = \"a text that is long\""),
              "theMessage =\n  \"a text that is long\"\n");
}

TEST(VelaFormat, leaves_long_strings_and_comments_whole) {
    const std::string text = "f(\n  \"a text of more than thirty columns: ${g(a, b)}\"\n)\n";
    EXPECT_EQ(parted("f(\"a text of more than thirty columns: ${g(a, b)}\")"), text);
    EXPECT_EQ(parted("a = b  # a comment that is longer than thirty columns"),
              "a = b  # a comment that is longer than thirty columns\n");
}

}  // namespace
}  // namespace gyre::vela
