// SPDX-License-Identifier: Apache-2.0
#include "lang/vela/reference/surface_programs.hpp"

#include <map>
#include <optional>
#include <vector>

#include "gyre/base/random.hpp"
#include "lang/vela/reference/internal/surface.hpp"

namespace gyre::vela {
namespace {

using internal::Shape;
using internal::Way;
using Bindings = std::map<std::string, Shape>;

bool unify(const Shape& pattern, const Shape& wanted, Bindings& bindings) {
    if (pattern.is_parameter()) {
        const auto [found, is_new] = bindings.try_emplace(pattern.name, wanted);
        return is_new || found->second == wanted;
    }
    if (pattern.name != wanted.name || pattern.args.size() != wanted.args.size()) return false;
    for (std::size_t i = 0; i < pattern.args.size(); ++i) {
        if (!unify(pattern.args[i], wanted.args[i], bindings)) return false;
    }
    return true;
}

class SurfaceGenerator {
public:
    explicit SurfaceGenerator(std::uint64_t seed) : random_(seed) {}

    std::string program() {
        std::string body;
        const std::size_t count = 3 + below(4);
        for (std::size_t i = 0; i < count; ++i) {
            const Shape type = random_type(2);
            const std::string name = "v" + std::to_string(i);
            body += "  state " + name + ": " + type.text() + " = " + simple(type) + "\n";
            body +=
                "  try { " + name + " = " + expr(type, 3) + " } catch (e: Error) { print(e) }\n";
            variables_.push_back({name, type});
            body += "  print(\"" + name + " ${" + name + "}\")\n";
        }
        return std::string(internal::surface_prelude) + "async fn main() -> void {\n" + body +
               "}\n";
    }

private:
    struct Variable {
        std::string name;
        Shape type;
    };

    std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_.below(bound)); }
    template <class T>
    const T& pick(const std::vector<T>& all) {
        return all[below(all.size())];
    }

    Shape random_key() {
        const std::vector<Shape> all = {{"Number"}, {"String"}, {"Bool"}, {"Float"}, {"E"}, {"P"}};
        return all[below(4)];
    }
    Shape random_type(int depth) {
        const std::vector<Shape> plain = {{"Number"}, {"Float"}, {"String"}, {"Bool"}, {"P"},
                                          {"E"},      {"C"},     {"Bytes"},  {"Json"}, {"Range"}};
        if (depth == 0 || random_.one_in(3)) return pick(plain);
        const Shape one = random_type(depth - 1);
        switch (below(11)) {
            case 0:
                return {"Map", {random_key(), one}};
            case 1:
                return {"Set", {random_key()}};
            case 2:
                return {"(", {one, random_type(depth - 1)}};
            case 3:
                return {"->", {random_type(depth - 1), one}};
            case 4:
                return {"Result", {one, {"Error"}}};
            case 5:
                return {"Future", {one}};
            case 6:
                return {"AsyncIterator", {one}};
            case 7:
                return {"Queue", {one}};
            case 8:
                return {"Option", {one}};
            default:
                return {"List", {one}};
        }
    }

    // A value that needs nothing else.
    std::string simple(const Shape& type) {
        static const std::map<std::string, std::vector<std::string>> all = {
            {"Number", {"0", "1", "2", "-1", "7", "300", "9223372036854775807"}},
            {"Float", {"0.0", "1.5", "-2.25", "1e300", "(0.0 / 0.0)"}},
            {"String", {"\"\"", "\"a\"", "\"b c,d\"", "\"12\"", "\"äß😀\""}},
            {"Bool", {"true", "false"}},
            {"P", {"P(1, \"p\")", "P { a: 2, b: \"q\" }"}},
            {"E", {"One", "Two(2)", "Three(\"t\", [1])"}},
            {"C", {"C(1)", "D(2)"}},
            {"Bytes", {"\"bytes\".toBytes()", "\"\".toBytes()"}},
            {"Json",
             {"toJson(1)", "toJson(\"j\")", "toJson([1, \"two\"])", "toJson({\"k\": None})"}},
            {"Range", {"(0..3)", "(2..=2)", "(5..1)"}},
            {"Error", {"Error(\"e\")", "Oops(\"o\")", "ParseError(\"p\")"}},
            {"void", {"()"}},
            {"Timer", {"setTimeout(() => print(\"timer\"), 3)"}},
        };
        if (const auto found = all.find(type.name); found != all.end()) return pick(found->second);
        const auto first = [&] { return simple(type.args[0]); };
        // Typed by their arguments: the member of a bare `None` would be unknown. A name in lower case
        // takes no type arguments that begin with a parenthesis.
        const std::string inner = type.args.empty() ? "" : type.args[0].text();
        const std::string of = inner.starts_with('(') ? "" : "<" + inner + ">";
        const bool is_empty = random_.one_in(3) && !of.empty();
        const auto two = [&](const std::string& maker) {
            return maker + of + "(" + first() + ", " + first() + ")";
        };
        if (type.name == "List") return is_empty ? "list" + of + "()" : two("list2");
        if (type.name == "Queue") return two("queue2");
        if (type.name == "Set" || type.name == "Map") return type.text() + "()";
        if (type.name == "Sequence") return simple({"List", type.args});
        if (type.name == "Option") return is_empty ? "none" + of + "()" : "Some(" + first() + ")";
        if (type.name == "Result") {
            return is_empty ? "failed" + of + "()" : "fine" + of + "(" + first() + ")";
        }
        if (type.name == "Eventual") return first();
        if (type.name == "Future")
            return random_.one_in(4) ? "refused(" + first() + ")" : "later(" + first() + ", 2)";
        if (type.name == "TaskHandle") return "spawn(later(" + first() + ", 1))";
        if (type.name == "AsyncIterator") return "each(" + simple({"List", type.args}) + ")";
        if (type.name == "Promise" || type.name == "Sender" || type.name == "PromiseLike") {
            return "Promise<" + type.args[0].text() + ">()";
        }
        if (type.name == "(")
            return parts(type, [this](const Shape& part) { return simple(part); });
        if (type.name == "->")
            return lambda(type, [this](const Shape& part) { return simple(part); });
        return type.name + "()";
    }

    template <class F>
    std::string parts(const Shape& type, F make) {
        std::string text = "(";
        for (const Shape& part : type.args) text += (text.size() == 1 ? "" : ", ") + make(part);
        return text + ")";
    }

    template <class F>
    std::string lambda(const Shape& type, F make) {
        const std::size_t before = variables_.size();
        std::string params;
        for (std::size_t i = 0; i + 1 < type.args.size(); ++i) {
            const std::string name = "p" + std::to_string(++param_count_);
            params += (i == 0 ? "" : ", ") + name + ": " + type.args[i].text();
            variables_.push_back({name, type.args[i]});
        }
        const Shape& result = type.args.back();
        const bool was_async = may_await_;
        may_await_ = result.name == "Future" && random_.one_in(2);
        const std::string text = may_await_ ? "async (" + params + ") => " + make(result.args[0])
                                            : "(" + params + ") => " + make(result);
        may_await_ = was_async;
        variables_.resize(before);
        return "(" + text + ")";
    }

    std::string expr(const Shape& type, int depth) {
        if (depth <= 0) return leaf(type);
        if (random_.one_in(6)) return leaf(type);
        if (type.name == "->") {
            return lambda(type, [this, depth](const Shape& part) { return expr(part, depth - 1); });
        }
        if (type.name == "Eventual") {
            return random_.one_in(2) ? expr(type.args[0], depth - 1)
                                     : expr({"Future", type.args}, depth - 1);
        }
        if (type.name == "Sequence") {
            const char* const all[] = {"List", "Queue", "Set"};
            return expr({all[below(2)], type.args}, depth - 1);
        }
        for (int attempt = 0; attempt < 60; ++attempt) {
            const Way& way = pick(internal::all_ways());
            Bindings bindings;
            if (way.is_async && !may_await_) continue;
            if (!unify(way.result, type, bindings)) continue;
            return filled(way, bindings, depth);
        }
        return leaf(type);
    }

    std::string leaf(const Shape& type) {
        std::vector<std::string> names;
        for (const Variable& variable : variables_) {
            if (variable.type == type) names.push_back(variable.name);
        }
        return names.empty() || random_.one_in(3) ? simple(type) : pick(names);
    }

    Shape bound(const Shape& pattern, Bindings& bindings) {
        if (pattern.is_parameter()) {
            const auto found = bindings.find(pattern.name);
            if (found != bindings.end()) return found->second;
            const bool is_key = pattern.name == "$K";
            return bindings[pattern.name] = is_key ? random_key() : random_type(1);
        }
        const bool has_key = pattern.name == "Map" || pattern.name == "Set";
        if (has_key && pattern.args[0].is_parameter()) {
            bindings.try_emplace(pattern.args[0].name, random_key());
        }
        if (pattern.name == "Result" && pattern.args[1].is_parameter()) {
            bindings.try_emplace(pattern.args[1].name, Shape{"Error"});
        }
        Shape made{pattern.name};
        for (const Shape& arg : pattern.args) made.args.push_back(bound(arg, bindings));
        return made;
    }

    std::string filled(const Way& way, Bindings& bindings, int depth) {
        std::string text;
        std::size_t next = 0;
        for (const char c : way.form) {
            if (c == '@') {
                text += expr(bound(way.parts[next++], bindings), depth - 1);
            } else {
                text += c;
            }
        }
        return text;
    }

    Random random_;
    std::vector<Variable> variables_;
    int param_count_ = 0;
    bool may_await_ = true;
};

}  // namespace

std::string surface_program(std::uint64_t seed) {
    return SurfaceGenerator(seed).program();
}

}  // namespace gyre::vela
