// SPDX-License-Identifier: Apache-2.0
// The modules `system:...`, in the form of the standard surface.
#include "lang/vela/check/internal/standard.hpp"

namespace gyre::vela {

namespace {

constexpr std::string_view time_text = R"vela(
class TimeFunctions {
  fn now(self) -> Number { ... }
  fn format(self, ms: Number) -> String { ... }
  fn parse(self, text: String) -> Result<Number, ParseError> { ... }
}
time: TimeFunctions = TimeFunctions()
)vela";

constexpr std::string_view fs_text = R"vela(
fn readText(path: String) -> Future<String> { ... }
fn readBytes(path: String) -> Future<Bytes> { ... }
fn writeText(path: String, text: String) -> Future<void> { ... }
fn writeBytes(path: String, bytes: Bytes) -> Future<void> { ... }
fn append(path: String, text: String) -> Future<void> { ... }
fn exists(path: String) -> Future<Bool> { ... }
fn list(path: String) -> Future<List<String>> { ... }
fn remove(path: String) -> Future<void> { ... }
fn makeDir(path: String) -> Future<void> { ... }
fn watch(path: String) -> AsyncIterator<String> { ... }
)vela";

constexpr std::string_view process_text = R"vela(
class Output {
  status: Number
  stdout: String
  stderr: String
}
args: List<String> = []
fn env(name: String) -> Option<String> { ... }
fn exit(code: Number) -> never { ... }
fn run(command: String, args: List<String>) -> Future<Output> { ... }
)vela";

constexpr std::string_view net_text = R"vela(
interface Writable {
  fn toBytes(self) -> Bytes
}
class Connection {
  private constructor() { ... }
  fn read(self, max: Number) -> Future<Option<Bytes>> { ... }
  fn readLine(self) -> Future<Option<String>> { ... }
  fn write(self, content: Writable) -> Future<void> { ... }
  fn writeBytes(self, bytes: Bytes) -> Future<void> { ... }
  fn close(self) -> void { ... }
}
class Listener {
  port: Number
  private constructor() { ... }
  fn accept(self) -> Future<Connection> { ... }
  fn close(self) -> void { ... }
}
fn connect(address: String) -> Future<Connection> { ... }
fn listen(address: String) -> Future<Listener> { ... }
)vela";

// A literal is a DbValue where one is wanted (checker_literals.cpp). A Row is a Map at run time.
constexpr std::string_view db_text = R"vela(
enum DbValue { Null, Int(Number), Real(Float), Text(String), Blob(Bytes) }
class DbError extends Error {
  code: String
  kind: String
  constructor(message: String = "") { ... }
}
class Row {
  private constructor() { ... }
  fn get(self, name: String) -> Option<DbValue> { ... }
  fn number(self, name: String) -> Number { ... }
  fn real(self, name: String) -> Float { ... }
  fn text(self, name: String) -> String { ... }
  fn blob(self, name: String) -> Bytes { ... }
  fn isNull(self, name: String) -> Bool { ... }
  fn names(self) -> List<String> { ... }
}
class Database {
  private constructor() { ... }
  static fn open(url: String) -> Future<Database> { ... }
  fn query(self, sql: String, params: List<DbValue> = []) -> Future<List<Row>> { ... }
  fn execute(self, sql: String, params: List<DbValue> = []) -> Future<Number> { ... }
  fn transaction<T>(self, body: (Database) -> Future<T>) -> Future<T> { ... }
  fn close(self) -> void { ... }
}
)vela";

constexpr std::string_view effects_text = R"vela(
enum Outcome { Value(Json), Failed(String), Cancelled(String) }
class EffectFunctions {
  fn perform(self, op: String, args: List<Json>) -> Future<Json> { ... }
  fn run(self, f: () -> Future<Json>, handlers: Map<String, (List<Json>) -> Future<Json>>) -> Future<Outcome> { ... }
}
effects: EffectFunctions = EffectFunctions()
)vela";

constexpr std::string_view sim_text = R"vela(
fn chance(name: String, part: Number, of: Number) -> Bool { ... }
fn maybeDelay(name: String) -> Future<void> { ... }
)vela";

// The names of those without a text are in every program.
constexpr SystemModule system_modules[] = {
    {"system:actors", ""},
    {"system:db", db_text},
    {"system:effects", effects_text},
    {"system:fs", fs_text},
    {"system:http", ""},
    {"system:json", ""},
    {"system:net", net_text},
    {"system:process", process_text},
    {"system:sim", sim_text},
    {"system:test", ""},
    {"system:time", time_text},
};

}  // namespace

std::span<const SystemModule> all_system_modules() {
    return system_modules;
}

}  // namespace gyre::vela
