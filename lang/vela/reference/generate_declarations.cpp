// SPDX-License-Identifier: Apache-2.0
// A whole random program: a fixed prelude, functions that call only earlier ones, and a main that
// calls all.
#include <algorithm>

#include "lang/vela/reference/generator.hpp"
#include "lang/vela/reference/internal/generator.hpp"

namespace gyre::vela {

std::string random_program(std::uint64_t seed) {
    return internal::Generator(seed).program();
}

}  // namespace gyre::vela

namespace gyre::vela::internal {
namespace {

constexpr std::string_view prelude = R"vela(struct Pair { a: Number, b: String }
struct Box<T> { value: T, note: String = "box" }
enum Shape { Dot, Line(Number), Box(Number, label: String) }
enum Message { Add(Number), Slow(Number), Get(Promise<Number>) }
class OddError extends Error { }

class Counter {
  state count: Number
  step: Number
  constructor(step: Number = 1) { this.step = step }
  fn peek(self) -> Number { return count * this.step }
  async fn add(self, n: Number) -> Number {
    before = this.count
    await sleep(1)
    this.count = before + n
    return count
  }
  fn turn(self, n: Number) -> Number {
    (count, step, old) = (step % 100 + n, this.count, count)
    (total, _) = ((total + old) % 1000, step)
    return old + count - step
  }
}
class Early {
  shape: Shape
  note: String
  constructor(n: Number) {
    if n % 3 == 0 {
      shape = Line(n)
      return
    }
    (note, this_one) = ("late", n)
    match n % 2 {
      0 => this.shape = Dot
      _ => shape = Box(this_one, label: note)
    }
  }
}

interface Source {
  async fn read(self, n: Number) -> Number
  fn name(self) -> String
}
abstract class Base {
  reads: Number
  abstract fn factor(self) -> Number
  fn name(self) -> String { return "base ${this.factor()}" }
  async fn read(self, n: Number) -> Number {
    this.reads += await soon(1)
    return n * this.factor() + reads
  }
}
class Twice extends Base {
  override fn factor(self) -> Number { return 2 }
}
class Thrice extends Base {
  override fn factor(self) -> Number { return 3 }
  override fn name(self) -> String { return "thrice" }
}

state total: Number = 0

actor Adder {
  state sum: Number
  async fn handleMessage(self, msg: Message) -> void {
    match msg {
      Add(n) => this.sum = this.sum + n
      Slow(n) => {
        await sleep(n)
        this.sum = this.sum * 2 + n
        print("adder ${this.sum}")
      }
      Get(reply) => reply.send(this.sum)
    }
  }
}

fn seen<T>(tag: Number, value: T) -> T {
  print("#${tag} ${value}")
  return value
}
async fn later<T>(value: T, ms: Number) -> T {
  await sleep(ms)
  return value
}
async fn soon<T>(value: T) -> T { return value }
fn pick<T>(is_first: Bool, first: T, others: Sequence<T>) -> T {
  if is_first { return first }
  return others[0]
}
async fn risky(n: Number) -> Number {
  await sleep(1)
  if n % 3 == 0 { throw NetworkError("risky ${n}") }
  if n % 5 == 0 { throw OddError("odd ${n}") }
  return n
}
async fn worker(name: String, ms: Number) -> Number {
  try {
    await sleep(ms)
    print("${name} slept")
    return ms
  } catch (e: CancelledError) {
    print("${name} cancelled")
    throw e
  } finally {
    await soon(1)
    print("${name} leaves")
  }
}
fn grow(xs: List<Number>) -> Number {
  if xs.length < 6 { xs.push(7) }
  return xs.length
}
fn down(n: Number) -> Number { if n <= 0 { 0 } else { n + down(n - 1) } }
async fn climb(n: Number) -> Number {
  if n <= 0 { return 0 }
  return n + await climb(n - 1)
}
async fn mix(a: Number, b: Number = down(a % 4), c: String = "c") -> String {
  await sleep(1)
  return "${a}${c}${b}"
}
fn half(n: Number) -> Option<Number> {
  if n % 2 == 0 { return Some(n / 2) }
  return None
}
async fn fetch(n: Number) -> Result<Number, Error> {
  await sleep(n % 3)
  if n % 4 == 0 { return Err(ParseError("fetch ${n}")) }
  return Ok(n)
}
async fn count(n: Number) -> AsyncIterator<Number> {
  try {
    for i in 0..n {
      print("yields ${i}")
      yield i
      if i % 2 == 0 { await sleep(1) }
    }
  } finally {
    await sleep(1)
    print("count ends")
  }
}

)vela";

}  // namespace

std::string_view written(Kind kind) {
    switch (kind) {
        case Kind::boolean:
            return "Bool";
        case Kind::text:
            return "String";
        case Kind::list:
            return "List<Number>";
        case Kind::option:
            return "Option<Number>";
        case Kind::result:
            return "Result<Number, Error>";
        case Kind::shape:
            return "Shape";
        case Kind::pair:
            return "Pair";
        case Kind::tuple:
            return "(Number, String)";
        case Kind::map:
            return "Map<String, Number>";
        default:
            return "Number";
    }
}

std::string Generator::program() {
    std::string text(prelude);
    const int function_count = 2 + below(4);
    for (int i = 0; i < function_count; ++i) {
        constexpr Kind results[] = {Kind::number, Kind::number, Kind::boolean, Kind::text,
                                    Kind::list,   Kind::option, Kind::result,  Kind::shape};
        const Kind result = results[below(8)];
        const bool is_async = !one_in(4);
        const bool is_stream = is_async && one_in(5);
        text += function(put("f@", {std::to_string(i)}), result, is_async, is_stream) + "\n";
    }
    return text + main();
}

std::string Generator::function(const std::string& name, Kind result, bool is_async,
                                bool is_stream) {
    variables_ = {{"p", Kind::number}, {"q", Kind::text}, {"g", Kind::list}};
    setting_ = {};
    setting_.is_async = is_async;
    setting_.is_stream = is_stream;
    setting_.result = result;
    cost_ = 1;
    times_ = 1;
    level_ = 1;
    std::string text = is_async ? "async fn " : "fn ";
    text += name + "(p: Number, q: String, g: List<Number>) -> ";
    text += is_stream ? "AsyncIterator<Number>" : std::string(written(result));
    text += " {\n" + statements(4 + below(5), 3);
    if (is_stream) {
        text += put("  yield @\n", {number(2)});
    } else {
        text += ending(result);
    }
    callables_.push_back({name, result, is_async, is_stream, cost_ + 1});
    return text + "}\n";
}

// With `return`, or as the last expression.
std::string Generator::ending(Kind result) {
    if (one_in(4)) return put("  @\n", {chosen(result, 2)});
    if (one_in(4)) {
        const std::string condition = expr(Kind::boolean, 2);
        std::string text = put("  if @ {\n    ", {condition});
        text += put("@\n  } else {\n", {expr(result, 1)});
        ++level_;
        const std::size_t variable_count = variables_.size();
        text += statements(1, 1);
        text += put("    @\n  }\n", {expr(result, 1)});
        variables_.resize(variable_count);
        --level_;
        return text;
    }
    return put("  return @\n", {expr(result, 2)});
}

std::string Generator::main() {
    std::string text = "async fn main() -> void {\n";
    for (std::size_t i = 0; i < 2 * callables_.size(); ++i) {
        const Callable& callable = callables_[i / 2];
        variables_.clear();
        setting_ = {};
        setting_.is_async = true;
        setting_.may_leave = false;
        cost_ = 0;
        times_ = 1;
        level_ = 2;
        text += "  try {\n";
        const std::string call = put("@(@, @, @)", {callable.name, std::to_string(below(12)),
                                                    simple(Kind::text), simple(Kind::list)});
        if (callable.is_stream) {
            text += put("    for await x in @ { print(\"@ ${x}\") }\n", {call, callable.name});
        } else {
            const std::string_view form =
                callable.is_async ? "    print(\"@ = ${await @}\")\n" : "    print(\"@ = ${@}\")\n";
            text += put(form, {callable.name, call});
        }
        text += put("  } catch (e: Error) {\n    print(\"@ failed: ${e}\")\n", {callable.name});
        text += put("  } catch (e: CancelledError) {\n    print(\"@ was cancelled\")\n  }\n",
                    {callable.name});
    }
    text += "  await sleep(50)\n  print(\"end at ${now() > 0}\")\n}\n";
    return text;
}

std::string Generator::put(std::string_view form, std::initializer_list<std::string> parts) {
    std::string text;
    const std::string* part = parts.begin();
    for (const char c : form) {
        if (c == '@') {
            text += *part++;
        } else {
            text += c;
        }
    }
    return text;
}

std::string Generator::fresh(std::string_view stem) {
    return std::string(stem) + std::to_string(++name_count_);
}

std::string Generator::tag() {
    return std::to_string(++tag_count_);
}

std::string Generator::pause() {
    return std::to_string(below(4));
}

const Variable* Generator::variable(Kind kind, bool must_change) {
    std::vector<const Variable*> found;
    for (std::size_t i = 0; i < variables_.size(); ++i) {
        const Variable& at = variables_[i];
        if (at.kind != kind || (must_change && !at.may_change)) continue;
        const bool is_hidden =
            std::any_of(variables_.begin() + static_cast<std::ptrdiff_t>(i) + 1, variables_.end(),
                        [&](const Variable& other) { return other.name == at.name; });
        if (!is_hidden) found.push_back(&at);
    }
    if (found.empty()) return nullptr;
    return found[static_cast<std::size_t>(below(static_cast<int>(found.size())))];
}

const Callable* Generator::callable(Kind kind, bool is_async, bool is_stream) {
    // Bounds the running time.
    constexpr std::int64_t cost_max = 600;
    std::vector<const Callable*> found;
    for (const Callable& at : callables_) {
        const bool fits = at.is_async == is_async && at.is_stream == is_stream &&
                          (at.result == kind || is_stream);
        if (fits && cost_ + times_ * at.cost <= cost_max) found.push_back(&at);
    }
    if (found.empty()) return nullptr;
    const Callable* one = found[static_cast<std::size_t>(below(static_cast<int>(found.size())))];
    spend(one->cost);
    return one;
}

}  // namespace gyre::vela::internal
