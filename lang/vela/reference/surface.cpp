// SPDX-License-Identifier: Apache-2.0
#include "lang/vela/reference/internal/surface.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include "gyre/base/assert.hpp"
#include "lang/vela/check/check.hpp"

namespace gyre::vela::internal {

const char* const surface_prelude = R"vela(
struct P { a: Number, state b: String }
enum E { One, Two(Number), Three(String, List<Number>) }
class C {
  state n: Number
  items: List<String> = []
  constructor(n: Number) { this.n = n }
  fn up(self, by: Number) -> Number { this.n += by; return this.n }
  fn name(self) -> String { return "C${this.n}" }
}
class D extends C {
  constructor(n: Number) { super(n) }
  override fn name(self) -> String { return "D${this.n}" }
}
class Oops extends Error { }
interface Named { fn name(self) -> String }
async fn later<T>(value: T, ms: Number) -> T {
  await sleep(ms)
  return value
}
async fn refused<T>(value: T) -> T {
  await sleep(1)
  if now() > 0 { throw Oops("refused") }
  return value
}
async fn each<T>(items: List<T>) -> AsyncIterator<T> {
  for item in items { yield item }
}
fn toJson(value: Json) -> Json { return value }
fn none<T>() -> Option<T> { return None }
fn failed<T>() -> Result<T, Error> { return Err(Oops("failed")) }
fn fine<T>(value: T) -> Result<T, Error> { return Ok(value) }
fn list<T>() -> List<T> { return [] }
fn list2<T>(a: T, b: T) -> List<T> { return [a, b] }
fn queue2<T>(a: T, b: T) -> Queue<T> { return [a, b] }
fn attempt<T>(f: () -> T, other: T) -> T {
  try { return f() } catch (e: Error) { return other } finally { f }
}
)vela";

std::string Shape::text() const {
    const auto listed = [](auto begin, auto end) {
        std::string all;
        for (auto at = begin; at != end; ++at) all += (at == begin ? "" : ", ") + at->text();
        return all;
    };
    if (name == "(") return "(" + listed(args.begin(), args.end()) + ")";
    if (name == "->")
        return "(" + listed(args.begin(), args.end() - 1) + ") -> " + args.back().text();
    return args.empty() ? name : name + "<" + listed(args.begin(), args.end()) + ">";
}

namespace {

Shape shape_of(const Type* type) {
    type = known(type);
    Shape made;
    for (const Type* arg : type->args) made.args.push_back(shape_of(arg));
    switch (type->sort) {
        case TypeSort::parameter:
            made.name = "$" + std::string(type->name);
            break;
        case TypeSort::tuple:
            made.name = "(";
            break;
        case TypeSort::function:
            made.name = "->";
            made.args.push_back(shape_of(type->result));
            break;
        case TypeSort::nominal:
            made.name = type->info->name.text;
            break;
        default:
            made.name = "never";
    }
    return made;
}

// What needs a host, and what ends the program.
bool is_left_out(std::string_view name) {
    constexpr std::string_view all[] = {"Request",    "Response",   "StreamedResponse",
                                        "HttpServer", "HttpClient", "ActorRef",
                                        "RoutePath",  "Waker",      "poll",
                                        "pending",    "httpClient", "TaskMembers"};
    return std::ranges::find(all, name) != std::end(all);
}

class Reader {
public:
    explicit Reader(std::vector<Way>& ways) : ways_(ways) {}

    void read(const Program& program) {
        for (const auto& [name, symbol] : program.standard.declared) read_symbol(symbol);
        for (const auto& [name, symbol] : program.order.back()->declared) read_symbol(symbol);
    }

private:
    void read_symbol(const Symbol& symbol) {
        if (is_left_out(symbol.name.text)) return;
        if (symbol.kind == SymbolKind::function) add_call(*symbol.function, "", nullptr);
        if (symbol.kind == SymbolKind::type) read_type(*symbol.info);
        if (symbol.kind == SymbolKind::variable) {
            ways_.push_back({std::string(symbol.name.text), {}, shape_of(symbol.type)});
        }
    }
    void read_type(const TypeInfo& info) {
        const std::string name(info.name.text);
        Shape self = shape_of(info.self);
        constexpr std::string_view suffix = "Members";
        if (name.ends_with(suffix)) self.name = name.substr(0, name.size() - suffix.size());
        for (const FieldInfo& field : info.fields) {
            ways_.push_back({"@." + std::string(field.name.text), {self}, shape_of(field.type)});
        }
        for (const FunctionInfo* method : info.methods) {
            if (is_left_out(method->name.text)) continue;
            add_call(*method, method->is_static ? name + "." : "@.", &self);
        }
        for (const VariantInfo& variant : info.variants) {
            Way way{std::string(variant.name.text), {}, self};
            for (const ParamInfo& arg : variant.args) way.parts.push_back(shape_of(arg.type));
            if (!way.parts.empty()) way.form += call_text(way.parts.size());
            ways_.push_back(std::move(way));
        }
    }
    void add_call(const FunctionInfo& function, const std::string& before, const Shape* self) {
        Way way{before + std::string(function.name.text), {}, shape_of(function.result)};
        if (before == "@.") way.parts.push_back(*self);
        for (const ParamInfo& param : function.params) way.parts.push_back(shape_of(param.type));
        way.form += call_text(function.params.size());
        ways_.push_back(std::move(way));
    }
    static std::string call_text(std::size_t count) {
        std::string text = "(";
        for (std::size_t i = 0; i < count; ++i) text += i == 0 ? "@" : ", @";
        return text + ")";
    }

    std::vector<Way>& ways_;
};

void add_operators(std::vector<Way>& ways) {
    const Shape number{"Number"};
    const Shape real{"Float"};
    const Shape text{"String"};
    const Shape truth{"Bool"};
    const Shape t{"$T"};
    const Shape u{"$U"};
    for (const char* op : {"+", "-", "*", "/", "%", "**"}) {
        const std::string form = std::string("(@ ") + op + " @)";
        ways.push_back({form, {number, number}, number});
        ways.push_back({form, {real, number}, real});
        ways.push_back({form, {real, real}, real});
    }
    for (const char* op : {"<", "<=", ">", ">="}) {
        const std::string form = std::string("(@ ") + op + " @)";
        ways.push_back({form, {number, real}, truth});
        ways.push_back({form, {text, text}, truth});
    }
    const Way more[] = {
        {"(@ == @)", {t, t}, truth},
        {"(@ != @)", {t, t}, truth},
        {"(@ && @)", {truth, truth}, truth},
        {"(@ || @)", {truth, truth}, truth},
        {"(!@)", {truth}, truth},
        {"(-@)", {number}, number},
        {"(@ + @)", {text, t}, text},
        {"\"<${@}>\"", {t}, text},
        {"(@..@)", {number, number}, {"Range"}},
        {"(@..=@)", {number, number}, {"Range"}},
        {"(@ ?? @)", {{"Option", {t}}, t}, t},
        {"(@ ?? @)", {{"Result", {t, {"Error"}}}, t}, t},
        {"@[@]", {{"List", {t}}, number}, t},
        {"@.0", {{"(", {t, u}}}, t},
        {"@.1", {{"(", {t, u}}}, u},
        {"(@, @)", {t, u}, {"(", {t, u}}},
        {"[@, @]", {t, t}, {"List", {t}}},
        {"(if @ { @ } else { @ })", {truth, t, t}, t},
        {"(if let Some(some) = @ { some } else { @ })", {{"Option", {t}}, t}, t},
        {"(match @ { Some(some) => some, None => @ })", {{"Option", {t}}, t}, t},
        {"(match @ { Ok(_) => @, Err(error) => throw error })", {{"Result", {t, {"Error"}}}, u}, u},
        {"(match @ { One => @, Two(n) if n > 1 => @, _ => @ })", {{"E"}, t, t, t}, t},
        {"(match @ { 0 | 1 => @, n => @ })", {number, t, t}, t},
        {"(match (@, @) { (a, b) => a })", {t, u}, t},
        {"@(@)", {{"->", {u, t}}, u}, t},
        {"@()", {{"->", {t}}}, t},
        {"P(@, @)", {number, text}, {"P"}},
        {"P { b: @, a: @ }", {text, number}, {"P"}},
        {"C(@)", {number}, {"C"}},
        {"D(@)", {number}, {"C"}},
        {"Oops(@)", {text}, {"Error"}},
        {"Promise<Number>()", {}, {"Promise", {number}}},
        {"@?.length", {{"Option", {text}}}, {"Option", {number}}},
        {"@?.up(@)", {{"Option", {{"C"}}}, number}, {"Option", {number}}},
        {"async { @ }", {t}, {"Future", {t}}},
        {"spawn(@)", {{"Future", {t}}}, {"TaskHandle", {t}}},
        {"(await @)", {{"Future", {t}}}, t, true},
        {"(await @)", {{"TaskHandle", {t}}}, t, true},
    };
    ways.insert(ways.end(), std::begin(more), std::end(more));
}

}  // namespace

const std::vector<Way>& all_ways() {
    static const std::vector<Way> ways = [] {
        SourceTable no_files;
        const auto program = check("surface.vela", surface_prelude, no_files);
        GYRE_ASSERT(!program->diagnostics.has_errors(), "the prelude is correct");
        std::vector<Way> made;
        Reader(made).read(*program);
        add_operators(made);
        // The tables are hashed: a seed gives the same program everywhere.
        std::ranges::sort(made, {}, [](const Way& way) {
            std::string key = way.form + " " + way.result.text();
            for (const Shape& part : way.parts) key += " " + part.text();
            return key;
        });
        return made;
    }();
    return ways;
}

}  // namespace gyre::vela::internal
