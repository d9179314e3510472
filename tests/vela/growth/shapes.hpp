// SPDX-License-Identifier: Apache-2.0
// Programs of any size: each shape makes a text with about `count` equal parts, for tests of how the
// front end grows with its source. Pure functions; any thread.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace gyre::vela {

struct Shape {
    std::string_view name;
    std::function<std::string(std::size_t)> text;
};

// `part` for each number below `count`, with its number for every `#`, joined by `between`.
inline std::string repeated(std::size_t count, std::string_view part,
                            std::string_view between = "") {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) {
        if (i > 0) text += between;
        const std::string number = std::to_string(i);
        for (const char c : part) {
            if (c == '#') {
                text += number;
            } else {
                text += c;
            }
        }
    }
    return text;
}

inline Shape shape_of(std::string_view name, std::string_view before, std::string_view part,
                      std::string_view between, std::string_view after) {
    return {name, [=](std::size_t count) {
                return std::string(before) + repeated(count, part, between) + std::string(after);
            }};
}

// The parts of a function's body that declare variables, and then those that use all of them.
inline Shape two_parts(std::string_view name, std::string_view before, std::string_view part,
                       std::string_view middle, std::string_view other, std::string_view after) {
    return {name, [=](std::size_t count) {
                return std::string(before) + repeated(count, part) + std::string(middle) +
                       repeated(count, other) + std::string(after);
            }};
}

inline std::vector<Shape> all_shapes() {
    return {
        shape_of("type parameters", "fn f<", "T#", ", ", ">() -> void { }\n"),
        shape_of("parameters", "fn f(", "a#: Number", ", ", ") -> void { }\n"),
        shape_of("a tuple", "fn f() -> void { t = (", "#", ", ", "); print(t) }\n"),
        shape_of("a tuple type", "fn f(t: (", "Bool", ", ", ")) -> void { }\n"),
        two_parts("variants of a match", "enum E {\n", "  V#\n",
                  "}\nfn f(e: E) -> Number {\n  match e {\n", "    V# => #\n", "  }\n}\n"),
        two_parts("variants with payloads", "enum E {\n", "  V#(Option<Bool>)\n",
                  "}\nfn f(e: E) -> Number {\n  match e {\n",
                  "    V#(Some(true)) => #\n    V#(Some(false)) => 1\n    V#(None) => 0\n",
                  "  }\n}\n"),
        shape_of("numbers of a match", "fn f(n: Number) -> Number {\n  match n {\n", "    # => #\n",
                 "", "    _ => 0\n  }\n}\n"),
        shape_of("alternatives", "fn f(n: Number) -> Number {\n  match n {\n    ", "#", " | ",
                 " => 1\n    _ => 0\n  }\n}\n"),
        two_parts("locals across awaits",
                  "async fn g() -> Number { return 1 }\nasync fn f() -> Number {\n",
                  "  a# = await g()\n", "  state s = 0\n", "  s += a#\n", "  return s\n}\n"),
        two_parts("locals", "fn f() -> Number {\n", "  a# = #\n", "  state s = 0\n", "  s += a#\n",
                  "  return s\n}\n"),
        {"classes below each other",
         [](std::size_t count) {
             std::string text = "class C0 { }\n";
             for (std::size_t i = 1; i < count; ++i) {
                 text += "class C" + std::to_string(i) + " extends C" + std::to_string(i - 1) +
                         " { f" + std::to_string(i) + ": Number = 1 }\n";
             }
             return text;
         }},
        {"a cycle of classes",
         [](std::size_t count) {
             std::string text;
             for (std::size_t i = 0; i < count; ++i) {
                 text += "class C" + std::to_string(i) + " extends C" +
                         std::to_string((i + 1) % count) + " { }\n";
             }
             return text;
         }},
        shape_of("a list", "fn f() -> void { l = [", "#", ", ", "]; print(l) }\n"),
        shape_of("a mixed list", "class A { }\nclass B extends A { }\nfn f() -> void { l = [A(), ",
                 "B()", ", ", "]; print(l) }\n"),
        shape_of("a list of wrong items", "fn f() -> void { l = [1, ", "\"a#\"", ", ",
                 "]; print(l) }\n"),
        shape_of("a map", "fn f() -> void { m = {", "\"k#\": #", ", ", "}; print(m) }\n"),
        shape_of("a list of tuples", "fn f() -> void { l = [", "(#, Some(#))", ", ",
                 "]; print(l) }\n"),
        shape_of("functions", "", "fn f#(a: Number) -> Number { return a + # }\n", "", ""),
        shape_of("calls", "fn f(a: Number) -> Number { return a }\nfn g() -> void {\n",
                 "  print(f(#))\n", "", "}\n"),
        shape_of("fields", "struct S {\n", "  f#: Number\n", "",
                 "}\nfn f(s: S) -> Number { return s.f0 }\n"),
        shape_of("methods", "class S {\n", "  fn f#(self) -> Number { return # }\n", "", "}\n"),
        two_parts("an interface", "interface I {\n", "  fn f#(self) -> Number\n",
                  "}\nclass C implements I {\n", "  fn f#(self) -> Number { return # }\n", "}\n"),
        shape_of("aliases", "type A = Number\n", "type A# = A\n", "", ""),
        shape_of("tries", "fn f(a: Number) -> void {\n",
                 "  try { print(a) } catch (e: Error) { print(#) }\n", "", "}\n"),
        shape_of("lambdas", "fn f() -> void {\n", "  l# = (x: Number) => x + #\n", "", "}\n"),
        shape_of("unknown names", "fn f() -> void {\n", "  print(zzz#)\n", "", "}\n"),
        shape_of("yields", "async fn f() -> AsyncIterator<Number> {\n", "  yield #\n", "", "}\n"),
        shape_of("actors", "enum M { A }\n",
                 "actor X# { async fn handleMessage(self, m: M) -> void { print(#) } }\n", "", ""),
    };
}

}  // namespace gyre::vela
