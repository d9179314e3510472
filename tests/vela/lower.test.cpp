// SPDX-License-Identifier: Apache-2.0
// Lowering: the states of functions, printed code, and faults that the verifier finds.
#include "lang/vela/lower/lower.hpp"

#include "lang/vela/syntax/diagnostic.hpp"
#include "tests/vela/cases.hpp"

namespace gyre::vela {
namespace {

struct LoweredText {
    std::unique_ptr<Program> program;
    std::unique_ptr<Lowered> lowered;

    Code& code(const std::string& name) {
        for (Code& code : lowered->codes) {
            if (code.name == name) return code;
        }
        ADD_FAILURE() << "no code " << name;
        return lowered->codes.front();
    }
};

LoweredText lower_text(const std::string& text) {
    LoweredText made;
    SourceTable no_files;
    made.program = check("a.vela", text, no_files);
    EXPECT_FALSE(made.program->diagnostics.has_errors())
        << report(made.program->diagnostics.sorted()) << text;
    made.lowered = lower(*made.program);
    EXPECT_EQ(verify(*made.lowered, made.program->types), std::vector<std::string>()) << text;
    return made;
}

// The states of the function f, after functions that it may use.
std::string states_of(const std::string& text) {
    static const std::string others =
        "async fn get(n: Number) -> Number { await sleep(n); return n }\n"
        "async fn yes(n: Number) -> Bool { return n > 0 }\n"
        "fn use(a: Number, b: Number) -> Number { return a + b }\n"
        "async fn ticks() -> AsyncIterator<Number> { yield 1 }\n";
    LoweredText made = lower_text(others + text);
    const Code& code = made.code("f");
    std::string states;
    for (std::size_t i = 0; i < code.states.size(); ++i) {
        states += (i == 0 ? "" : " ") + state_text(code, i);
    }
    return states;
}

TEST(VelaLower, a_state_keeps_exactly_what_is_read_later) {
    // clause: A11
    EXPECT_EQ(states_of("async fn f() -> Number {\n  x = await get(1)\n  return x + 1\n}\n"),
              "Start Await1");
    EXPECT_EQ(states_of("async fn f() -> Number {\n  a = await get(1)\n  b = await get(2)\n"
                        "  c = await get(3)\n  return a + b + c\n}\n"),
              "Start Await1 Await2(a) Await3(a, b)");
    EXPECT_EQ(states_of("async fn f(flag: Bool, unused: Number) -> Number {\n"
                        "  if flag {\n    x = await get(1)\n    return x\n"
                        "  } else {\n    y = await get(2)\n    return y\n  }\n}\n"),
              "Start(flag) Await1 Await2");
    // A variable is kept until its last read, and not before a write.
    EXPECT_EQ(states_of("async fn f(n: Number) -> Number {\n  state x = n\n  await sleep(x)\n"
                        "  x = await get(1)\n  await sleep(x)\n  return n\n}\n"),
              "Start(n) Await1(n) Await2(n) Await3(n)");
    // A loop keeps variables that the next iteration reads.
    EXPECT_EQ(states_of("async fn f(limit: Number) -> Number {\n  state i = 0\n  state last = 0\n"
                        "  while await yes(limit - i) {\n    i += 1\n    last = await get(i)\n  }\n"
                        "  return last\n}\n"),
              "Start(limit) Await1(limit, i, last) Await2(limit, i)");
    // An early return keeps nothing.
    EXPECT_EQ(states_of("async fn f(n: Number) -> Number {\n  if await yes(n) { return 1 }\n"
                        "  await sleep(1)\n  return n\n}\n"),
              "Start(n) Await1(n) Await2(n)");
}

TEST(VelaLower, a_state_keeps_the_temporaries_of_an_expression) {
    // clause: A11
    // Operands left of an await are kept; those to the right are not evaluated yet.
    EXPECT_EQ(states_of("async fn f() -> Number { return use(use(1, 2), await get(3)) }\n"),
              "Start Await1(%2)");
    EXPECT_EQ(
        states_of("async fn f() -> String { return \"a ${await get(1)} ${await get(2)}\" }\n"),
        "Start Await1(%0) Await2(%0, %3, %4)");
    EXPECT_EQ(states_of("async fn f(a: Bool) -> Bool { return a && await yes(1) }\n"),
              "Start(a) Await1");
    EXPECT_EQ(states_of("async fn f(o: Option<Number>) -> Number { return o ?? await get(1) }\n"),
              "Start(o) Await1");
    // The variable itself is kept if nothing can change it meanwhile; otherwise its old value.
    EXPECT_EQ(states_of("async fn f(x: Number) -> Number { return x + await get(1) }\n"),
              "Start(x) Await1(x)");
    EXPECT_EQ(states_of("async fn f(x: Number) -> Number {\n"
                        "  return x + if await yes(1) { x = 5; x } else { 1 }\n}\n"),
              "Start(x) Await1(%1)");
}

TEST(VelaLower, a_state_keeps_what_errors_and_exits_lead_to) {
    // clause: A11
    // A handler reads n, whether the await succeeds or fails.
    EXPECT_EQ(states_of("async fn f(n: Number) -> Number {\n  try { return await get(1) }\n"
                        "  catch (e: Error) { return n }\n}\n"),
              "Start(n) Await1(n)");
    // The error skips the write, so the handler reads the old value.
    EXPECT_EQ(states_of("async fn f() -> Number {\n  state x = 1\n"
                        "  try { x = await get(1) } catch (e: Error) { print(x) }\n"
                        "  return x\n}\n"),
              "Start Await1(x)");
    // A finally keeps the exit to take and its value.
    EXPECT_EQ(states_of("async fn f(n: Number) -> Number {\n  try { return n * 2 }\n"
                        "  finally { await sleep(1) }\n}\n"),
              "Start(n) Await1(%1, %2, %3)");
    EXPECT_EQ(
        states_of("async fn f(n: Number) -> Number {\n"
                  "  match await get(n) {\n    k if await yes(k) => k + n\n    _ => 0\n  }\n}\n"),
        "Start(n) Await1(n) Await2(n, k)");
    // The stream is kept for the next iteration, and for closing.
    EXPECT_EQ(
        states_of("async fn f() -> void {\n  for await x in ticks() { if x > 1 { break } }\n}\n"),
        "Start Await1(%0) Await2");
    EXPECT_EQ(
        states_of(
            "async fn f(n: Number) -> AsyncIterator<Number> {\n  yield n\n  yield n + 1\n}\n"),
        "Start(n) Yield1(n) Yield2");
}

TEST(VelaLower, whatever_is_right_is_lowered_and_verifies) {
    int count = 0;
    for (const Case& right : cases_of("clean")) {
        SCOPED_TRACE(right.name);
        static_cast<void>(lower_text(right.program));
        ++count;
    }
    for (const char* folder : {"programs", "seed_complete", "lowered"}) {
        for (const auto& path : files_of(folder)) {
            auto wrong = path;
            wrong.replace_extension(".err");
            if (std::filesystem::exists(wrong)) continue;
            SCOPED_TRACE(path.filename().string());
            static_cast<void>(lower_text(read_text(path)));
            ++count;
        }
    }
    EXPECT_GE(count, 130);
}

TEST(VelaLower, code_is_printed_for_people) {
    // clause: A11
    for (const auto& path : files_of("lowered")) {
        auto wanted = path;
        wanted.replace_extension(".txt");
        const LoweredText made = lower_text(read_text(path));
        EXPECT_EQ(print(*made.lowered), read_text(wanted)) << path.filename();
    }
}

TEST(VelaLower, the_guide_shows_what_is_printed) {
    const auto blocks = blocks_of(read_text(docs_folder() / "guide" / "vela.md"));
    int count = 0;
    for (std::size_t i = 1; i < blocks.size(); ++i) {
        if (blocks[i].first != "lowered") continue;
        ++count;
        EXPECT_EQ(print(*lower_text(blocks[i - 1].second).lowered), blocks[i].second);
    }
    EXPECT_EQ(count, 1);
}

TEST(VelaLower, things_inside_one_another_are_no_trouble) {
    std::string nested = "async fn f(n: Number) -> Number {\n";
    for (int i = 0; i < 60; ++i) nested += "try {\n";
    nested += "if n > 1 { return await Future.ready(n) }\n";
    for (int i = 0; i < 60; ++i) nested += "} finally { await sleep(n) }\n";
    nested += "return 0\n}\n";
    LoweredText made = lower_text(nested);
    // Each body of a finally is emitted once.
    EXPECT_EQ(made.code("f").states.size(), 62U);
    std::string sum = "async fn g() -> Number { return 1";
    for (int i = 0; i < 900; ++i) sum += " + await Future.ready(1)";
    static_cast<void>(lower_text(sum + " }\n"));
}

// Names between back-quotes in the first column of the tables.
std::vector<std::string> ops_of_page(const std::string& page) {
    std::vector<std::string> names;
    std::size_t begin = page.find("\n| `");
    while (begin != std::string::npos) {
        const std::string cell = page.substr(begin + 2, page.find('|', begin + 2) - begin - 2);
        for (std::size_t at = cell.find('`'); at != std::string::npos; at = cell.find('`', at)) {
            const std::size_t end = cell.find('`', at + 1);
            names.push_back(cell.substr(at + 1, end - at - 1));
            at = end + 1;
        }
        begin = page.find("\n| `", begin + 1);
    }
    std::sort(names.begin(), names.end());
    return names;
}

TEST(VelaLower, the_page_lists_exactly_the_instructions) {
    std::vector<std::string> wanted;
    for (const OpInfo& op : all_ops()) wanted.emplace_back(op.name);
    std::sort(wanted.begin(), wanted.end());
    EXPECT_EQ(ops_of_page(read_text(docs_folder() / "vela-instructions.md")), wanted);
}

// A function with a state that keeps `a` and with a handler, to be corrupted.
class VelaVerify : public testing::Test {
protected:
    VelaVerify()
        : made_(lower_text("async fn get(n: Number) -> Number { return n }\n"
                           "async fn f(n: Number) -> Number {\n  a = await get(n)\n"
                           "  try { return a + await get(2) } catch (e: Error) { return a }\n}\n")),
          code_(made_.code("f")) {}

    // The first fault, without its place.
    std::string problem() {
        const auto problems = verify(code_, made_.program->types);
        if (problems.empty()) return "";
        return problems[0].substr(problems[0].find("): ") + 3);
    }
    Instruction& first(Op op) {
        for (Instruction& instruction : code_.instructions) {
            if (instruction.op == op) return instruction;
        }
        ADD_FAILURE() << "no such instruction";
        return code_.instructions[0];
    }

    LoweredText made_;
    Code& code_;
};

TEST_F(VelaVerify, sees_a_state_that_keeps_too_little) {
    ASSERT_EQ(state_text(code_, 2), "Await2(a)");
    code_.states[2].keeps.clear();
    EXPECT_EQ(problem(), "state Await2 does not keep exactly the live registers");
}

TEST_F(VelaVerify, sees_a_state_that_keeps_too_much) {
    code_.states[2].keeps.insert(code_.states[2].keeps.begin(), 0);
    EXPECT_EQ(problem(), "state Await2(n, a) does not keep exactly the live registers");
}

TEST_F(VelaVerify, sees_what_is_read_before_it_is_written) {
    code_.registers.push_back({made_.program->types.number(), "x", false});
    code_.operands[first(Op::return_value).first] =
        static_cast<Register>(code_.registers.size() - 1);
    EXPECT_NE(problem().find("may be read before it is written"), std::string::npos) << problem();
}

TEST_F(VelaVerify, sees_types_that_do_not_agree) {
    code_.registers[first(Op::add_number).to].type = made_.program->types.string();
    EXPECT_EQ(problem(), "Number where String is wanted");
}

TEST_F(VelaVerify, sees_what_cannot_be_reached) {
    Instruction& end = code_.instructions.back();
    ASSERT_TRUE(info_of(end.op).is_end);
    code_.instructions.push_back(end);
    EXPECT_EQ(problem(), "is unreachable");
}

TEST_F(VelaVerify, sees_jumps_and_handlers_that_lead_nowhere) {
    const std::uint32_t other = first(Op::branch).other;
    first(Op::branch).other = 1000;
    EXPECT_EQ(problem(), "jumps outside of the code");
    first(Op::branch).other = other;
    ASSERT_EQ(problem(), "");
    --code_.handlers[0];
    EXPECT_EQ(problem(), "its handler does not begin with caught");
}

TEST_F(VelaVerify, sees_a_suspension_without_its_state) {
    code_.states.pop_back();
    EXPECT_EQ(problem(), "its state does not exist");
}

TEST_F(VelaVerify, sees_control_that_runs_out) {
    code_.instructions.back().op = Op::dead_letter;
    EXPECT_EQ(problem(), "control runs past the end of the code");
}

}  // namespace
}  // namespace gyre::vela
