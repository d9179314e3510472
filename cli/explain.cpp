// SPDX-License-Identifier: Apache-2.0
// gyre explain: what a diagnostic of Vela means, with a wrong and a right program.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "cli/commands.hpp"

namespace gyre::cli {
namespace {

struct Explanation {
    std::string_view code;
    std::string_view title;
    std::string_view text;
    std::string_view wrong;
    std::string_view right;
};

constexpr Explanation explanations[] = {
    {"E0101", "a character or token that Vela does not have",
     R"(A file is UTF-8 text. Strings stand in straight quotes and are closed on their line;
a Number has 64 bits.)",
     R"(fn main() -> void {
  print("hello)
}
)",
     R"(fn main() -> void {
  print("hello")
}
)"},
    {"E0201", "syntax",
     R"(The tokens do not form a declaration, a statement or an expression. The message says
what was expected, and often which habit of another language it may be.)",
     R"(fn main() -> void {
  const x = 1
}
)",
     R"(fn main() -> void {
  x = 1
  print(x)
}
)"},
    {"E0301", "`await` outside of an async function",
     R"(`await` suspends the function around it, which must be `async`. A lambda inside an
async function is not async by itself.)",
     R"(async fn get() -> Number { return 1 }
fn main() -> void {
  print(await get())
}
)",
     R"(async fn get() -> Number { return 1 }
async fn main() -> void {
  print(await get())
}
)"},
    {"E0302", "`await` of what is no Future",
     R"(Only a Future can be awaited: the call of an async function, `sleep(..)`, a task,
`promise.future()`.)",
     R"(async fn main() -> void {
  x = 5
  print(await x)
}
)",
     R"(async fn main() -> void {
  x = Future.ready(5)
  print(await x)
}
)"},
    {"E0303", "a type that does not fit",
     R"(A value stands where another type is wanted. A container that can be written to fits
only a container of the same elements; a parameter that is only read can be a
`Sequence<T>`.)",
     R"(fn main() -> void {
  name: String = 5
  print(name)
}
)",
     R"(fn main() -> void {
  name: String = "${5}"
  print(name)
}
)"},
    {"E0304", "`?` where nothing can be passed on",
     R"(`?` returns the error of a Result or the None of an Option. The function must return
such a type, or be async: then its Future is rejected.)",
     R"(fn parse(s: String) -> Number {
  return s.toNumber()?
}
)",
     R"(fn parse(s: String) -> Result<Number, ParseError> {
  return Ok(s.toNumber()?)
}
)"},
    {"E0305", "a `match` that leaves out a case",
     R"(A `match` has an arm for every value of its subject. `_ => ..` takes the rest.)",
     R"(fn f(n: Option<Number>) -> Number {
  match n {
    Some(x) => x
  }
}
)",
     R"(fn f(n: Option<Number>) -> Number {
  match n {
    Some(x) => x
    None => 0
  }
}
)"},
    {"E0306", "`throw` of what is no error",
     R"(Errors are objects of the class Error or of a class that extends it, so that `catch`
can tell them apart.)",
     R"(fn f() -> void {
  throw "bad"
}
)",
     R"(fn f() -> void {
  throw Error("bad")
}
)"},
    {"E0307", "an unknown name",
     R"(Nothing of this name is declared, imported or built in, or the type has no such
member.)",
     R"(fn main() -> void {
  total = 1
  print(totla)
}
)",
     R"(fn main() -> void {
  total = 1
  print(total)
}
)"},
    {"E0308", "a path without a value", R"(A function with a result returns one on every path.)",
     R"(fn sign(n: Number) -> Number {
  if n < 0 { return 0 - 1 }
}
)",
     R"(fn sign(n: Number) -> Number {
  if n < 0 { return 0 - 1 }
  return 1
}
)"},
    {"E0309", "`scope`, `for await` or `yield` outside of an async function",
     R"(These suspend the function around them, which must be `async`; `yield` needs one
that returns an AsyncIterator.)",
     R"(fn main() -> void {
  scope { print(1) }
}
)",
     R"(async fn main() -> void {
  scope { print(1) }
}
)"},
    {"E0310", "a field without a value",
     R"(Numbers, text, lists, maps and options have a value to begin with. A field of any
other type gets one where it is declared, or on every path of the constructor.)",
     R"(struct Point { x: Number }
class Shape {
  at: Point
}
)",
     R"(struct Point { x: Number }
class Shape {
  at: Point
  constructor() { this.at = Point(1) }
}
)"},
    {"E0311", "a value that cannot be sent to an actor",
     R"(Only values pass between actors: numbers, text, structs and enums, lists and maps of
such, references to actors, promises, errors. Objects of classes, streams and
closures that capture them do not.)",
     R"(class Conn { id: Number = 0 }
actor Worker {
  async fn handleMessage(self, msg: Conn) -> void { print(msg.id) }
}
async fn main() -> void {
  spawn(Worker()).send(Conn())
}
)",
     R"(struct Conn { id: Number = 0 }
actor Worker {
  async fn handleMessage(self, msg: Conn) -> void { print(msg.id) }
}
async fn main() -> void {
  spawn(Worker()).send(Conn(1))
}
)"},
    {"E0312", "state of a module in an actor",
     R"(A variable of a module that changes belongs to the loop of `main`. An actor keeps
its state in its fields, and gets values in messages.)",
     R"(state count = 0
actor Worker {
  async fn handleMessage(self, msg: Number) -> void { count += msg }
}
)",
     R"(actor Worker {
  state count: Number = 0
  async fn handleMessage(self, msg: Number) -> void { this.count += msg }
}
)"},
    {"E0313", "a member that is not visible",
     R"(A `private` member is for its own class, a `protected` one for the classes below
too. The fields of an actor are for the actor alone.)",
     R"(class Account { private total: Number = 0 }
fn f(a: Account) -> Number { return a.total }
)",
     R"(class Account {
  private total: Number = 0
  fn read(self) -> Number { return this.total }
}
fn f(a: Account) -> Number { return a.read() }
)"},
    {"E0314", "an import that fails",
     R"(The file or module does not exist, cannot be read, or imports the file that imports
it.)",
     R"(import 'system:htpp'
fn main() -> void { }
)",
     R"(import 'system:http'
fn main() -> void { }
)"},
    {"E0315", "a rule of types is broken",
     R"(A class extends one class and defines what is abstract; built-in classes other than
errors cannot be extended; a struct cannot contain itself; an interface cannot be
made.)",
     R"(struct Node { value: Number, next: Node }
)",
     R"(struct Node { value: Number, next: Option<Node> }
)"},
    {"E0316", "`this` or `super` where there is none",
     R"(`this` is known inside a class or an actor. `super(..)` is the first statement of a
constructor of a class that extends one.)",
     R"(fn main() -> void {
  print(this.name)
}
)",
     R"(class Person {
  name: String = "Ana"
  fn show(self) -> void { print(this.name) }
}
)"},
    {"E0317", "declared twice",
     R"(Two declarations of one block, class or file have the same name, or an argument is
given twice.)",
     R"(fn f() -> void { }
fn f() -> void { }
)",
     R"(fn f() -> void { }
fn g() -> void { }
)"},
    {"E0318", "`break` or `continue` outside of a loop",
     R"(They leave or continue the innermost loop of the same function.)",
     R"(fn main() -> void {
  break
}
)",
     R"(fn main() -> void {
  while true { break }
}
)"},
    {"W0401", "a Future that nobody awaits",
     R"(An async function runs only when its Future is awaited, spawned or given to a
combinator.)",
     R"(async fn work() -> void { }
async fn main() -> void {
  work()
}
)",
     R"(async fn work() -> void { }
async fn main() -> void {
  await work()
}
)"},
    {"W0402", "a variable that changes without `state`",
     R"(With `--strict`, a variable that is assigned again is marked `state` where it is
declared.)",
     R"(fn main() -> void {
  x = 1
  x = 2
  print(x)
}
)",
     R"(fn main() -> void {
  state x = 1
  x = 2
  print(x)
}
)"},
    {"W0403", "code that can never run",
     R"(An arm behind arms that take all its values, a statement behind `return`, a `catch`
behind one for a wider class.)",
     R"(fn f() -> Number {
  return 1
  print(2)
}
)",
     R"(fn f() -> Number {
  print(2)
  return 1
}
)"},
    {"W0404", "a dropped Result",
     R"(A Result may hold an error, which nobody sees if the Result is not used.)",
     R"(fn save() -> Result<Number, Error> { return Ok(1) }
fn main() -> void {
  save()
}
)",
     R"(fn save() -> Result<Number, Error> { return Ok(1) }
fn main() -> void {
  match save() {
    Ok(n) => print(n)
    Err(e) => print(e)
  }
}
)"},
};

std::string indented(std::string_view program) {
    std::string result = "    ";
    for (const char c : program.substr(0, program.size() - 1)) {
        result += c;
        if (c == '\n') result += "    ";
    }
    return result;
}

void show(const Explanation& found) {
    std::printf("%s: %s\n\n%s\n\nWrong:\n\n%s\n\nRight:\n\n%s\n", found.code.data(),
                found.title.data(), found.text.data(), indented(found.wrong).c_str(),
                indented(found.right).c_str());
}

ExitCode run_explain(std::string code) {
    if (code.empty()) {
        for (const Explanation& each : explanations) {
            std::printf("%s  %s\n", each.code.data(), each.title.data());
        }
        return ExitCode::fine;
    }
    std::transform(code.begin(), code.end(), code.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    const auto* found = std::find_if(std::begin(explanations), std::end(explanations),
                                     [&](const Explanation& each) { return each.code == code; });
    if (found == std::end(explanations)) {
        std::fprintf(stderr, "gyre explain: there is no code %s; gyre explain lists them\n",
                     code.c_str());
        return ExitCode::usage;
    }
    show(*found);
    return ExitCode::fine;
}

}  // namespace

void add_explain(CLI::App& program, ExitCode& exit_code) {
    CLI::App* command = program.add_subcommand(
        "explain",
        "Explain a diagnostic of Vela, as in gyre explain E0303; without a code, list all");
    auto code = std::make_shared<std::string>();
    command->add_option("CODE", *code, "The code of a diagnostic")->type_name("");
    command->callback([code, &exit_code] { exit_code = run_explain(*code); });
}

}  // namespace gyre::cli
