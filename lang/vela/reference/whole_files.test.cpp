// SPDX-License-Identifier: Apache-2.0
// Execution of files: imports first, then main or one of its tests.
#include <map>

#include "lang/vela/reference/run_text.hpp"

namespace gyre::vela {
namespace {

TEST(VelaRun, files_run_after_those_they_import) {
    const std::map<std::string, std::string> files = {
        {"lib/b.vela",
         "import './c.vela' as c\nstate count = c.base + 1\n"
         "fn next() -> Number { count = count + 1; return count }\n"
         "enum Side { Left, Right }\n"},
        {"lib/c.vela", "base = 40\nfn twice(n: Number) -> Number { return n * 2 }\n"},
        {"a.vela",
         "import './lib/b.vela'\nimport './lib/c.vela' as c\n"
         "fn main() -> void { print(\"${next()} ${c.twice(count)} ${[Left, Side::Right]}\") }\n"}};
    SourceTable table(files);
    const auto program = check("a.vela", files.at("a.vela"), table);
    EXPECT_EQ(report(program->diagnostics.sorted()), "");
    EXPECT_EQ(evaluate(*program, "a.vela").output(), "42 84 [Left, Right]\n");
}

TEST(VelaRun, a_variable_of_another_file_is_changed_by_its_name_alone) {
    const std::map<std::string, std::string> files = {
        {"b.vela",
         "state count = 1\nstate name = \"b\"\nfn both() -> String { return "
         "\"${count} ${name}\" }\n"},
        {"a.vela",
         "import './b.vela'\n(count, other) = (5, 1)\n"
         "fn main() -> void {\n  print(both())\n  count = count + other\n  (name, own) = "
         "(\"a\", 2)\n  count += own\n  print(both())\n}\n"}};
    SourceTable table(files);
    const auto program = check("a.vela", files.at("a.vela"), table);
    EXPECT_EQ(report(program->diagnostics.sorted()), "");
    const Outcome outcome = evaluate(*program, "a.vela");
    EXPECT_EQ(outcome.output(), "5 b\n8 a\n");
    EXPECT_EQ(run_lowered(*lower(*program)).all(), outcome.all());
}

// Runs each `@test` function separately, from the tree and lowered.
std::string report_of_tests(const std::string& text) {
    SourceTable no_files;
    const auto program = check("a.vela", text, no_files);
    EXPECT_EQ(report(program->diagnostics.sorted()), "");
    const auto lowered = lower(*program);
    std::string told;
    int failed_count = 0;
    int count = 0;
    for (const Decl* node : program->order.back()->tree.declarations) {
        if (node->decorators.empty()) continue;
        RuntimeOptions options;
        options.entry = node->name.text;
        const Outcome outcome = evaluate(*program, "a.vela", options);
        EXPECT_EQ(run_lowered(*lowered, options).all(), outcome.all());
        const std::string name(node->name.text);
        const bool is_good = outcome.exit_code == 0;
        told += outcome.output();
        told += is_good ? "ok   " + name : "FAIL " + name + ": " + outcome.errors.at(0);
        told += "\n";
        ++count;
        failed_count += is_good ? 0 : 1;
    }
    return told + std::to_string(count - failed_count) + " passed, " +
           std::to_string(failed_count) + " failed\n";
}

TEST(VelaRun, test_functions_run_each_by_itself_and_assert_and_panic_fail_them) {
    EXPECT_EQ(report_of_tests(R"(
state runs = 0
async fn fetch(id: Number) -> Result<String, Error> {
  await sleep(1)
  runs += 1
  if id == 1 { return Ok("data") }
  return Err(Error("Not found"))
}
@test
async fn data_is_there() -> void {
  text = await fetch(1)?
  assert(text.length > 0, "no data")
  print("run ${runs}")
}
@test
async fn what_is_missing_is_told() -> void {
  match await fetch(2) {
    Ok(_) => panic("found")
    Err(e) => assert(e.message == "Not found")
  }
  print("run ${runs}")
}
@test
fn an_assertion_fails() { assert(1 > 2, "one is less") }
@test
async fn a_panic_fails() -> void {
  await sleep(1)
  panic("no way on")
}
@test
async fn never_ends() -> void { await Future.pending<Number>() }
fn main() -> void { print("not run") }
)"),
              "run 1\nok   data_is_there\nrun 1\nok   what_is_missing_is_told\n"
              "FAIL an_assertion_fails: Uncaught AssertionError: one is less\n"
              "FAIL a_panic_fails: Uncaught Error: no way on\n"
              "FAIL never_ends: deadlock: main waits on a Future that nothing can settle\n"
              "2 passed, 3 failed\n");
}

}  // namespace
}  // namespace gyre::vela
