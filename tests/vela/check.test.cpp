// SPDX-License-Identifier: Apache-2.0
// Checks whole programs and compares their diagnostics.
#include "lang/vela/check/check.hpp"

#include <map>
#include <set>

#include "lang/vela/check/internal/repeated_check.hpp"
#include "lang/vela/syntax/diagnostic.hpp"
#include "tests/vela/cases.hpp"

namespace gyre::vela {
namespace {

std::unique_ptr<Program> check_text(const std::string& name, const std::string& text) {
    SourceTable no_files;
    return check(name, text, no_files);
}

std::string places_of(const Program& program) {
    std::string result;
    for (const Diagnostic& diagnostic : program.diagnostics.sorted()) {
        const Position at = diagnostic.source->position(diagnostic.span.begin);
        if (!result.empty()) result += ", ";
        result += std::to_string(at.line) + ":" + std::to_string(at.column) + " ";
        result += diagnostic.code;
    }
    return result;
}

TEST(VelaCheck, says_of_each_wrong_program_what_and_where) {
    // clause: A03, A04, A35
    const std::vector<Case> cases = cases_of("errors");
    EXPECT_GE(cases.size(), 150U);
    std::set<std::string> names;
    for (const Case& wrong : cases) {
        EXPECT_TRUE(names.insert(wrong.name).second) << wrong.name << " is there twice";
        const auto program = check_text(wrong.name + ".vela", wrong.program);
        EXPECT_EQ(places_of(*program), wrong.places) << wrong.name;
        EXPECT_EQ(report(program->diagnostics.sorted()), wrong.report) << wrong.name;
    }
}

TEST(VelaCheck, says_nothing_of_right_programs) {
    // clause: A02
    const std::vector<Case> cases = cases_of("clean");
    EXPECT_GE(cases.size(), 100U);
    for (const Case& right : cases) {
        const auto program = check_text(right.name + ".vela", right.program);
        EXPECT_EQ(report(program->diagnostics.sorted()), "") << right.name;
    }
}

TEST(VelaCheck, a_repeated_check_says_what_a_new_one_says) {
    internal::RepeatedCheck checks;
    SourceTable no_files;
    const auto report_of = [&](const Case& one) {
        return report(checks.check(one.name + ".vela", one.program, no_files).diagnostics.sorted());
    };
    // Enough of them that the standard surface is made anew in between.
    std::size_t count = 0;
    for (int round = 0; round < 2; ++round) {
        for (const Case& wrong : cases_of("errors")) {
            EXPECT_EQ(report_of(wrong), wrong.report) << wrong.name;
            ++count;
        }
        for (const Case& right : cases_of("clean")) {
            EXPECT_EQ(report_of(right), "") << right.name;
            ++count;
        }
    }
    EXPECT_GE(count, 500U);
}

TEST(VelaCheck, the_programs_are_clean_or_begin_with_the_line_they_should) {
    // clause: A04
    for (const auto& path : files_of("programs")) {
        const auto program = check_text(path.filename(), read_text(path));
        // One of them has a statement that can never run.
        const bool is_clean = !program->diagnostics.has_errors();
        const std::string text = is_clean ? "" : report(program->diagnostics.sorted());
        auto wanted = path;
        wanted.replace_extension(".err");
        const bool is_wrong = std::filesystem::exists(wanted);
        EXPECT_EQ(text.substr(0, text.find('\n') + 1), is_wrong ? read_text(wanted) : "") << path;
    }
}

TEST(VelaCheck, the_code_of_the_seed_is_right_where_it_is_complete) {
    // clause: A29
    for (const auto& path : files_of("seed_complete")) {
        const auto program = check_text(path.filename(), read_text(path));
        EXPECT_EQ(report(program->diagnostics.sorted()), "") << path;
    }
}

TEST(VelaCheck, an_awaited_chain_and_what_makes_futures_have_the_types_they_should) {
    // clause: A29
    const std::string others =
        "struct User { name: String }\n"
        "async fn fetchData() -> String { ... }\n"
        "async fn getUser(id: Number) -> User { ... }\n"
        "async fn processUser(id: Number) -> Result<User, Error> { ... }\n"
        "async fn compute() -> Number { ... }\n";
    const auto is_right = [&](const std::string& type, const std::string& value) {
        const std::string text =
            "async fn main() -> void {\n  x: " + type + " = " + value + "\n}\n";
        return !check_text("a.vela", others + text)->diagnostics.has_errors();
    };
    const std::pair<const char*, const char*> expressions[] = {
        {"String", "await fetchData()"},
        {"String", "await getUser(123).map(u => u.name)"},
        {"Number", "(await compute()) + 10"},
        {"Result<User, Error>", "await processUser(1)"},
        {"User", "await processUser(1)?"},
        {"Future<Number>", "compute()"},
        {"Promise<Number>", "Promise<Number>()"},
        {"Future<String>", "Promise<String>().future()"},
        {"Future<Result<User, Error>>", "processUser(1)"},
    };
    for (const auto& [type, value] : expressions) {
        for (const auto& [other, _] : expressions) {
            EXPECT_EQ(is_right(other, value), std::string(other) == type)
                << other << " = " << value;
        }
    }
}

TEST(VelaCheck, the_programs_of_the_guide_are_clean_or_told_of_as_it_says) {
    const auto blocks = blocks_of(read_text(docs_folder() / "guide" / "vela.md"));
    int program_count = 0;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        if (blocks[i].first != "vela") continue;
        ++program_count;
        const auto program = check_text("guide.vela", blocks[i].second);
        const bool is_told = i + 1 < blocks.size() && blocks[i + 1].first == "text";
        EXPECT_EQ(report(program->diagnostics.sorted()), is_told ? blocks[i + 1].second : "")
            << blocks[i].second;
    }
    EXPECT_GE(program_count, 9);
}

TEST(VelaCheck, warns_of_unmarked_variables_only_where_that_is_asked_for) {
    const std::string text = "fn main() -> void {\n  x = 1\n  x = 2\n  state y = 1\n  y = 2\n}\n";
    EXPECT_EQ(places_of(*check_text("a.vela", text)), "");
    SourceTable no_files;
    CheckOptions options;
    options.is_strict = true;
    EXPECT_EQ(places_of(*check("a.vela", text, no_files, options)), "3:3 W0402");
    const std::string more =
        "limit = 1\nfn main() -> void {\n  x = 1\n  x += 1\n  (x, limit, y) = (1, 2, 3)\n"
        "  state z = 1\n  z += y\n}\n";
    EXPECT_EQ(places_of(*check("a.vela", more, no_files, options)),
              "4:3 W0402, 5:4 W0402, 5:7 W0402");
}

// Files by path; the first is checked.
std::string check_files(const std::map<std::string, std::string>& files, const std::string& first) {
    SourceTable table(files);
    const auto program = check(first, files.at(first), table);
    std::string result;
    for (const Diagnostic& diagnostic : program->diagnostics.sorted()) {
        const Position at = diagnostic.source->position(diagnostic.span.begin);
        result += diagnostic.source->name() + ":" + std::to_string(at.line) + ":";
        result += std::to_string(at.column) + " " + std::string(diagnostic.code) + " ";
        result += diagnostic.message + "\n";
    }
    return result;
}

TEST(VelaModules, names_of_an_imported_file_are_in_sight) {
    const std::string shapes =
        "struct Point { x: Number }\nenum Side { Left, Right }\nlimit = 5\n"
        "fn origin() -> Point { return Point(0) }\nprivate fn hidden() -> void { }\n";
    EXPECT_EQ(check_files({{"lib/shapes.vela", shapes},
                           {"lib/more.vela",
                            "import '../lib/shapes.vela'\n"
                            "fn two() -> Point { return origin() }\n"},
                           {"a.vela",
                            "import './lib/shapes.vela'\nimport './lib/more.vela'\n"
                            "fn f(s: Side) -> Number {\n  match s { Left => two().x, "
                            "Side::Right => limit + 1 }\n}\n"}},
                          "a.vela"),
              "");
    EXPECT_EQ(check_files({{"s.vela", shapes}, {"a.vela", "import './s.vela'\nx = hidden()\n"}},
                          "a.vela"),
              "a.vela:2:5 E0307 unknown name `hidden`\n");
}

TEST(VelaModules, what_is_private_is_so_behind_the_name_of_a_module_too) {
    const std::string lib =
        "private fn hidden() -> Number { return 1 }\nprivate struct Secret { n: Number }\n"
        "private enum Side { Left }\nstruct Point { x: Number }\n";
    EXPECT_EQ(check_files({{"l.vela", lib},
                           {"m.vela",
                            "import './l.vela' as l\nx = l.hidden()\nfn f(s: l::Secret) -> void { "
                            "}\np = l::Point { x: 1 }\nq: l::Point = p\ny = l.print(1)\n"}},
                          "m.vela"),
              "m.vela:2:7 E0307 unknown name `hidden`\n"
              "m.vela:3:12 E0307 unknown type `Secret`\n"
              "m.vela:6:7 E0307 unknown name `print`\n");
    EXPECT_EQ(check_files({{"l.vela", lib}, {"m.vela", "import './l.vela'\nx = Left\n"}}, "m.vela"),
              "m.vela:2:5 E0307 unknown name `Left`\n");
}

TEST(VelaModules, a_variable_of_an_imported_file_is_assigned_not_declared) {
    const std::string lib = "state count = 1\n";
    EXPECT_EQ(check_files({{"l.vela", lib},
                           {"m.vela",
                            "import './l.vela'\nfn f() -> void {\n  count = 2\n  count = \"x\"\n"
                            "  (count, a) = (\"y\", 1)\n}\n"}},
                          "m.vela"),
              "m.vela:4:11 E0303 expected Number, found String\n"
              "m.vela:5:17 E0303 expected Number, found String\n");
}

TEST(VelaModules, show_hide_and_as_choose_the_names) {
    const std::string lib = "fn a() -> Number { return 1 }\nfn bee() -> Number { return 2 }\n";
    EXPECT_EQ(check_files({{"l.vela", lib},
                           {"m.vela", "import './l.vela' show { a }\nx = a()\ny = bee()\n"}},
                          "m.vela"),
              "m.vela:3:5 E0307 unknown name `bee`\n");
    EXPECT_EQ(check_files({{"l.vela", lib},
                           {"m.vela", "import './l.vela' hide { a }\nx = bee()\ny = a()\n"}},
                          "m.vela"),
              "m.vela:3:5 E0307 unknown name `a`\n");
    EXPECT_EQ(
        check_files({{"l.vela", lib}, {"m.vela", "import './l.vela' as l\nx = l.a() + l::bee()\n"}},
                    "m.vela"),
        "");
    EXPECT_EQ(
        check_files({{"l.vela", lib}, {"m.vela", "import './l.vela' show { c }\n"}}, "m.vela"),
        "m.vela:1:26 E0307 unknown name `c`: ./l.vela declares none, or keeps it private\n");
}

TEST(VelaModules, a_circle_and_a_missing_file_are_errors_at_the_import) {
    EXPECT_EQ(check_files({{"a.vela", "import './b.vela'\n"}, {"b.vela", "import './a.vela'\n"}},
                          "a.vela"),
              "b.vela:1:8 E0314 files import each other in a circle: a.vela -> b.vela -> a.vela\n");
    EXPECT_EQ(check_files({{"a.vela", "import './a.vela'\n"}}, "a.vela"),
              "a.vela:1:8 E0314 files import each other in a circle: a.vela -> a.vela\n");
    EXPECT_EQ(check_files({{"a.vela", "import './none.vela'\nimport 'system:http'\n"}}, "a.vela"),
              "a.vela:1:8 E0314 cannot import: none.vela: there is none\n");
    EXPECT_EQ(check_files({{"a.vela", "import './b.vela'\n"}, {"b.vela", "fn f( {\n"}}, "a.vela"),
              "b.vela:1:7 E0201 expected a parameter, found `{`\n");
}

TEST(VelaCheck, many_things_inside_one_another_are_no_trouble) {
    std::string sum = "x = 1";
    std::string calls = "fn f(n: Number) -> Number { return n }\ny = ";
    std::string branches = "fn g(n: Number) -> Number {\n  ";
    for (int i = 0; i < 999; ++i) sum += "+1";
    for (int i = 0; i < 200; ++i) calls += "f(";
    calls += "1" + std::string(200, ')');
    for (int i = 0; i < 200; ++i) branches += "if n == " + std::to_string(i) + " { 1 } else ";
    branches += "{ 2 }\n}\n";
    std::string ends = "struct P { x: Number }\nclass C {\n  at: P\n  constructor() { ";
    for (int i = 0; i < 60; ++i) ends += "try { print(1) } finally { ";
    ends += "this.at = P(1)" + std::string(60, '}') + " }\n}\n";
    EXPECT_EQ(places_of(*check_text("a.vela", sum + "\n" + calls + "\n" + branches + ends)), "");
}

TEST(VelaCheck, types_that_double_with_every_line_are_no_trouble) {
    std::string known_pairs = "fn f() -> void {\n  x0 = (1, 2)\n";
    std::string open_pairs = "fn f() -> void {\n  x0 = ([], [])\n";
    std::string aliases = "type A0 = Number\n";
    std::string generic = "type A0<T> = T\n";
    for (int i = 1; i < 60; ++i) {
        const std::string now = std::to_string(i);
        const std::string before = std::to_string(i - 1);
        const std::string pair = "  x" + now + " = (x" + before + ", x" + before + ")\n";
        known_pairs += pair;
        open_pairs += pair;
        aliases += "type A" + now + " = (A" + before + ", A" + before + ")\n";
        generic += "type A" + now + "<T> = (A" + before + "<T>, A" + before + "<T>)\n";
    }
    known_pairs += "  print(x59)\n  print(x59 == x58)\n}\n";
    EXPECT_EQ(places_of(*check_text("a.vela", known_pairs)), "63:16 E0303");
    static_cast<void>(check_text("a.vela", open_pairs + "  print(x59)\n}\n"));
    for (const std::string& text : {aliases + "fn g(a: A59) -> void { print(a) }\n",
                                    generic + "fn g(a: A59<Number>) -> void { print(a) }\n"}) {
        EXPECT_TRUE(check_text("a.vela", text)->diagnostics.has_errors());
    }
    EXPECT_EQ(places_of(*check_text("a.vela", "type A = (A, A, A, A)\nfn f(a: A) -> void { }\n")),
              "1:6 E0315");
}

}  // namespace
}  // namespace gyre::vela
