// SPDX-License-Identifier: Apache-2.0
#include "lang/vela/syntax/parser.hpp"

#include "lang/vela/syntax/syntax_texts.test.hpp"

namespace gyre::vela {
namespace {

// Expects two texts to have the same tree.
void expect_same(const std::string& text, const std::string& other) {
    std::string grouped = tree_of(text);
    std::string plain = tree_of(other);
    EXPECT_EQ(grouped, plain) << text;
}
// Like expect_same; `other` makes the precedence of `text` explicit with parentheses.
void expect_grouping(const std::string& text, const std::string& other) {
    const auto without_groups = [](std::string tree) {
        for (std::size_t at; (at = tree.find("(group ")) != std::string::npos;) {
            std::size_t end = at + 1;
            for (int depth = 1; depth > 0; ++end) {
                if (tree[end] == '(') ++depth;
                if (tree[end] == ')') --depth;
            }
            tree.erase(end - 1, 1);
            tree.erase(at, 7);
        }
        return tree;
    };
    EXPECT_EQ(tree_of(text), without_groups(tree_of(other))) << text;
}

TEST(VelaParser, operators_bind_as_the_table_says) {
    expect_grouping("x = a || b && c ?? d == e < f .. g + h * i ** -j",
                    "x = a || (b && (c ?? (d == (e < (f .. (g + (h * (i ** (-j)))))))))");
    expect_grouping("x = a - b - c", "x = (a - b) - c");
    expect_grouping("x = a ** b ** c", "x = a ** (b ** c)");
    expect_grouping("x = !a.b()", "x = !(a.b())");
}

TEST(VelaParser, await_takes_the_whole_chain_up_to_the_first_question_mark) {
    // clause: A29
    expect_grouping("x = await a.b().c(d)", "x = await (a.b().c(d))");
    expect_grouping("x = await a + 1", "x = (await a) + 1");
    expect_grouping("x = await f()?", "x = (await f())?");
    expect_grouping("x = await f()?.g", "x = (await f())?.g");
    expect_grouping("x = await await f()", "x = await (await f())");
    EXPECT_NE(tree_of("x = await f()?"), tree_of("x = await (f()?)"));
}

TEST(VelaParser, async_functions_parse_as_the_grammar_says) {
    // clause: A01
    EXPECT_EQ(tree_of("async fn f(a: Number, b: String) -> Result<User, Error> { await g(a) }"),
              "(fn f async (param a (type Number)) (param b (type String)) "
              "(type Result (type User) (type Error)) (block (await (call (name g) (name a)))))\n");
    EXPECT_EQ(tree_of("fn f() { }"), "(fn f (block))\n");
    expect_same("fn f(): Number { 1 }", "fn f() -> Number { 1 }");
}

TEST(VelaParser, a_line_goes_on_where_it_cannot_end) {
    expect_same("x = a +\n b", "x = a + b");
    expect_same("x = a\n  + b", "x = a + b");
    expect_same("x = a\n  .b()\n  ?.c", "x = a.b()?.c");
    expect_same("x =\n a", "x = a");
    expect_same("f(a\n - b,\n c\n)", "f(a - b, c)");
    expect_same("x = y => \n y", "x = y => y");
    EXPECT_NE(tree_of("x = a\n- b"), tree_of("x = a - b"));
    EXPECT_NE(tree_of("x = a\n(b)"), tree_of("x = a(b)"));
    EXPECT_NE(tree_of("x = a\n[b]"), tree_of("x = a[b]"));
    // In a block inside brackets line ends are significant again.
    EXPECT_NE(tree_of("f(() => { a\n- b })"), tree_of("f(() => { a - b })"));
    expect_same("a; b", "a\nb");
}

TEST(VelaParser, braces_are_a_block_a_map_or_a_struct_by_their_place) {
    EXPECT_EQ(tree_of("x = {}"), "(assign = (name x) (map))\n");
    EXPECT_EQ(tree_of("fn f() { { } }"), "(fn f (block (block)))\n");
    EXPECT_EQ(tree_of("x = {\"k\": 1,}"), "(assign = (name x) (map (string 'k') (int 1)))\n");
    EXPECT_EQ(tree_of("x = User { id: 1, name }"),
              "(assign = (name x) (new (type User) id (int 1) name))\n");
    EXPECT_EQ(tree_of("if User { id }"), "(if (name User) (block (name id)))\n");
    EXPECT_EQ(tree_of("if (User { id }).ok { }"),
              "(if (member . (group (new (type User) id)) ok) (block))\n");
}

TEST(VelaParser, angle_brackets_are_type_arguments_only_before_a_call_or_a_path) {
    EXPECT_EQ(tree_of("x = Promise<Number>()"),
              "(assign = (name x) (call (name Promise (type Number))))\n");
    EXPECT_EQ(tree_of("x = A<B<C>>::new()"),
              "(assign = (name x) (call (member :: (name A (type B (type C))) new)))\n");
    EXPECT_EQ(tree_of("x = a < b"), "(assign = (name x) (binary < (name a) (name b)))\n");
    EXPECT_EQ(tree_of("x = A < B"), "(assign = (name x) (binary < (name A) (name B)))\n");
}

TEST(VelaParser, contextual_words_are_names_where_they_are_not_words) {
    EXPECT_EQ(tree_of("actor = spawn(scope)"),
              "(assign = (name actor) (call (name spawn) (name scope)))\n");
    EXPECT_EQ(tree_of("state = type"), "(assign = (name state) (name type))\n");
    EXPECT_EQ(tree_of("state x = 1"), "(var state x (int 1))\n");
    EXPECT_EQ(tree_of("class C { state: Number, state y: Number }"),
              "(class C (field state (type Number)) (field y state (type Number)))\n");
    EXPECT_EQ(tree_of("f.catch(e => e)"),
              "(call (member . (name f) catch) (lambda (param e) (name e)))\n");
}

TEST(VelaParser, patterns_bind_match_and_alternate) {
    EXPECT_EQ(tree_of("match x { 1 | -2 => a, Some((y, _)) if y > 0 => b\n E::V => c }"),
              "(match (name x) (arm (or (literal (int 1)) (literal (unary - (int 2)))) (name a)) "
              "(arm (variant Some parens (tuple parens (bind y) (_))) (binary > (name y) (int 0)) "
              "(name b)) (arm (variant E V) (name c)))\n");
    EXPECT_EQ(
        tree_of("match x { y if ready => a\n z if (ok) => b }"),
        "(match (name x) (arm (bind y) (name ready) (name a)) (arm (bind z) (group (name ok)) "
        "(name b)))\n");
}

TEST(VelaParser, nothing_need_stand_between_declarations_members_and_closed_arms) {
    expect_same("struct A { x: Number y: Number } enum E { B C }",
                "struct A {\n  x: Number\n  y: Number\n}\nenum E { B, C }");
    expect_same("class C { fn f() { } fn g() { } }", "class C {\n  fn f() { }\n  fn g() { }\n}");
    expect_same("match x { 1 => { a } _ => { b } }", "match x {\n  1 => { a }\n  _ => { b }\n}");
}

TEST(VelaParser, an_ellipsis_stands_for_what_is_left_out) {
    // clause: A29
    EXPECT_EQ(tree_of("async fn fetchData() -> Future<String> { ... }"),
              "(fn fetchData async (type Future (type String)) (block (...)))\n");
}

TEST(VelaParser, an_error_is_reported_once_and_the_next_statement_is_read) {
    EXPECT_EQ(errors_of("fn f() {\n  x = await +\n  y = )\n  z = 1 2\n}\nfn g( { }\n"),
              "2:13 E0201 expected an expression, found `+`\n"
              "3:7 E0201 expected an expression, found `)`\n"
              "4:9 E0201 expected a new line or `;` after the statement, found `2`\n"
              "6:7 E0201 expected a parameter, found `{`\n");
    EXPECT_EQ(errors_of("x = f(1, +,\n  2)\ny = 1\n"),
              "1:10 E0201 expected an expression, found `+`\n");
    EXPECT_EQ(errors_of("fn f() {\n  g(() => {\n    x = *\n  })\n  y = /\n}\n"),
              "3:9 E0201 expected an expression, found `*`\n"
              "5:7 E0201 expected an expression, found `/`\n");
    EXPECT_EQ(errors_of("match x {\n  1 = a\n  2 => b\n  3 c\n}\n"),
              "2:5 E0201 expected `=>`, found `=`\n4:5 E0201 expected `=>`, found `c`\n");
    EXPECT_EQ(errors_of("struct S {\n  a Number\n  b: String\n  c: \n}\nx = }\n"),
              "2:5 E0201 expected `:` and a type, found `Number`\n"
              "5:1 E0201 expected a type, found `}`\n"
              "6:5 E0201 expected an expression, found `}`\n");
}

TEST(VelaParser, an_await_without_operand_says_what_it_found) {
    EXPECT_EQ(errors_of("async fn main() -> void {\n  x = await\n}\n"),
              "3:1 E0201 expected an expression, found `}`\n");
}

TEST(VelaParser, says_what_cannot_stand_where_it_stands) {
    EXPECT_EQ(errors_of("f() = 1"), "1:1 E0201 this cannot be assigned to\n");
    EXPECT_EQ(errors_of("let match = 1"),
              "1:5 E0201 expected a name, found `match`, which is a reserved word\n");
    EXPECT_EQ(errors_of("x = 1..2..3"),
              "1:9 E0201 a range of ranges has no meaning; use parentheses\n");
    EXPECT_EQ(errors_of("try { }"),
              "1:8 E0201 expected `catch` or `finally`, found the end of the file\n");
    EXPECT_EQ(errors_of("fn f() {\n  x\n"), "3:1 E0201 expected `}`, found the end of the file\n");
    EXPECT_EQ(errors_of("}"), "1:1 E0201 expected a declaration, found `}`\n");
    EXPECT_EQ(errors_of("interface I { x: Number }"), "1:15 E0201 expected `fn`, found `x`\n");
    EXPECT_EQ(errors_of("async 1"),
              "1:7 E0201 expected `fn`, a block or a lambda after `async`, found `1`\n");
}

TEST(VelaParser, ten_thousand_brackets_are_one_error_that_names_the_limit) {
    for (const char* opening : {"(", "[", "{1: ", "f(", "-", "await ", "x => ", "a[", "async {"}) {
        std::string text = "x = ";
        for (int i = 0; i < 10'000; ++i) text += opening;
        const std::string errors = errors_of(text);
        EXPECT_NE(errors.find("the limit on nesting is 256"), std::string::npos) << opening;
        EXPECT_EQ(std::count(errors.begin(), errors.end(), '\n'), 1) << opening;
    }
}

TEST(VelaParser, a_megabyte_on_one_line_is_one_error_that_names_the_limit) {
    for (const char* link : {"+a", ".a", "()", "[a]"}) {
        std::string text = "x = a";
        while (text.size() < 1'000'000) text += link;
        const std::string errors = errors_of(text);
        EXPECT_NE(errors.find("the limit on one expression is 1000"), std::string::npos) << link;
        EXPECT_EQ(std::count(errors.begin(), errors.end(), '\n'), 1) << link;
    }
    EXPECT_EQ(errors_of(std::string(1'000'000, 'a')),
              "1:1 E0101 a token of 1000000 bytes; the limit on token length is 65536\n");
}

TEST(VelaParser, tells_no_more_than_a_hundred_errors) {
    std::string text;
    for (int i = 0; i < 1'000; ++i) text += "x = )\n";
    const std::string errors = errors_of(text);
    EXPECT_EQ(std::count(errors.begin(), errors.end(), '\n'), 100);
}

}  // namespace
}  // namespace gyre::vela
