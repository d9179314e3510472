// SPDX-License-Identifier: Apache-2.0
// bench_vela: gyre's own rows of the group vela. Called by bench/run.py; see protocol.hpp.
//
// A generated program of 100,000 lines, of which every part is declared under a name of its own,
// read whole in each sample; the best of many.
#include <string>

#include "bench/protocol.hpp"
#include "bench/stopwatch.hpp"
#include "lang/vela/check/check.hpp"
#include "lang/vela/lower/lower.hpp"
#include "lang/vela/syntax/internal/lexer.hpp"

namespace gyre::bench {
namespace {

constexpr std::size_t line_count_min = 100'000;

// `@` is the number of the part.
constexpr std::string_view part = R"vela(async fn fetch@(n: Number) -> Number {
  await sleep(10)
  return n + @
}

struct Point@ { x: Number, y: Number }
enum Shape@ { Circle@(Number), Square@(Number, Number), Empty@ }

fn area@(s: Shape@) -> Number {
  match s {
    Circle@(r) => r * r * 3
    Square@(a, b) => a * b
    Empty@ => 0
  }
}

class Store@ {
  state items: List<Point@>
  fn add(self, x: Number, y: Number) -> Number {
    this.items.push(Point@(x, y))  # kept for ever
    return this.items.length
  }
}

async fn work@(limit: Number) -> Result<Number, Error> {
  state total: Number = 0
  for i in 1..limit {
    if i % 2 == 0 { continue }
    value = await fetch@(i)
    total = total + value * area@(Square@(i, 2))
    print("step ${i} of ${limit}: ${total}")
  }
  points = [Point@(1, 2), Point@(3, 4)].map(p => p.x + p.y)
  match points.find(p => p > 3) {
    Some(p) => return Ok(total + p)
    None => return Err(Error("none of ${points.length}"))
  }
}

)vela";

struct Text {
    std::string text;
    std::uint64_t line_count = 0;
};

Text make_text() {
    Text result;
    for (std::size_t number = 0; result.line_count < line_count_min; ++number) {
        for (const char c : part) {
            if (c == '@') {
                result.text += std::to_string(number);
            } else {
                result.text += c;
            }
            result.line_count += c == '\n' ? 1 : 0;
        }
    }
    return result;
}

void fail_unless_clean(const vela::Diagnostics& diagnostics) {
    if (diagnostics.sorted().empty()) return;
    std::fprintf(stderr, "bench_vela: the generated program is not clean\n");
    std::exit(1);
}

void measure(Run& run) {
    keep_freed_memory();
    const Text made = make_text();
    vela::SourceTable no_files;
    const vela::Source source("generated.vela", made.text);
    const auto per_line = [&](const char* name, const Stopwatch& watch) {
        run.report(name, watch.elapsed_ns() / static_cast<double>(made.line_count));
    };
    const int sample_count = run.is_quick() ? 3 : 15;
    for (int i = 0; i < sample_count; ++i) {
        vela::Diagnostics diagnostics;
        {
            const Stopwatch watch;
            const vela::TokenList list = vela::lex(source, diagnostics);
            per_line("vela_lex", watch);
        }
        {
            const HeapMeter memory;
            const Stopwatch watch;
            const vela::Tree tree = vela::parse(source, diagnostics);
            per_line("vela_parse", watch);
            run.report("vela_tree_bytes", memory.bytes_per(made.line_count));
        }
        fail_unless_clean(diagnostics);
        std::string text = made.text;
        const Stopwatch checking;
        const auto program = vela::check("generated.vela", std::move(text), no_files);
        per_line("vela_check", checking);
        fail_unless_clean(program->diagnostics);
        const Stopwatch lowering;
        const auto lowered = vela::lower(*program);
        per_line("vela_lower", lowering);
        const Stopwatch verifying;
        const auto problems = vela::verify(*lowered, program->types);
        per_line("vela_verify", verifying);
        if (problems.empty()) continue;
        std::fprintf(stderr, "bench_vela: the generated program does not verify\n");
        std::exit(1);
    }
}

}  // namespace
}  // namespace gyre::bench

int main(int argument_count, char** arguments) {
    using namespace gyre::bench;
    return run_program(
        argument_count, arguments,
        {{{{"vela_lex", "vela_parse", "vela_check", "vela_lower", "vela_verify", "vela_tree_bytes"},
           &measure}}});
}
