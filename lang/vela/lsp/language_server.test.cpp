// SPDX-License-Identifier: Apache-2.0
#include "lang/vela/lsp/language_server.hpp"

#include <gtest/gtest.h>

#include <string>

#include "lang/vela/lsp/editor.test.hpp"

namespace gyre::vela {
namespace {

const char* const shop = R"(# An item that is for sale.
struct Item { name: String, price: Number }

# The sum of all prices.
fn total(items: List<Item>) -> Number {
  sum = 0
  for item in items { sum = sum + item.price }
  return sum
}

fn main() -> void {
  items = [Item("tea", 3), Item { name: "cup", price: 7 }]
  print(total(items))
}
)";

class LanguageServerTest : public testing::Test {
protected:
    void SetUp() override { editor.start(); }
    // The document with `|` at the n-th occurrence of a text.
    void open_at(const std::string& text, const std::string& before,
                 const std::string& path = "/w/a.vela") {
        const std::size_t at = text.find(before);
        ASSERT_NE(at, std::string::npos) << before;
        editor.open(path, std::string(text).insert(at + before.size(), "|"));
    }
    std::string hover_text() {
        const Json hover = editor.ask("textDocument/hover", editor.at_place("/w/a.vela"));
        return hover.is_null() ? "" : hover["contents"]["value"].get<std::string>();
    }
    std::vector<std::string> completion() {
        return editor.labels(editor.ask("textDocument/completion", editor.at_place("/w/a.vela")));
    }
    Json rename(const std::string& name) {
        Json params = editor.at_place("/w/a.vela");
        params["newName"] = name;
        return editor.call("textDocument/rename", params);
    }
    // The document after a renaming that is not refused.
    std::string renamed(const std::string& name, const std::string& path = "/w/a.vela") {
        const Json answer = rename(name);
        EXPECT_TRUE(answer.contains("result")) << answer.dump();
        if (!answer.contains("result")) return {};
        return editor.edited(path, answer["result"]["changes"]["file://" + path]);
    }
    std::string refusal(const std::string& name) {
        const Json answer = rename(name);
        return answer.contains("error") ? answer["error"]["message"].get<std::string>() : "";
    }
    Editor editor;
};

TEST_F(LanguageServerTest, publishes_diagnostics_with_code_and_related_notes) {
    editor.open("/w/a.vela", "fn f(n: Number) -> void { }\nfn main() -> void { f(1, 2) }\n");
    const Json list = editor.diagnostics("/w/a.vela");
    ASSERT_EQ(list.size(), 1U);
    EXPECT_EQ(list[0]["code"], "E0303");
    EXPECT_EQ(list[0]["severity"], 1);
    EXPECT_EQ(list[0]["range"]["start"]["line"], 1);
    const Json related = list[0]["relatedInformation"];
    ASSERT_EQ(related.size(), 1U);
    EXPECT_EQ(related[0]["message"], "declared here");
    EXPECT_EQ(editor.text_in("/w/a.vela", related[0]["location"]["range"]), "f");
}

TEST_F(LanguageServerTest, a_change_replaces_a_range_and_a_burst_costs_one_publication) {
    editor.open("/w/a.vela", "fn main() -> void { print(x) }\n");
    editor.notify("textDocument/didChange",
                  {{"textDocument", {{"uri", "file:///w/a.vela"}, {"version", 2}}},
                   {"contentChanges",
                    {{{"range",
                       {{"start", {{"line", 0}, {"character", 26}}},
                        {"end", {{"line", 0}, {"character", 27}}}}},
                      {"text", "yy"}},
                     {{"range",
                       {{"start", {{"line", 0}, {"character", 26}}},
                        {"end", {{"line", 0}, {"character", 28}}}}},
                      {"text", "1"}}}}});
    EXPECT_EQ(editor.diagnostics("/w/a.vela"), Json::array());
    ASSERT_EQ(editor.notifications.size(), 1U);
    EXPECT_EQ(editor.notifications[0]["params"]["version"], 2);
}

TEST_F(LanguageServerTest, positions_count_utf16_units_unless_bytes_are_agreed) {
    // The smiley is two units and four bytes.
    editor.open("/w/a.vela", "fn main() -> void { print(\"\xF0\x9F\x98\x80 ${x}\") }\n");
    EXPECT_EQ(editor.diagnostics("/w/a.vela")[0]["range"]["start"]["character"], 32);
    Editor other;
    other.ask("initialize",
              {{"capabilities", {{"general", {{"positionEncodings", {"utf-8", "utf-16"}}}}}}});
    other.open("/w/a.vela", "fn main() -> void { print(\"\xF0\x9F\x98\x80 ${x}\") }\n");
    EXPECT_EQ(other.diagnostics("/w/a.vela")[0]["range"]["start"]["character"], 34);
}

TEST_F(LanguageServerTest, syntax_errors_hide_their_consequences_and_the_rest_keeps_its_types) {
    open_at("fn broken( {\n}\nfn main() -> void {\n  n = 1\n  print(n)\n  x = broken()\n}\n",
            "print(");
    for (const Json& diagnostic : editor.diagnostics("/w/a.vela")) {
        EXPECT_EQ(diagnostic["code"].get<std::string>().substr(0, 3), "E02");
    }
    EXPECT_TRUE(has(hover_text(), "n: Number"));
}

TEST_F(LanguageServerTest, hover_shows_types_and_doc_comments) {
    open_at(shop, "print(tot");
    EXPECT_EQ(hover_text(),
              "```vela\nfn total(items: List<Item>) -> Number\n```\n\nThe sum of all prices.");
    open_at(shop, "+ item.pr");
    EXPECT_TRUE(has(hover_text(), "Item.price: Number"));
    open_at(shop, "[It");
    EXPECT_EQ(hover_text(), "```vela\nstruct Item\n```\n\nAn item that is for sale.");
    open_at(shop, "total(it");
    EXPECT_TRUE(has(hover_text(), "items: List<Item>"));
    open_at(shop, "  pr");
    EXPECT_TRUE(has(hover_text(), "fn print<T>"));
}

TEST_F(LanguageServerTest, hover_shows_the_type_as_it_is_at_the_place) {
    open_at("struct Pair<T> { left: T }\nfn main() -> void {\n  p = Pair(1)\n  print(p.left)\n}\n",
            "p.l");
    EXPECT_TRUE(has(hover_text(), "Pair.left: Number"));
}

TEST_F(LanguageServerTest, definition_goes_to_other_files_and_not_into_the_standard_surface) {
    editor.files.texts["/w/lib.vela"] = "fn one() -> Number { 1 }\n";
    open_at("import './lib.vela'\nfn main() -> void { print(one()) }\n", "print(o");
    const Json found = editor.ask("textDocument/definition", editor.at_place("/w/a.vela"));
    EXPECT_EQ(found["uri"], "file:///w/lib.vela");
    EXPECT_EQ(found["range"]["start"]["character"], 3);
    open_at("fn main() -> void { print(1) }\n", "{ pr");
    EXPECT_TRUE(editor.ask("textDocument/definition", editor.at_place("/w/a.vela")).is_null());
}

TEST_F(LanguageServerTest, references_are_found_in_the_workspace) {
    editor.files.texts["/w/b.vela"] =
        "import './a.vela'\nfn other() -> Number { return total([]) }\n";
    open_at(shop, "fn to");
    Json params = editor.at_place("/w/a.vela");
    params["context"] = {{"includeDeclaration", true}};
    EXPECT_EQ(editor.ask("textDocument/references", params).size(), 3U);
    params["context"] = {{"includeDeclaration", false}};
    EXPECT_EQ(editor.ask("textDocument/references", params).size(), 2U);
}

TEST_F(LanguageServerTest, rename_changes_every_use_in_every_file) {
    editor.files.texts["/w/b.vela"] =
        "import './a.vela' show { total }\nfn other() -> Number { return total([]) }\n";
    open_at(shop, "fn to");
    const Json changes = rename("sumOf")["result"]["changes"];
    EXPECT_EQ(changes["file:///w/a.vela"].size(), 2U);
    EXPECT_EQ(changes["file:///w/b.vela"].size(), 2U);
    const std::string text = editor.edited("/w/a.vela", changes["file:///w/a.vela"]);
    EXPECT_TRUE(has(text, "fn sumOf(items"));
    EXPECT_TRUE(has(text, "print(sumOf(items))"));
}

TEST_F(LanguageServerTest, rename_of_fields_locals_variants_and_type_parameters) {
    open_at(shop, "Item { name: String, pri");
    EXPECT_TRUE(has(renamed("cost"), "item.cost"));
    open_at(shop, "+ it");
    EXPECT_TRUE(has(renamed("each"), "for each in items { sum = sum + each.price }"));
    open_at("enum E { A(Number), B }\nfn f(e: E) -> Number {\n  match e { A(n) => n, B => 0 }\n}\n",
            "{ A");
    EXPECT_TRUE(has(renamed("First"), "match e { First(n) => n"));
    open_at("fn same<T>(value: T) -> T { return value }\n", "<T");
    EXPECT_EQ(renamed("V"), "fn same<V>(value: V) -> V { return value }\n");
}

TEST_F(LanguageServerTest, rename_writes_a_shorthand_out) {
    const std::string text =
        "struct P { id: Number }\nfn f() -> P {\n  id = 1\n  return P { id }\n}\n";
    open_at(text, "  id");
    EXPECT_TRUE(has(renamed("key"), "key = 1\n  return P { id: key }"));
    open_at(text, "P { id");
    EXPECT_TRUE(has(renamed("key"), "struct P { key: Number }"));
    EXPECT_TRUE(has(renamed("key"), "return P { key: id }"));
}

TEST_F(LanguageServerTest, rename_refuses_what_is_not_the_users_or_would_clash) {
    open_at(shop, "  pri");
    EXPECT_TRUE(has(refusal("show2"), "standard surface"));
    open_at(shop, "fn to");
    EXPECT_TRUE(has(refusal("main"), "would clash"));
    EXPECT_TRUE(has(refusal("while"), "is not a name"));
    EXPECT_TRUE(has(refusal("a b"), "is not a name"));
    EXPECT_TRUE(has(refusal(""), "is not a name"));
    // The new name would capture another variable.
    open_at("fn f() -> Number {\n  a = 1\n  b = 2\n  return a + b\n}\n", "  b");
    EXPECT_TRUE(has(refusal("a"), "would clash"));
    open_at(shop, "# An");
    EXPECT_TRUE(has(refusal("x"), "no name here"));
}

TEST_F(LanguageServerTest, completes_members_after_a_dot_in_an_unfinished_line) {
    open_at("struct Item { name: String }\nfn f(item: Item) -> void {\n  print(item.\n}\n",
            "item.");
    EXPECT_EQ(completion(), (Words{"name"}));
    open_at("fn f() -> void {\n  \"text\".le\n}\n", ".le");
    EXPECT_TRUE(has_all(completion(), {"length", "split", "trim"}));
    open_at("async fn f() -> void {\n  x = Future.\n}\n", "Future.");
    EXPECT_TRUE(has_all(completion(), {"all", "race", "timeout"}));
    open_at("enum Colour { Red, Green }\nfn f() -> void {\n  c = Colour.\n}\n", "Colour.");
    EXPECT_EQ(completion(), (Words{"Green", "Red"}));
}

TEST_F(LanguageServerTest, completes_names_in_scope_types_and_keywords) {
    const std::string text =
        "struct Item { name: String }\nfn f(first: Number) -> void {\n  second = 1\n  \n"
        "  third = 2\n}\n";
    open_at(text, "second = 1\n  ");
    EXPECT_TRUE(has_all(completion(), {"first", "second", "f", "Item", "print", "while", "Some"}));
    EXPECT_FALSE(has_all(completion(), {"third"}));
    open_at("struct Item { name: String }\nfn f(x: I) -> void { }\n", "x: I");
    EXPECT_TRUE(has_all(completion(), {"Item", "Number", "List"}));
    EXPECT_FALSE(has_all(completion(), {"f"}));
    open_at("enum E { One, Two }\nfn f(e: E) -> void {\n  match e {\n    O => print(1)\n  }\n}\n",
            "    O");
    EXPECT_EQ(completion(), (Words{"One", "Two"}));
}

TEST_F(LanguageServerTest, completes_imports_and_nothing_in_comments_and_strings) {
    editor.files.texts["/w/lib.vela"] = "fn one() -> Number { 1 }\n";
    open_at("import 's\nfn main() -> void { }\n", "import 's");
    EXPECT_TRUE(has_all(completion(), {"system:fs", "./lib.vela"}));
    open_at("# a comm\nfn main() -> void { }\n", "# a comm");
    EXPECT_EQ(completion(), (Words{}));
    open_at("fn main() -> void { print(\"a \") }\n", "\"a");
    EXPECT_EQ(completion(), (Words{}));
}

TEST_F(LanguageServerTest, outlines_a_document) {
    editor.open("/w/a.vela",
                "class A {\n  n: Number\n  fn f(self) -> void { }\n}\nenum E { X }\nlimit = 3\n");
    const Json list = editor.ask("textDocument/documentSymbol",
                                 {{"textDocument", {{"uri", "file:///w/a.vela"}}}});
    ASSERT_EQ(list.size(), 3U);
    EXPECT_EQ(list[0]["name"], "A");
    EXPECT_EQ(list[0]["children"][1]["name"], "f");
    EXPECT_EQ(list[1]["children"][0]["name"], "X");
    EXPECT_EQ(list[2]["name"], "limit");
}

TEST_F(LanguageServerTest, formats_whole_documents_and_leaves_broken_ones) {
    const Json params = {{"textDocument", {{"uri", "file:///w/a.vela"}}},
                         {"options", {{"tabSize", 2}, {"insertSpaces", true}}}};
    editor.open("/w/a.vela", "fn main() -> void {\nprint( 1 )\n}\n");
    const Json edits = editor.ask("textDocument/formatting", params);
    ASSERT_EQ(edits.size(), 1U);
    EXPECT_EQ(edits[0]["newText"], "fn main() -> void {\n  print(1)\n}\n");
    editor.open("/w/a.vela", "fn main( {\n");
    EXPECT_TRUE(editor.ask("textDocument/formatting", params).is_null());
}

TEST_F(LanguageServerTest, offers_the_fixes_of_the_checker) {
    const std::string text =
        "async fn f() -> String { return \"\" }\nasync fn main() -> void {\n  s: String = f()\n}\n";
    open_at(text, "= f");
    const Json at = editor.at_place("/w/a.vela");
    const Json actions = editor.ask(
        "textDocument/codeAction", {{"textDocument", at["textDocument"]},
                                    {"range", {{"start", at["position"]}, {"end", at["position"]}}},
                                    {"context", {{"diagnostics", Json::array()}}}});
    ASSERT_EQ(actions.size(), 1U);
    EXPECT_EQ(actions[0]["title"], "put `await` before it");
    EXPECT_TRUE(has(editor.edited("/w/a.vela", actions[0]["edit"]["changes"]["file:///w/a.vela"]),
                    "s: String = await f()"));
}

}  // namespace
}  // namespace gyre::vela
