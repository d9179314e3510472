// SPDX-License-Identifier: Apache-2.0
// The machine alone: its limits, its memory, and what keeps a program alive or ends it.
#include <gtest/gtest.h>

#include "lang/vela/reference/machine_outcome.hpp"
#include "lang/vela/reference/run_text.hpp"

namespace gyre::vela {
namespace {

struct MachineRun {
    Outcome outcome;
    RunReport report;
};

MachineRun run_on_machine(const std::string& text, MachineOptions options = {}) {
    SourceTable no_files;
    const auto program = check("a.vela", text, no_files);
    EXPECT_EQ(report(program->diagnostics.sorted()), "") << text;
    if (program->diagnostics.has_errors()) return {};
    const auto lowered = lower(*program);
    MachineRun made;
    made.outcome = run_machine(*lowered, options, &made.report);
    return made;
}

TEST(VelaMachine, endless_recursion_throws_an_error_that_can_be_caught) {
    const auto run = run_on_machine(R"(fn down(n: Number) -> Number { return down(n + 1) + 1 }
async fn below(n: Number) -> Number { return await below(n + 1) }
async fn main() -> void {
  try { print(down(0)) } catch (e: StackOverflowError) { print("plain: ${e.message}") }
  try { print(await below(0)) } catch (e: StackOverflowError) { print("async: ${e.message}") }
}
)");
    EXPECT_EQ(run.outcome.output(),
              "plain: Too many calls inside one another\n"
              "async: Too many calls inside one another\n");
    EXPECT_EQ(run.outcome.exit_code, 0);
}

TEST(VelaMachine, recursion_reaches_the_stated_depth) {
    const auto run = run_on_machine(R"(fn sum(n: Number) -> Number {
  if n == 0 { return 0 }
  return n + sum(n - 1)
}
async fn chain(n: Number) -> Number {
  if n == 0 { return 0 }
  return n + await chain(n - 1)
}
async fn main() -> void {
  print(sum(9990))
  print(await chain(9990))
}
)");
    EXPECT_EQ(run.outcome.output(), "49905045\n49905045\n");
}

TEST(VelaMachine, a_program_that_holds_too_much_memory_is_ended) {
    const auto run = run_on_machine(R"(async fn main() -> void {
  all: List<String> = []
  state i = 0
  while true {
    i = i + 1
    all.push("a text that is long enough to need memory of its own: ${i}")
  }
}
)",
                                    {.memory_bytes_max = std::size_t{16} << 20U});
    EXPECT_EQ(run.outcome.exit_code, 4);
    ASSERT_EQ(run.outcome.errors.size(), 1U);
    EXPECT_NE(run.outcome.errors[0].find("--memory-limit"), std::string::npos);
}

// The inner loop ends where the outer one goes back.
TEST(VelaMachine, an_endless_loop_of_empty_loops_is_interrupted) {
    for (const char* items : {"[]", "0..0"}) {
        const std::string text =
            "async fn spin() -> void {\n  none: Sequence<Number> = " + std::string(items) +
            "\n  while true { for x in none { print(x) } }\n}\n"
            "async fn main() -> void {\n  task = spawn(spin())\n"
            "  for i in 0..3 { await sleep(0) }\n  print(task.cancel())\n"
            "}\n";
        const auto run = run_on_machine(text, {.time_max = std::chrono::milliseconds(1000)});
        EXPECT_EQ(run.outcome.output(), "true\n") << items;
        EXPECT_EQ(run.outcome.exit_code, 4) << items;
    }
}

// Native functions have no safepoint: what they make in one call counts too.
TEST(VelaMachine, native_functions_stop_at_the_memory_limit) {
    const std::string bodies[] = {
        "  print((0..60000000).toList().length)\n",
        "  print((0..2000000).enumerate().length)\n",
        "  print((0..1000000).map(x => (0..1000000).map(y => x + y).length).sum())\n",
        "  many: List<List<Number>> = (0..1000).map(x => (0..10000).toList())\n"
        "  print(many.flatten().length)\n",
        // Without a call or a loop there is no safepoint either.
        "  a = \"0123456789abcdef\".repeat(500000)\n  b = a + a\n  c = b + b\n  d = c + c\n"
        "  print(d.length)\n",
    };
    for (const std::string& body : bodies) {
        const auto run = run_on_machine("fn main() -> void {\n" + body + "}\n",
                                        {.memory_bytes_max = std::size_t{16} << 20U});
        EXPECT_EQ(run.outcome.exit_code, 4) << body;
        ASSERT_EQ(run.outcome.errors.size(), 1U) << body;
        EXPECT_NE(run.outcome.errors[0].find("--memory-limit"), std::string::npos) << body;
    }
}

TEST(VelaMachine, a_native_function_may_make_garbage_beside_what_is_used) {
    const auto run = run_on_machine(R"(fn main() -> void {
  kept = (0..500000).toList()
  state total = 0
  for i in 0..20 {
    total = total + (0..500000).map(x => x + i).length
  }
  print(total + kept.length)
}
)",
                                    {.memory_bytes_max = std::size_t{32} << 20U});
    EXPECT_EQ(run.outcome.output(), "10500000\n");
}

TEST(VelaMachine, texts_that_natives_make_have_a_greatest_size) {
    const auto run = run_on_machine(R"(fn main() -> void {
  many = "a".repeat(100000)
  try { print(many.replace("a", many).length) } catch (e) { print(e.message) }
  try { print((0..100000).map(x => many).join("").length) } catch (e) { print(e.message) }
}
)");
    EXPECT_EQ(run.outcome.output(), "A String has at most 256 MB\nA String has at most 256 MB\n");
}

TEST(VelaMachine, garbage_is_collected_while_a_program_runs_with_cycles_too) {
    const auto run = run_on_machine(R"(class Node {
  other: Option<Node>
  constructor() { this.other = None }
}
fn pair() -> void {
  a = Node()
  b = Node()
  a.other = Some(b)
  b.other = Some(a)
}
async fn main() -> void {
  for i in 0..200000 { pair() }
  print("end")
}
)",
                                    {.memory_bytes_max = std::size_t{16} << 20U});
    EXPECT_EQ(run.outcome.output(), "end\n");
    EXPECT_GT(run.report.collection_count, 2U);
}

// Rings of objects, of objects and closures, and of tasks, promises and actors.
TEST(VelaMachine, programs_with_cycles_leak_nothing) {
    const auto things_left = [](int count) {
        const std::string text = R"(class Node {
  other: Option<Node>
  call: Option<() -> Number>
  constructor() {
    this.other = None
    this.call = None
  }
}
enum Message { Hold(Promise<Number>) }
actor Holder {
  state held: List<Promise<Number>> = []
  fn receive(self, message: Message) -> void { match message { Hold(p) => this.held.push(p) } }
}
fn ring() -> void {
  a = Node()
  b = Node()
  a.other = Some(b)
  b.other = Some(a)
  a.call = Some(() => if b.other.isSome { 1 } else { 0 })
}
async fn waits(p: Promise<Number>) -> Number { return await p.future() }
async fn main() -> void {
  for i in 0..COUNT {
    ring()
    p = Promise<Number>()
    task = spawn(waits(p))
    spawn(Holder::new()).send(Hold(p))
    await sleep(1)
    p.resolve(i)
    await task
  }
}
)";
        std::string counted = text;
        counted.replace(counted.find("COUNT"), 5, std::to_string(count));
        const auto run = run_on_machine(counted);
        EXPECT_EQ(run.outcome.exit_code, 0);
        return run.report.things_left;
    };
    EXPECT_GT(things_left(2), 0U);
    EXPECT_EQ(things_left(2), things_left(500));
}

TEST(VelaMachine, a_loop_without_await_lets_other_tasks_run) {
    const auto run = run_on_machine(R"(async fn other() -> void { print("other ran") }
async fn main() -> void {
  spawn(other())
  state i = 0
  while i < 100000 { i = i + 1 }
  print("loop ended at ${i}")
}
)",
                                    {.back_edges_max = 1000});
    EXPECT_EQ(run.outcome.output(), "other ran\nloop ended at 100000\n");
}

TEST(VelaMachine, an_interrupted_loop_keeps_its_calls_and_variables) {
    const auto run = run_on_machine(R"(fn work(n: Number) -> Number {
  state total = 0
  state names: List<String> = []
  for i in 0..n {
    total = total + i
    if i % 1000 == 0 { names.push("n${i}") }
  }
  return total + names.length
}
async fn twice(n: Number) -> Number { return work(n) + work(n) }
async fn main() -> void {
  a = spawn(twice(5000))
  b = spawn(twice(7000))
  print(await a)
  print(await b)
}
)",
                                    {.back_edges_max = 100, .collects_always = true});
    EXPECT_EQ(run.outcome.output(), "24995010\n48993014\n");
}

TEST(VelaMachine, a_promise_that_is_never_settled_is_a_deadlock) {
    const auto run = run_on_machine(R"(async fn main() -> void {
  p = Promise<Number>()
  print(await p.future())
}
)",
                                    {.shows_stack = true});
    EXPECT_EQ(run.outcome.exit_code, 3);
    ASSERT_EQ(run.outcome.errors.size(), 1U);
    EXPECT_EQ(run.outcome.errors[0],
              "deadlock: main waits on a Future that nothing can settle\n"
              "    a task waits:\n"
              "    at main (a.vela:3:15)");
}

TEST(VelaMachine, an_uncaught_error_shows_its_way_through_calls_and_awaits) {
    const auto run = run_on_machine(R"(fn check(n: Number) -> Number {
  if n > 2 { throw Error("too much") }
  return n
}
async fn inner(n: Number) -> Number {
  await sleep(1)
  return check(n)
}
async fn main() -> void {
  print(await inner(3))
}
)",
                                    {.shows_stack = true});
    EXPECT_EQ(run.outcome.exit_code, 1);
    ASSERT_EQ(run.outcome.errors.size(), 1U);
    EXPECT_EQ(run.outcome.errors[0],
              "Uncaught Error: too much\n"
              "    at check (a.vela:2:20)\n"
              "    at inner (a.vela:7:10)\n"
              "    at main (a.vela:10:15)");
}

TEST(VelaMachine, many_tasks_wait_at_once) {
    const auto run = run_on_machine(R"(async fn nap(n: Number) -> Number {
  await sleep(n % 10)
  return 1
}
async fn main() -> void {
  all = (0..100000).map(i => spawn(nap(i)))
  state total = 0
  for one in all { total = total + await one }
  print(total)
}
)");
    EXPECT_EQ(run.outcome.output(), "100000\n");
}

}  // namespace
}  // namespace gyre::vela
