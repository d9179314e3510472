// SPDX-License-Identifier: Apache-2.0
// Lowered code behaves as the syntax tree: both interpreters give the same outcome, on hand-written
// and on random programs. A failure shows the seed and the program; `GYRE_VELA_SEED=n` runs that
// program alone.
#include <cstdio>

#include "lang/vela/reference/generator.hpp"
#include "lang/vela/reference/run_text.hpp"
#include "lang/vela/reference/seeds.hpp"
#include "tests/vela/cases.hpp"

namespace gyre::vela {
namespace {

bool needs_sockets(const std::string& text) {
    return text.find("HttpServer") != std::string::npos ||
           text.find("httpClient") != std::string::npos;
}

TEST(VelaAgreement, of_lowered_programs_and_their_trees) {
    // clause: A11
    int run_count = 0;
    for (const char* folder : {"programs", "seed_complete"}) {
        for (const auto& path : files_of(folder)) {
            auto wrong = path;
            wrong.replace_extension(".err");
            const std::string text = read_text(path);
            if (std::filesystem::exists(wrong) || needs_sockets(text)) continue;
            SCOPED_TRACE(path.filename().string());
            run_text(text);
            ++run_count;
        }
    }
    for (const Case& right : cases_of("clean")) {
        if (needs_sockets(right.program)) continue;
        SCOPED_TRACE(right.name);
        run_text(right.program);
        ++run_count;
    }
    EXPECT_GE(run_count, 120);
}

TEST(VelaAgreement, of_random_programs_in_lowered_form_and_as_trees) {
    // clause: A11
    const auto [first, last] = seeds_to_try();
    std::size_t line_count = 0;
    for (std::uint64_t seed = first; seed <= last && !HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        line_count += run_text(random_program(seed)).lines.size();
    }
    EXPECT_GE(line_count, 10 * (last - first + 1));
    // tools/long_run reads this.
    if (!HasFailure())
        std::printf("programs without a difference: %zu\n", std::size_t{last - first + 1});
}

TEST(VelaAgreement, of_a_question_mark_on_an_awaited_result) {
    // clause: A19
    EXPECT_EQ(output_of(R"(async fn fetch(n: Number) -> Result<Number, Error> {
  await sleep(1)
  if n > 2 { return Err(Error("no ${n}")) }
  return Ok(n)
}
async fn both(a: Number, b: Number) -> Result<Number, Error> {
  x = await fetch(a)?
  print("x = ${x}")
  y = await fetch(b)?
  print("y = ${y}")
  return Ok(x + y)
}
async fn show(a: Number, b: Number) -> void {
  match await both(a, b) {
    Ok(n) => print("ok ${n}")
    Err(e) => print("err ${e.message}")
  }
}
async fn main() -> void {
  await show(1, 2)
  await show(1, 3)
  await show(4, 1)
}
)"),
              "x = 1\ny = 2\nok 3\nx = 1\nerr no 3\nerr no 4\n");
}

TEST(VelaAgreement, of_a_stream_that_is_read_to_its_end) {
    // clause: A24
    EXPECT_EQ(output_of(R"(async fn count(n: Number) -> AsyncIterator<Number> {
  for i in 1..=n {
    await sleep(1)
    yield i
  }
}
async fn main() -> void {
  for await i in count(3) { print(i) }
  for await i in count(0) { print(i) }
  print("end")
}
)"),
              "1\n2\n3\nend\n");
}

TEST(VelaAgreement, of_a_catch_by_the_type_of_the_error) {
    // clause: A18
    EXPECT_EQ(output_of(R"(async fn fetch(n: Number) -> Number {
  await sleep(1)
  if n == 1 { throw NetworkError("cut") }
  if n == 2 { throw ParseError("bad") }
  return n
}
async fn kind(n: Number) -> String {
  try {
    try { return "value ${await fetch(n)}" } catch (e: NetworkError) {
      return "network ${e.message}"
    }
  } catch (e: ParseError) { return "parse ${e.message}" }
}
async fn main() -> void {
  for n in 0..3 { print(await kind(n)) }
}
)"),
              "value 0\nnetwork cut\nparse bad\n");
}

TEST(VelaAgreement, of_what_is_easily_lowered_wrongly) {
    // clause: A11
    const std::vector<Case> cases = cases_of("run");
    EXPECT_GE(cases.size(), 220U);
    for (const Case& program : cases) {
        SCOPED_TRACE(program.name);
        EXPECT_EQ(run_text(program.program).output(), program.report);
    }
}

}  // namespace
}  // namespace gyre::vela
