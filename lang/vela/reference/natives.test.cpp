// SPDX-License-Identifier: Apache-2.0
// The standard surface, used by programs.
#include "lang/vela/reference/natives.hpp"
#include "lang/vela/run/internal/native_library.hpp"

#include "lang/vela/reference/run_text.hpp"

namespace gyre::vela {
namespace {

TEST(VelaNatives, are_there_for_all_that_needs_no_socket) {
    SourceTable no_files;
    const auto program = check("a.vela", "", no_files);
    int count = 0;
    for (const FunctionInfo& function : program->functions) {
        const bool is_body = function.node->body != nullptr;
        if (!is_body || function.node->kind == DeclKind::constructor) continue;
        const std::string_view owner =
            function.owner == nullptr ? std::string_view() : function.owner->name.text;
        if (owner.starts_with("Http") || owner == "Response") continue;
        // What came with the machine is there alone.
        const std::string name = owner.empty() ? std::string(function.name.text)
                                               : concat(owner, ".", function.name.text);
        const bool is_on_machine = vm::core_natives().contains(name);
        EXPECT_TRUE(is_on_machine) << name;
        if (!has_native(function)) continue;
        ++count;
    }
    EXPECT_GE(count, 80);  // in the reference too
}

TEST(VelaNatives, lists_and_ranges) {
    EXPECT_EQ(
        output_of_main(R"(
  xs = [3, 1, 2]
  xs.push(5); print("${xs.pop()} ${xs.length} ${xs.isEmpty()} ${xs.get(1)} ${xs.get(9)} ${xs.get(-1)}")
  print("${xs.map(x => x * 2)} ${xs.filter(x => x > 1)} ${xs.reduce("", (t, x) => t + x)}")
  xs.forEach(x => print(x)); xs.forEachIndexed((i, x) => print(i * 10 + x))
  print("${xs.find(x => x < 3)} ${xs.any(x => x == 2)} ${xs.every(x => x == 2)} ${xs.contains(1)}")
  print("${xs.join("-")} ${xs.join()} ${xs.chunk(2)} ${xs.chunk(2).flatten()} ${xs.concat([9])}")
  print("${xs.take(2)} ${xs.take(-1)} ${xs.drop(1)} ${xs.drop(9)} ${xs.reverse()} ${xs.sum()} ${[0.5].sum()}")
  print("${(1..4).map(x => x)} ${(1..=4).length} ${(4..1).isEmpty} ${1..3} ${(1..=3)[2]}")
  try { print(xs.chunk(0)) } catch (e: Error) { print(e) }
  try { xs[7] = 1 } catch (e: Error) { print(e) }
  e: List<Number> = []
  print("${e.pop()} ${e.sum()} ${[[1], [2]] == [[1], [2]]}"))"),
        "Some(5) 3 false Some(1) None None\n[6, 2, 4] [3, 2] 312\n3\n1\n2\n3\n11\n22\n"
        "Some(1) true false true\n3-1-2 312 [[3, 1], [2]] [3, 1, 2] [3, 1, 2, 9]\n"
        "[3, 1] [] [1, 2] [] [2, 1, 3] 6 0.5\n[1, 2, 3] 4 true 1..3 3\n"
        "Error: A chunk has at least one item\nError: Index 7 is out of range\nNone 0 true\n");
}

TEST(VelaNatives, maps_sets_and_queues) {
    EXPECT_EQ(output_of_main(R"(
  m = {"b": 1, "a": 2, "b": 3}
  m.set("c", 4); m.set("a", 5)
  print("${m} ${m.get("a")} ${m.get("z")} ${m.remove("b")} ${m.remove("b")} ${m.has("c")} ${m.length}")
  print("${m.keys()} ${m.values()} ${m.isEmpty} ${m == {"c": 4, "a": 5}}")
  for (k, v) in m { m.set("new ${k}", v) }
  print(m)
  s: Set<Number> = [1, 2, 1]
  s.add(2); s.add(3)
  print("${s} ${s.remove(1)} ${s.remove(1)} ${s.has(3)} ${s.length}")
  q: Queue<Number> = [1, 2]
  q.push(3)
  print("${q.pop()} ${q}"))"),
              "{\"b\": 3, \"a\": 5, \"c\": 4} Some(5) None Some(3) None true 2\n"
              "[\"a\", \"c\"] [5, 4] false true\n"
              "{\"a\": 5, \"c\": 4, \"new a\": 5, \"new c\": 4}\n"
              "{1, 2, 3} true false true 2\nSome(1) [2, 3]\n");
}

TEST(VelaNatives, texts) {
    EXPECT_EQ(output_of_main(R"(
  s = " Añb,c "
  print("${s.length} ${s.trim()} ${s.contains("ñ")} ${s.startsWith(" A")} ${s.endsWith("c")} ${"".isEmpty}")
  print("${s.split(",")} ${"añ".split("")} ${"aXbX".replace("X", "--")} ${"a".replace("", "b")}")
  print("${"aXb".toUpperCase()} ${"aXb".toLowerCase()} ${"42".toNumber()} ${"4x".toNumber()} ${"-1".toNumber()}")
  print("tab\tnew\\n \$ \"q\" " + 'raw ${no} \n' + 1.5 + true))"),
              "7 Añb,c true true false true\n"
              "[\" Añb\", \"c \"] [\"a\", \"ñ\"] a--b-- a\n"
              "AXB axb Ok(42) Err(ParseError: \"4x\" is not a Number) Ok(-1)\n"
              "tab\tnew\\n $ \"q\" raw ${no} \\n1.5true\n");
}

TEST(VelaNatives, options_and_results) {
    EXPECT_EQ(
        output_of(
            R"(fn some(n: Number) -> Option<Number> { if n > 0 { return Some(n) } else { return None } }
fn ok(n: Number) -> Result<Number, String> { if n > 0 { return Ok(n) } else { return Err("low") } }
fn main() -> void {
  print("${some(1).unwrap()} ${some(0).unwrapOr(7)} ${some(2).map(n => n + 1)} ${some(0).map(n => n + 1)}")
  print("${some(1).isSome} ${some(1).isNone()} ${some(0) ?? 3} ${some(3).okOr("no")} ${some(0).okOr("no")}")
  print("${ok(1).unwrap()} ${ok(0).unwrapOr(7)} ${ok(2).map(n => n + 1)} ${ok(0).map(n => n + 1)}")
  print("${ok(1).isOk} ${ok(1).isErr} ${ok(0).mapErr(e => e.length)} ${ok(1).mapErr(e => e.length)} ${ok(0) ?? 5}")
  try { print(some(0).unwrap()) } catch (e: NoneError) { print(e) }
  try { print(ok(0).unwrap()) } catch (e: Error) { print(e) }
}
)"),
        "1 7 Some(3) None\ntrue false 3 Ok(3) Err(\"no\")\n1 7 Ok(3) Err(\"low\")\n"
        "true false Err(3) Ok(1) 5\nNoneError: unwrapped None\nError: low\n");
}

TEST(VelaNatives, futures_and_promises) {
    EXPECT_EQ(output_of(R"(async fn get(n: Number, ms: Number) -> Number {
  await sleep(ms)
  if n == 0 { throw NetworkError("zero") }
  return n
}
async fn main() -> void {
  print("${await get(1, 1).map(n => n + 1)} ${await get(2, 1).flatMap(n => get(n * 2, 1))}")
  print("${await get(0, 1).catch(e => 5)} ${await get(0, 1).catch(e => get(6, 1))} ${await get(1, 1).or(get(2, 1))}")
  print("${await get(0, 1).or(get(2, 1))} ${await get(1, 2).and(get(2, 1))} ${now()}")
  try { print(await get(1, 9).and(get(0, 1))) } catch (e: Error) { print(e) }
  print("${await Future.timeout(get(1, 5), 5)} ${await Future.timeout(get(1, 4), 5)}")
  p = Promise<Number>()
  print(p.isSettled)
  p.send(4)
  print("${p.isSettled} ${await p.future()} ${await Future.fromPromise(p)}")
  f: Future<Number> = Future.reject(ParseError("bad"))
  try { print(await f) } catch (e: ParseError) { print(e) }
  try { assert(false, "must") } catch (e: AssertionError) { print(e) }
  try { assert(true); panic("stop") } catch (e: Error) { print(e) }
}
)"),
              "2 4\n5 6 1\n2 (1, 2) 11\nNetworkError: zero\n"
              "Err(TimeoutError: Timeout after 5ms) Ok(1)\nfalse\ntrue 4 4\nParseError: bad\n"
              "AssertionError: must\nError: stop\n");
}

TEST(VelaNatives, streams_and_timers) {
    EXPECT_EQ(output_of_main(R"(
  print(await AsyncIterator.interval(10, 3).map(n => n + now() * 0).collect())
  print("${now()} ${await AsyncIterator.fromList([1, 2, 3, 4]).filter(n => n % 2 == 0).collect()}")
  one = AsyncIterator.fromList(["a"])
  print("${await one.next()} ${await one.next()} ${await one.next()}")
  setTimeout(() => print("second"), 2); setTimeout(() => print("third"), 2); setTimeout(() => print("first"), 1)
  t = setTimeout(() => print("never"), 1)
  clearTimeout(t)
  try { await AsyncIterator.fromList([1, 0]).map(n => 1 / n).collect() } catch (e: Error) { print(e) })"),
              "[0, 1, 2]\n30 [2, 4]\nSome(\"a\") None None\nError: Division by zero\nfirst\n"
              "second\nthird\n");
}

TEST(VelaNatives, json) {
    EXPECT_EQ(output_of(R"(struct User { id: Number, tags: List<String>, boss: Option<String> }
enum Level { Low, High(Number) }
fn main() -> void {
  print(json.encode(User(1, ["a\"b"], None)))
  print(json.encode([Some(Low), None, Some(High(2))]) + json.encode({"k": 1.5}) + json.encode((1, true)))
  print(json.decode("{\"a\": [1, 2.5, \"x\", null, true], \"b\": {}}"))
  print(json.decode("[1,"))
}
)"),
              "{\"id\":1,\"tags\":[\"a\\\"b\"],\"boss\":null}\n"
              "[\"Low\",null,{\"High\":[2]}]{\"k\":1.5}[1,true]\n"
              "Ok({\"a\": [1, 2.5, \"x\", None, true], \"b\": {}})\nErr(ParseError: not JSON)\n");
}

}  // namespace
}  // namespace gyre::vela
