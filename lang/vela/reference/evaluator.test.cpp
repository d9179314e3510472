// SPDX-License-Identifier: Apache-2.0
// The reference evaluator: programs and their expected output.
#include "lang/vela/reference/evaluator.hpp"

#include <map>

#include "lang/vela/reference/run_text.hpp"
#include "tests/vela/cases.hpp"

namespace gyre::vela {
namespace {

bool needs_sockets(const std::string& text) {
    return text.find("HttpServer") != std::string::npos ||
           text.find("httpClient") != std::string::npos;
}

int exit_code_of(const std::string& program) {
    std::ifstream file(std::filesystem::path(VELA_FILES) / "programs" / "exit_codes.txt");
    std::string name;
    int code = 0;
    while (file >> name >> code) {
        if (name == program) return code;
    }
    ADD_FAILURE() << program << " has no exit code";
    return -1;
}

TEST(VelaRun, the_programs_print_exactly_what_they_should) {
    int run_count = 0;
    std::vector<std::string> skipped;
    for (const auto& path : files_of("programs")) {
        auto wanted = path;
        wanted.replace_extension(".out");
        if (!std::filesystem::exists(wanted)) continue;
        const std::string text = read_text(path);
        const std::string name = path.filename().string();
        if (needs_sockets(text)) {
            skipped.push_back(name + ": needs sockets");
            continue;
        }
        const Outcome outcome = run_text(text);
        EXPECT_EQ(outcome.output(), read_text(wanted)) << name;
        wanted.replace_extension(".stderr");
        std::string errors;
        for (const std::string& line : outcome.errors) errors += line + '\n';
        EXPECT_EQ(errors, std::filesystem::exists(wanted) ? read_text(wanted) : "") << name;
        EXPECT_EQ(outcome.exit_code, exit_code_of(name)) << name;
        ++run_count;
    }
    EXPECT_EQ(skipped, std::vector<std::string>{"13_http.vela: needs sockets"});
    EXPECT_GE(run_count, 7);
}

TEST(VelaRun, the_clean_programs_and_the_seeds_run_without_an_internal_error) {
    std::vector<std::pair<std::string, std::string>> programs;
    for (const Case& right : cases_of("clean")) programs.emplace_back(right.name, right.program);
    for (const auto& path : files_of("seed_complete")) {
        programs.emplace_back(path.filename().string(), read_text(path));
    }
    int main_count = 0;
    std::vector<std::string> skipped;
    for (const auto& [name, text] : programs) {
        if (text.find("fn main()") == std::string::npos) continue;
        if (needs_sockets(text)) {
            skipped.push_back(name);
            continue;
        }
        SCOPED_TRACE(name);
        run_text(text);
        ++main_count;
    }
    EXPECT_EQ(skipped, (std::vector<std::string>{"a_server_and_its_routes", "12_1.vela"}));
    EXPECT_GE(main_count, 50);
}

TEST(VelaRun, values_print_as_the_language_says) {
    EXPECT_EQ(output_of(R"(struct User { id: Number, name: String }
class Dog { age: Number = 3 }
class DbError extends Error { }
fn main() -> void {
  print((1, "a")); print([1, 2]); print({"k": 1}); print(Some("x")); print(User(1, "Ana"))
  print(20.0); print(1e30); print(0.1 + 0.2); print(Err(DbError("locked"))); print(print(7))
  s: Set<Number> = [2, 1, 2]
  print("${s} ${Dog()} ${[NetworkError("")]} ${"in \"quotes\""} ${["in \"quotes\""]}")
  print("é€".length)
}
)"),
              "(1, \"a\")\n[1, 2]\n{\"k\": 1}\nSome(\"x\")\nUser { id: 1, name: \"Ana\" }\n20.0\n"
              "1e+30\n0.30000000000000004\nErr(DbError: locked)\n7\n()\n"
              "{2, 1} Dog { age: 3 } [NetworkError] in \"quotes\" [\"in \\\"quotes\\\"\"]\n2\n");
}

TEST(VelaRun, numbers_are_checked_and_floats_are_not) {
    EXPECT_EQ(output_of_main(R"(
  big = 9223372036854775807
  try { print(big + 1) } catch (e: Error) { print(e) }
  try { print(-9223372036854775808 / -1) } catch (e: Error) { print(e) }
  try { print(1 % 0) } catch (e: Error) { print(e) }
  try { print(3 ** 50) } catch (e: Error) { print(e) }
  try { print([1][1]) } catch (e: Error) { print(e) }
  print("${-7 / 2} ${-7 % 2} ${2 ** 10} ${1 / 2.0} ${1.0 / 0} ${1 == 1.0} ${0x2A + 0b101}"))"),
              "OverflowError: Number overflow\nOverflowError: Number overflow\n"
              "Error: Division by zero\n"
              "OverflowError: Number overflow\nError: Index 1 is out of range\n"
              "-3 -1 1024 0.5 inf true 47\n");
}

TEST(VelaRun, a_struct_is_a_value_and_a_class_is_not) {
    EXPECT_EQ(output_of(R"(struct P { x: Number }
class C { x: Number }
fn change(p: P, c: C) -> void { p.x = 9; c.x = 9 }
fn main() -> void {
  p = P(1); q = p; q.x = 2
  c = C(1); d = c; d.x = 2
  change(p, c)
  list = [p]; list[0].x = 5
  print("${p} ${q} ${list} ${c} ${p == P(1)} ${c == C(9)} ${c == d}")
}
)"),
              "P { x: 1 } P { x: 2 } [P { x: 5 }] C { x: 9 } true false true\n");
}

TEST(VelaRun, names_are_assigned_where_they_are_in_sight_and_declared_elsewhere) {
    EXPECT_EQ(output_of(R"(state total = 1
fn main() -> void {
  f = () => { x = 5; total = total + x }
  x = 1
  f()
  { x = 2; y = 7 }
  { state x = 3; x = 4 }
  y = "outer"
  print("${x} ${y} ${total}")
  adds = (0..3).map(i => () => i * 10)
  print(adds.map(a => a()))
  print(later(2))
  fn later(n: Number) -> Number { if n == 0 { return x } else { return later(n - 1) } }
}
)"),
              "2 outer 6\n[0, 10, 20]\n2\n");
}

TEST(VelaRun, arguments_are_evaluated_as_they_are_written) {
    EXPECT_EQ(output_of(R"(fn note(n: Number) -> Number { print("note ${n}"); return n }
fn f(a: Number, b: Number = note(10) + a, c: Number = b) -> Number { return a * 100 + b * 10 + c }
async fn g(n: Number = note(4)) -> Number { print("g"); return n }
async fn main() -> void {
  print(f(c: note(1), a: note(2)))
  lazy = g()
  print("made")
  print(await lazy)
  xs = [1, 2]
  xs[note(0)] += note(7)
  n = 1
  n += await async { n = 50; 2 }
  print("${xs} ${n}")
}
)"),
              "note 1\nnote 2\nnote 10\n321\nnote 4\nmade\ng\n4\nnote 0\nnote 7\n[8, 2] 3\n");
}

TEST(VelaRun, a_function_known_without_a_value_gives_none) {
    EXPECT_EQ(output_of(R"(fn five() -> Number { return 5 }
fn twice(f: () -> void) -> void { print("${f()} ${f()}") }
class Button { action: () -> void = () => 3 }
fn handler() -> () -> void { return five }
fn main() -> void {
  twice(() => 5); twice(five)
  g: () -> void = five
  print("${g()} ${Button(five).action()} ${Button().action()} ${handler()()} ${five()}")
}
)"),
              "() ()\n() ()\n() () () () 5\n");
}

TEST(VelaRun, what_is_interpolated_becomes_text_at_its_turn) {
    EXPECT_EQ(output_of(R"(fn grow(xs: List<Number>) -> Number { xs.push(9); return xs.length }
async fn slow(xs: List<Number>) -> Number { await sleep(1); return grow(xs) }
async fn main() -> void {
  xs = [1]
  print("${xs} ${grow(xs)} ${xs} ${await slow(xs)} ${xs}")
  print([xs.length, grow(xs), xs.length])
}
)"),
              "[1] 2 [1, 9] 3 [1, 9, 9]\n[3, 4, 4]\n");
}

TEST(VelaRun, a_question_mark_returns_or_rejects) {
    // clause: A19
    EXPECT_EQ(
        output_of(R"(fn odd(n: Number) -> Result<Number, String> {
  if n % 2 == 1 { return Ok(n) }
  return Err("even ${n}")
}
fn both(a: Number, b: Number) -> Result<Number, String> { return Ok(odd(a)? + odd(b)?) }
async fn sum(a: Number) -> Number {
  try { return odd(a)? + 1 } finally { print("cleaned") }
}
async fn main() -> void {
  f: (Number) -> Result<Number, String> = n => Ok(odd(n)? * 10)
  print("${both(1, 3)} ${both(1, 2)} ${[1, 2].map(f)}")
  print(await sum(1))
  try { print(await sum(2)) } catch (e: Error) { print(e) }
}
)"),
        "Ok(4) Err(\"even 2\") [Ok(10), Err(\"even 2\")]\ncleaned\n2\ncleaned\nError: even 2\n");
}

TEST(VelaRun, spawned_tasks_begin_in_order_when_the_current_one_waits) {
    EXPECT_EQ(output_of(R"(async fn say(n: Number) -> Number { print("say ${n}"); return n }
async fn main() -> void {
  a = spawn(say(1))
  b = spawn(say(2))
  print("first ${a.isDone}")
  print(await b)
  print(a.isDone)
  all = Future.all([say(3), say(4)])
  print("nothing ran")
  print("${await all} ${await Future.all([a, b])}")
  say(5).then(n => print("then ${n}"))
  print("last")
}
)"),
              "first false\nsay 1\nsay 2\n2\ntrue\nnothing ran\nsay 3\nsay 4\n[3, 4] [1, 2]\nlast\n"
              "say 5\nthen 5\n");
}

TEST(VelaRun, one_of_two_readers_goes_on_at_once_and_the_other_in_its_turn) {
    EXPECT_EQ(output_of(R"(async fn work() -> Number { await sleep(5); return 1 }
async fn reader(name: String, f: Future<Number>) -> void {
  print("${name} ${await f}")
  print("${name} again ${await f}")
}
async fn main() -> void {
  f = work()
  spawn(reader("a", f))
  spawn(reader("b", f))
  await sleep(10)
}
)"),
              "a 1\na again 1\nb 1\nb again 1\n");
}

TEST(VelaRun, a_cancelled_task_unwinds_from_the_inside) {
    // clause: A11, A22
    EXPECT_EQ(output_of(R"(async fn inner() -> Number {
  try { await sleep(100); return 1 } finally { await sleep(5); print("inner leaves") }
}
async fn outer() -> Number {
  try { return await inner() } catch (e: Error) { return 2 } finally { print("outer leaves") }
}
async fn main() -> void {
  h = spawn(outer())
  never = spawn(outer())
  print("${never.cancel()} ${never.cancel()} ${never.isCancelled}")
  await sleep(1)
  print("${h.cancel()} ${h.isDone}")
  h.onComplete(() => print("complete"))
  try { print(await h) } catch (e: CancelledError) { print(e) }
  print("${h.isCancelled} ${h.cancel()} ${now()}")
}
)"),
              "true false true\ntrue false\ninner leaves\nouter leaves\n"
              "complete\nCancelledError: the task was cancelled\ntrue false 6\n");
}

TEST(VelaRun, a_task_that_runs_or_is_woken_is_cancelled_where_it_waits) {
    const Outcome outcome = run_text(R"(async fn main() -> void {
  handles: List<TaskHandle<Number>> = []
  h = spawn(async {
    await sleep(1)
    print(handles[0].cancel())
    print("still runs ${await Future.ready(1)}")
    try { await sleep(100) } finally { await sleep(1); print("ends") }
    return 1
  })
  handles.push(h)
  try { await h } catch (e: CancelledError) { print("cancelled") }
  p = Promise<Number>()
  k = spawn(async {
    try { print(await p.future()) } catch (e: CancelledError) { print("too late") }
    return 2
  })
  await sleep(1)
  p.resolve(1)
  print("${k.cancel()} ${await k} ${k.isCancelled}")
}
)");
    EXPECT_EQ(outcome.output(), "true\nstill runs 1\nends\ncancelled\ntoo late\ntrue 2 false\n");
    // A cancelled sleep removes its timer.
    EXPECT_EQ(outcome.ended_at_ms, 3);
}

TEST(VelaRun, finally_runs_on_every_way_out_and_may_take_another) {
    // clause: A11
    EXPECT_EQ(output_of(R"(async fn kept() -> Number {
  try { return 1 } finally { for i in 0..1 { try { return 2 } finally { break } } }
}
async fn replaced() -> Number { try { throw Error("lost") } finally { return 3 } }
fn skipped() -> Number {
  n = 0
  for i in 0..3 { try { if i == 1 { continue }; n += 10 } finally { n += 1 } }
  return n
}
async fn main() -> void {
  print("${await kept()} ${await replaced()} ${skipped()}")
  try {
    try { throw NetworkError("first") } catch (e: NetworkError) { throw ParseError("second") } finally { print("finally") }
  } catch (e: Error) { print(e) }
}
)"),
              "1 3 23\nfinally\nParseError: second\n");
}

TEST(VelaRun, a_generator_runs_when_it_is_asked_and_cleans_up_when_it_is_left) {
    // clause: A11, A24
    EXPECT_EQ(output_of(R"(async fn numbers() -> AsyncIterator<Number> {
  try {
    for i in 1..=9 { print("make ${i}"); yield i; await sleep(1) }
  } finally { await sleep(1); print("closed") }
}
async fn broken() -> AsyncIterator<Number> { yield 1; throw NetworkError("cut") }
async fn main() -> void {
  stream = numbers()
  print("lazy")
  for await n in stream { if n == 2 { break }; print(n) }
  print(await stream.next())
  print(await numbers().map(n => n * 10).filter(n => n != 10).take(1).collect())
  try { for await n in broken() { print(n) } } catch (e: NetworkError) { print(e) }
  try { for await n in numbers() { throw Error("body") } } catch (e: Error) { print(e) }
  print(now())
}
)"),
              "lazy\nmake 1\n1\nmake 2\nclosed\nNone\nmake 1\nmake 2\nclosed\n[20]\n1\n"
              "NetworkError: cut\nmake 1\nclosed\nError: body\n5\n");
}

TEST(VelaRun, a_scope_waits_for_its_children_and_tells_of_their_failure) {
    // clause: A11, A23
    EXPECT_EQ(output_of(R"(async fn child(name: String, ms: Number) -> void {
  try { await sleep(ms); print(name) } finally { print("${name} leaves") }
}
async fn bad() -> void { await sleep(1); throw Error("bad") }
async fn quick() -> Number {
  for i in 0..3 { scope { spawn(child("loop${i}", 9)); await sleep(1); if i == 1 { break } } }
  return 1
}
async fn main() -> void {
  print(await quick())
  try { scope { spawn(bad()); await sleep(5); return } } catch (e: Error) { print(e) }
  outer = spawn(async { scope { spawn(child("inside", 50)) } })
  await sleep(1)
  print(outer.cancel())
  try { await outer } catch (e: CancelledError) { print("cancelled") }
}
)"),
              "loop0\nloop0 leaves\nloop1 leaves\n1\nError: bad\ntrue\ninside leaves\ncancelled\n");
}

TEST(VelaRun, an_actor_begins_with_a_message_when_the_one_before_waits) {
    const Outcome outcome = run_text(R"(enum Message { Slow(Number), Fast(Number), Fail, Other }
actor A {
  state seen: List<Number>
  async fn handleMessage(self, msg: Message) -> void {
    match msg {
      Slow(n) => { this.seen.push(n); await sleep(5); print("slow ${seen}"); self.send(Fast(9)) }
      Fast(n) => { this.seen.push(n); print("fast ${seen}") }
      Fail => throw Error("handler")
    }
  }
}
async fn main() -> void {
  a = spawn(A::new())
  a.send(Slow(1)); a.send(Fail); a.send(Other); a.send(Fast(2))
  print("sent")
}
)");
    EXPECT_EQ(outcome.output(), "sent\nfast [1, 2]\nslow [1, 2]\nfast [1, 2, 9]\n");
    EXPECT_EQ(outcome.errors,
              std::vector<std::string>{"unhandled error in actor A: Error: handler"});
    EXPECT_EQ(outcome.exit_code, 0);
}

TEST(VelaRun, what_nobody_awaits_or_settles_is_told_of) {
    const Outcome failed = run_text(
        "async fn bad() -> Number { await sleep(1); throw Error(\"lost\") }\n"
        "async fn main() -> void { spawn(bad()); f = spawn(bad()); try { await f } catch (e) { } "
        "}\n");
    EXPECT_EQ(failed.errors,
              std::vector<std::string>{"unhandled rejection in task bad: Error: lost"});
    EXPECT_EQ(failed.exit_code, 0);
    const Outcome stuck =
        run_text("async fn main() -> void { print(1); print(await Promise<Number>().future()) }\n");
    EXPECT_EQ(stuck.output(), "1\n");
    EXPECT_EQ(stuck.errors,
              std::vector<std::string>{"deadlock: main waits on a Future that nothing can settle"});
    EXPECT_EQ(stuck.exit_code, 3);
}

// run_text compares all three ways to run it.
TEST(VelaRun, a_range_may_end_with_the_greatest_number) {
    EXPECT_EQ(output_of(R"(fn main() -> void {
  for i in 9223372036854775806..=9223372036854775807 { print(i) }
  for i in 9223372036854775807..9223372036854775807 { print("none") }
  print((9223372036854775805..=9223372036854775807).map(x => x - 9223372036854775800))
}
)"),
              "9223372036854775806\n9223372036854775807\n[5, 6, 7]\n");
}

TEST(VelaRun, a_program_that_does_not_end_is_an_internal_error) {
    SourceTable no_files;
    const auto program = check("a.vela", "fn main() -> void { while true { } }\n", no_files);
    EXPECT_EQ(evaluate(*program, "a.vela", {.step_count_max = 1000}).internal_error,
              "the program does not end");
}

}  // namespace
}  // namespace gyre::vela
