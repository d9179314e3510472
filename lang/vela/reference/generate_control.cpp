// SPDX-License-Identifier: Apache-2.0
// Random branches, loops, scopes and exits. Every loop is bounded.
#include <utility>

#include "lang/vela/reference/internal/generator.hpp"

namespace gyre::vela::internal {

std::string Generator::if_else(int depth) {
    std::string text = indent();
    const std::size_t variable_count = variables_.size();
    if (one_in(3)) {
        const std::string subject = expr(Kind::option, depth - 1);
        const std::string name = fresh("m");
        variables_.push_back({name, Kind::number, false});
        text += put("if let Some(@) = @ ", {name, subject});
    } else {
        text += put("if @ ", {expr(Kind::boolean, depth)});
    }
    text += block(1 + below(3), depth - 1);
    variables_.resize(variable_count);
    if (one_in(2)) text += " else " + block(1 + below(2), depth - 1);
    return text + "\n";
}

// The body of a loop, which runs at most three times.
std::string Generator::loop_body(const std::string& first, int depth) {
    const std::size_t variable_count = variables_.size();
    const std::int64_t times = std::exchange(times_, times_ * 3);
    ++setting_.loop_depth;
    ++level_;
    std::string text = "{\n" + first + statements(1 + below(3), depth - 1);
    --level_;
    --setting_.loop_depth;
    times_ = times;
    variables_.resize(variable_count);
    return text + indent() + "}\n";
}

std::string Generator::while_loop(int depth) {
    const std::string name = fresh("i");
    std::string text = indent() + put("@ = 0\n", {name});
    const std::int64_t times = std::exchange(times_, times_ * 3);
    const bool waits = setting_.is_async && one_in(3);
    const std::string_view form =
        waits ? "while await soon((@ < 3) && @) " : "while ((@ < 3) && @) ";
    text += indent() + put(form, {name, expr(Kind::boolean, depth - 1)});
    times_ = times;
    variables_.push_back({name, Kind::number, false});
    text += loop_body(indent() + put("  @ = @ + 1\n", {name, name}), depth);
    return text;
}

std::string Generator::for_loop(int depth) {
    const std::string name = fresh("i");
    const std::size_t variable_count = variables_.size();
    std::string text = indent();
    const Variable* known = one_in(4) ? variable(Kind::map) : nullptr;
    if (known != nullptr) {
        const std::string key = fresh("k");
        text += put("for (@, @) in @ ", {key, name, known->name});
        variables_.push_back({key, Kind::text, false});
    } else if (setting_.is_async && one_in(3)) {
        text += put("for @ in await later(@, 1) ", {name, list(depth - 1)});
    } else if (one_in(2)) {
        text += put("for @ in @.take(3) ", {name, expr(Kind::list, depth - 1)});
    } else {
        text += put("for @ in 0..(@ % 4) ", {name, expr(Kind::number, depth - 1)});
    }
    variables_.push_back({name, Kind::number, false});
    text += loop_body("", depth);
    variables_.resize(variable_count);
    return text;
}

std::string Generator::for_await(int depth) {
    const std::string source = stream(depth - 1);
    const std::string name = fresh("i");
    const std::size_t variable_count = variables_.size();
    variables_.push_back({name, Kind::number, false});
    std::string text = indent() + put("for await @ in @ ", {name, source});
    text += loop_body("", depth);
    variables_.resize(variable_count);
    return text;
}

std::string Generator::match(int depth) {
    struct Arm {
        std::string_view pattern;  // @ is a number
        bool has_guard;
    };
    static const std::vector<std::pair<Kind, std::vector<Arm>>> forms = {
        {Kind::number, {{"0 | 1", false}, {"@", true}, {"_", false}}},
        {Kind::option,
         {{"Some(0)", false}, {"Some(@)", true}, {"Some(@)", false}, {"None", false}}},
        {Kind::result, {{"Ok(@)", true}, {"Ok(@)", false}, {"Err(_)", false}}},
        {Kind::shape,
         {{"Dot", true},
          {"Line(@)", false},
          {"Box(@, _)", true},
          {"Shape::Box(@, _)", false},
          {"Dot", false}}},
        {Kind::tuple, {{"(0, _)", false}, {"(@, \"u\")", true}, {"(@, _)", false}}},
        {Kind::text, {{"\"t1\" | \"t2\"", true}, {"\"u\"", false}, {"_", false}}},
    };
    const auto& [kind, arms] = forms[static_cast<std::size_t>(below(6))];
    std::string text = indent() + put("match @ {\n", {expr(kind, depth - 1)});
    ++level_;
    for (const Arm& arm : arms) {
        const std::size_t variable_count = variables_.size();
        const std::string name = fresh("k");
        if (arm.pattern.find('@') != std::string_view::npos) {
            variables_.push_back({name, Kind::number, false});
        }
        text += indent() + put(arm.pattern, {name});
        if (arm.has_guard) text += put(" if @", {expr(Kind::boolean, depth - 1)});
        text += " => " + block(1 + below(2), depth - 1) + "\n";
        variables_.resize(variable_count);
    }
    --level_;
    return text + indent() + "}\n";
}

std::string Generator::try_catch(int depth) {
    std::string text = indent() + "try " + block(1 + below(3), depth - 1);
    const bool has_cleanup = one_in(2);
    const auto clause = [&](std::string_view type) {
        const std::string name = fresh("e");
        ++level_;
        text += put(" catch (@: @) {\n", {name, std::string(type)});
        text += indent() + put("print(\"@ caught ${@}\")\n", {tag(), name});
        const std::size_t variable_count = variables_.size();
        text += statements(below(2), depth - 1);
        variables_.resize(variable_count);
        --level_;
        text += indent() + "}";
    };
    if (one_in(2)) clause("NetworkError");
    if (!has_cleanup || one_in(2)) clause("Error");
    if (one_in(4)) clause("CancelledError");
    if (has_cleanup) {
        const Setting outer = setting_;
        // An exit from a `finally` replaces a pending exit.
        setting_.may_leave = setting_.may_leave && one_in(4);
        if (!setting_.may_leave) setting_.loop_depth = 0;
        text += " finally " + block(1 + below(2), depth - 1);
        setting_ = outer;
    }
    return text + "\n";
}

std::string Generator::scope(int depth) {
    const std::size_t variable_count = variables_.size();
    std::string text = indent() + "scope {\n";
    ++level_;
    text += indent() + put("spawn(worker(\"w@\", @))\n", {tag(), pause()});
    if (one_in(3)) {
        text += indent() + put("spawn(risky(@))\n", {number(1)});
    }
    text += statements(1 + below(3), depth - 1);
    --level_;
    variables_.resize(variable_count);
    return text + indent() + "}\n";
}

std::string Generator::leaving(int depth) {
    if (!setting_.may_leave) return printing(depth);
    const std::string condition = expr(Kind::boolean, depth);
    return indent() + put("if @ { @ }\n", {condition, way_out(depth)});
}

// An exit: break, continue, return or throw.
std::string Generator::way_out(int depth) {
    if (setting_.loop_depth > 0 && one_in(2)) return one_in(2) ? "break" : "continue";
    if (one_in(3)) {
        std::string_view form = one_in(2) ? "throw NetworkError(@)" : "throw OddError(@)";
        if (setting_.is_async && one_in(4)) form = "throw await later(OddError(@), 1)";
        return put(form, {expr(Kind::text, depth - 1)});
    }
    if (setting_.is_stream) return "return";
    return put("return @", {expr(setting_.result, depth - 1)});
}

}  // namespace gyre::vela::internal
