// SPDX-License-Identifier: Apache-2.0
// What the assembler makes of lowered code: the instructions of loops and calls, shared registers,
// and the limits of an instruction.
#include <gtest/gtest.h>

#include "lang/vela/reference/machine_outcome.hpp"
#include "lang/vela/reference/run_text.hpp"
#include "lang/vela/run/internal/insn_text.hpp"
#include "lang/vela/run/internal/verify_function.hpp"

namespace gyre::vela {
namespace {

std::string code_of(const std::string& text) {
    SourceTable no_files;
    const auto program = check("a.vela", text, no_files);
    EXPECT_EQ(report(program->diagnostics.sorted()), "") << text;
    if (program->diagnostics.has_errors()) return {};
    return print_code(*lower(*program));
}
// The instructions of one function, without their numbers.
std::string code_of_function(const std::string& text, const std::string& name) {
    const std::string all = code_of(text);
    const std::size_t begin = all.find("\n" + name + ": ") + 1;
    return all.substr(begin, all.find("\n\n", begin) - begin + 1);
}
std::size_t count_of(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
        ++count;
    }
    return count;
}

TEST(VelaAssembly, a_loop_tests_its_condition_at_its_end_and_loads_its_constants_before_it) {
    const std::string code = code_of_function(R"(fn count(n: Number) -> Number {
  state i = 0
  state total = 0
  while i < 1000000 {
    total = total + n
    i = i + 1
  }
  return total
}
fn main() -> void { print(count(1)) }
)",
                                              "count");
    EXPECT_EQ(count_of(code, "loop_less "), 1U) << code;
    EXPECT_EQ(count_of(code, "jump_back"), 0U) << code;
    EXPECT_LT(code.find("load_small"), code.find("jump_not_less")) << code;
    // Three instructions an iteration.
    EXPECT_EQ(count_of(code, "\n"), 9U) << code;
}

TEST(VelaAssembly, a_loop_over_a_range_makes_no_iterator) {
    const std::string code = code_of_function(R"(fn sum(n: Number) -> Number {
  state total = 0
  for i in 0..n { total = total + i }
  return total
}
fn main() -> void { print(sum(10)) }
)",
                                              "sum");
    EXPECT_EQ(count_of(code, "iterate"), 0U) << code;
    EXPECT_EQ(count_of(code, "range_loop"), 1U) << code;
    EXPECT_EQ(count_of(code, "add_number"), 1U) << code;
    EXPECT_EQ(count_of(code, " move "), 0U) << code;
}

TEST(VelaAssembly, registers_are_used_again) {
    std::string text = "fn many(n: Number) -> Number {\n  state total = n\n";
    for (int i = 0; i < 200; ++i) text += "  total = total + n * total - n / 3 + (n - 7) * 2\n";
    text += "  return total\n}\nfn main() -> void { print(many(0)) }\n";
    const std::string code = code_of_function(text, "many");
    const std::string head = code.substr(0, code.find(" registers"));
    EXPECT_LE(std::stoi(head.substr(head.rfind(' '))), 8) << head;
    EXPECT_EQ(output_of(text).empty(), false);
}

TEST(VelaAssembly, an_async_function_that_is_awaited_at_once_makes_no_future) {
    const std::string code = code_of_function(R"(async fn one(n: Number) -> Number { return n }
async fn two(n: Number) -> Number { return await one(n) + await one(n + 1) }
async fn main() -> void { print(await two(1)) }
)",
                                              "two");
    EXPECT_EQ(count_of(code, "call_await"), 2U) << code;
    EXPECT_EQ(count_of(code, "call_async"), 0U) << code;
}

TEST(VelaAssembly, an_async_function_or_block_that_is_spawned_at_once_makes_no_second_future) {
    const std::string code = code_of_function(R"(async fn one(n: Number) -> Number { return n }
async fn main() -> void {
  a = spawn(one(1))
  b = spawn(async { await a })
  scope { spawn(one(2)) }
  kept = one(3)
  c = spawn(kept)
  print(await a + await b + await c + await kept)
}
)",
                                              "main");
    EXPECT_EQ(count_of(code, "spawn_call"), 2U) << code;
    EXPECT_EQ(count_of(code, "spawn_block"), 1U) << code;
    EXPECT_EQ(count_of(code, "call_async"), 1U) << code;
    EXPECT_EQ(count_of(code, "spawn_task"), 1U) << code;
    EXPECT_EQ(count_of(code, "closure"), 0U) << code;
}

TEST(VelaAssembly, a_sum_that_overflows_leaves_its_variable_as_it_was) {
    EXPECT_EQ(output_of(R"(fn main() -> void {
  state x = 9223372036854775807
  try { x = x + 1 } catch (e: OverflowError) { print("add ${x}") }
  try { x = x * 3 } catch (e: OverflowError) { print("multiply ${x}") }
  state y = 0 - 9223372036854775807
  try { y = y - 2 } catch (e: OverflowError) { print("subtract ${y}") }
  y = y - 1
  try { y = -y } catch (e: OverflowError) { print("negate ${y}") }
  try { y = y / (0 - 1) } catch (e: OverflowError) { print("divide ${y}") }
}
)"),
              "add 9223372036854775807\nmultiply 9223372036854775807\n"
              "subtract -9223372036854775807\nnegate -9223372036854775808\n"
              "divide -9223372036854775808\n");
}

TEST(VelaAssembly, constants_stand_on_either_side_of_an_operator) {
    EXPECT_EQ(output_of(R"(fn kind(n: Number) -> String {
  if 3 < n { return "above" }
  if 3 <= n { return "three" }
  if 0 == n { return "zero" }
  return "below"
}
fn main() -> void {
  for n in 0 - 1..5 { print("${n} ${kind(n)} ${2 + n} ${3 * n} ${n / 2} ${n % 2} ${7 - n}") }
  state i = 0
  while 3 > i { i = 1 + i }
  while i != 6 { i += 1 }
  print(i)
  print((0 - 7) / 2)
  print((0 - 7) % 2)
  print(5000000000 % 7)
}
)"),
              "-1 below 1 -3 0 -1 8\n0 zero 2 0 0 0 7\n1 below 3 3 0 1 6\n2 below 4 6 1 0 5\n"
              "3 three 5 9 1 1 4\n4 above 6 12 2 0 3\n6\n-3\n-1\n2\n");
}

TEST(VelaAssembly, comparisons_with_a_nan_are_false_in_branches_too) {
    EXPECT_EQ(output_of(R"(fn show(x: Float, y: Float) -> String {
  state text = ""
  if x < y { text = text + "<" }
  if x <= y { text = text + "<=" }
  if x > y { text = text + ">" }
  if !(x < y) { text = text + "!" }
  state n = 0
  while x < y && n < 3 { n += 1 }
  return "${text} ${n}"
}
fn main() -> void {
  nan = 0.0 / 0.0
  print(show(1.0, 2.0))
  print(show(2.0, 2.0))
  print(show(nan, 1.0))
  print(show(1.0, nan))
}
)"),
              "<<= 3\n<=! 0\n! 0\n! 0\n");
}

// Jumps of 16 bits would not reach over these lists.
TEST(VelaAssembly, long_lists_between_a_branch_and_its_target) {
    std::string list = "[x";
    for (int i = 0; i < 4000; ++i) list += ", x";
    list += "]";
    std::string text = "fn main() -> void {\n  x = 1\n  state n = 0\n  while n < 2 {\n";
    for (int i = 0; i < 40; ++i)
        text += "    if n == " + std::to_string(i) + " { print(" + list + ".length) }\n";
    text += "    n = n + 1\n  }\n}\n";
    EXPECT_EQ(output_of(text), "4001\n4001\n");
}

TEST(VelaAssembly, an_instruction_with_too_many_operands_is_refused) {
    std::string text = "fn main() -> void {\n  x = 1\n  print([x";
    for (int i = 0; i < 70'000; ++i) text += ",x";
    text += "].length)\n}\n";
    SourceTable no_files;
    const auto program = check("a.vela", text, no_files);
    ASSERT_FALSE(program->diagnostics.has_errors());
    const Outcome outcome = run_machine(*lower(*program));
    EXPECT_EQ(outcome.exit_code, 2);
    ASSERT_EQ(outcome.errors.size(), 1U);
    EXPECT_NE(outcome.errors[0].find("main"), std::string::npos) << outcome.errors[0];
    EXPECT_NE(outcome.errors[0].find("65535 operands"), std::string::npos) << outcome.errors[0];
}

TEST(VelaAssembly, a_deep_chain_of_awaited_calls_waits_and_goes_on) {
    EXPECT_EQ(output_of(R"(async fn deep(n: Number, note: String) -> Number {
  if n == 0 {
    await sleep(5)
    print("woken ${note}")
    return 0
  }
  below = await deep(n - 1, "${note}.")
  return below + n
}
async fn thrower(n: Number) -> Number {
  if n == 0 { throw Error("from below") }
  try {
    return await thrower(n - 1)
  } finally { print("leaves ${n}") }
}
async fn mixed(n: Number) -> Number {
  later = deep(2, "later")
  first = await deep(1, "first")
  second = await later
  return first + second + n
}
async fn main() -> void {
  a = spawn(deep(3, "a"))
  print(await deep(4, "b"))
  print(await a)
  try { print(await thrower(2)) } catch (e) { print(e.message) }
  print(await mixed(100))
}
)"),
              "woken b....\n10\nwoken a...\n6\nleaves 1\nleaves 2\nfrom below\nwoken first.\n"
              "woken later..\n104\n");
}

// The problems of `main` after `change` of each of its instructions.
template <class F>
std::vector<std::string> problems_after(const std::string& text, F change) {
    SourceTable no_files;
    const auto program = check("a.vela", text, no_files);
    const auto lowered = lower(*program);
    vm::PrintLinker linker;
    const auto assembled = vm::assemble(*lowered, linker);
    // It is this test's own copy of the program.
    auto& function = const_cast<vm::Function&>(*(*assembled)->function_of(lowered->main));
    const vm::KnownPointers known(**assembled);
    EXPECT_EQ(vm::verify_function(function, known), std::vector<std::string>());
    for (vm::Insn& insn : function.insns) change(insn);
    return vm::verify_function(function, known);
}

// Code that the verifier accepts can be interrupted wherever it goes back.
TEST(VelaAssembly, a_jump_back_without_a_safepoint_is_refused) {
    using enum vm::InsnOp;
    const std::string forever = "fn main() -> void {\n  while true { print(1) }\n}\n";
    const auto plain = problems_after(forever, [](vm::Insn& insn) {
        if (insn.op == jump_back) insn.op = jump;
    });
    ASSERT_EQ(plain.size(), 1U);
    EXPECT_TRUE(plain[0].ends_with("a jump back without a safepoint")) << plain[0];

    const std::string counting = R"(fn main() -> void {
  state i = 0
  while i < 9 { i = i + 1 }
}
)";
    const auto compared = problems_after(counting, [](vm::Insn& insn) {
        if (insn.op == loop_less_small) insn.op = jump_less_small;
    });
    ASSERT_EQ(compared.size(), 1U);
    EXPECT_TRUE(compared[0].ends_with("a jump back without a safepoint")) << compared[0];
}

TEST(VelaAssembly, a_spawned_call_that_does_not_fit_its_function_is_refused) {
    using enum vm::InsnOp;
    const std::string spawning = R"(async fn one(n: Number) -> Number { return n }
async fn main() -> void {
  n = 1
  a = spawn(one(n))
  b = spawn(async { await a })
}
)";
    const auto with = [&](vm::InsnOp op, auto change) {
        return problems_after(spawning, [&](vm::Insn& insn) {
            if (insn.op == op) change(insn);
        });
    };
    const auto scope = with(spawn_call, [](vm::Insn& insn) { insn.c = 1; });
    ASSERT_EQ(scope.size(), 1U);
    EXPECT_TRUE(scope[0].ends_with("a task that is spawned in no scope")) << scope[0];
    const auto captures = with(spawn_block, [](vm::Insn& insn) { insn.c = 1; });
    ASSERT_EQ(captures.size(), 1U);
    EXPECT_TRUE(captures[0].ends_with("a block that is spawned with other captures than its own"))
        << captures[0];
    const auto swapped = with(spawn_block, [](vm::Insn& insn) { insn.op = spawn_call; });
    ASSERT_EQ(swapped.size(), 1U);
    EXPECT_TRUE(swapped[0].ends_with("a call with too many operands")) << swapped[0];
}

TEST(VelaAssembly, a_range_that_has_ended_goes_on_behind_its_loop) {
    const std::string ranged = R"(fn main() -> void {
  for i in 0..9 { print(i) }
}
)";
    bool is_next = false;
    const auto problems = problems_after(ranged, [&](vm::Insn& insn) {
        if (std::exchange(is_next, insn.op == vm::InsnOp::range_next)) {
            insn.b = 0xFFFF;  // To itself.
            insn.c = 0xFFFF;
        }
    });
    ASSERT_EQ(problems.size(), 1U);
    EXPECT_TRUE(problems[0].ends_with("a jump back without a safepoint")) << problems[0];
}

}  // namespace
}  // namespace gyre::vela
