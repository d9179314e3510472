// SPDX-License-Identifier: Apache-2.0
// Random expressions, in parentheses where precedence matters.
#include "lang/vela/reference/internal/generator.hpp"

namespace gyre::vela::internal {

std::string Generator::expr(Kind kind, int depth) {
    if (depth <= 0) return simple(kind);
    if (setting_.is_async && one_in(4)) return awaited(kind, depth);
    switch (kind) {
        case Kind::boolean:
            return boolean(depth);
        case Kind::text:
            return text(depth);
        case Kind::list:
            return list(depth);
        case Kind::option:
            return option(depth);
        case Kind::result:
            return result(depth);
        case Kind::shape:
            return shape(depth);
        case Kind::pair:
            return pair(depth);
        case Kind::tuple:
            return tuple(depth);
        default:
            return number(depth);
    }
}

// A variable or a literal.
std::string Generator::simple(Kind kind) {
    const Variable* known = variable(kind);
    if (known != nullptr && !one_in(3)) return known->name;
    const std::string digits = std::to_string(below(12));
    switch (kind) {
        case Kind::boolean:
            return one_in(2) ? "true" : "false";
        case Kind::text:
            return put("\"t@\"", {digits});
        case Kind::list:
            return put("[@, @, 2]", {digits, std::to_string(below(5))});
        case Kind::option:
            return put("half(@)", {digits});
        case Kind::result:
            return known != nullptr ? known->name : put("half(@).okOr(Error(\"none\"))", {digits});
        case Kind::shape:
            return one_in(3) ? "Dot" : put("Line(@)", {digits});
        case Kind::pair:
            return put("Pair(@, \"p\")", {digits});
        case Kind::tuple:
            return put("(@, \"u\")", {digits});
        default:
            return digits;
    }
}

// An expression with one more visible name, without awaits and exits.
std::string Generator::simple_lambda(std::string_view form, Kind kind, int depth) {
    const Setting outer = setting_;
    setting_.is_async = false;
    setting_.is_lambda = true;
    setting_.may_leave = false;
    const std::string name = fresh("n");
    variables_.push_back({name, Kind::number, false});
    const std::int64_t times = times_;
    times_ *= 4;
    const std::string made = put(form, {name, expr(kind, depth - 1)});
    times_ = times;
    variables_.pop_back();
    setting_ = outer;
    return made;
}

std::string Generator::called(Kind kind, int depth, bool is_async) {
    const Callable* one = callable(kind, is_async, false);
    if (one == nullptr) return {};
    const std::string name = one->name;
    return put("@(@, @, @)", {name, number(depth - 1), text(depth - 1), simple(Kind::list)});
}

std::string Generator::chosen(Kind kind, int depth) {
    // An exit in the middle of an expression.
    if (setting_.may_leave && one_in(8)) {
        const std::string_view form =
            one_in(2) ? "(if @ { @ } else { @ })" : "(match @ { true => @, false => { @ } })";
        return put(form, {boolean(depth - 1), expr(kind, depth - 1), way_out(depth - 1)});
    }
    if (one_in(2)) {
        return put("(if @ { @ } else { @ })",
                   {boolean(depth - 1), expr(kind, depth - 1), expr(kind, depth - 1)});
    }
    const std::string subject = expr(Kind::option, depth - 1);
    const std::string name = fresh("m");
    variables_.push_back({name, Kind::number, false});
    const std::string inside = expr(kind, depth - 1);
    variables_.pop_back();
    return put("(if let Some(@) = @ { @ } else { @ })",
               {name, subject, inside, expr(kind, depth - 1)});
}

// A match as an operand; a guard may await.
std::string Generator::matched(Kind kind, int depth) {
    const std::string name = fresh("k");
    if (one_in(2)) {
        const std::string subject = number(depth - 1);
        const std::string first = expr(kind, depth - 1);
        variables_.push_back({name, Kind::number, false});
        const std::string guard = boolean(depth - 1);
        const std::string second = expr(kind, depth - 1);
        variables_.pop_back();
        return put("(match @ { 0 | 1 => @, @ if @ => @, _ => @ })",
                   {subject, first, name, guard, second, expr(kind, depth - 1)});
    }
    const std::string subject = shape(depth - 1);
    const std::string first = expr(kind, depth - 1);
    variables_.push_back({name, Kind::number, false});
    const std::string second = expr(kind, depth - 1);
    const std::string guard = boolean(depth - 1);
    variables_.pop_back();
    return put("(match @ { Dot => @, Line(@) if @ => @, _ => @ })",
               {subject, first, name, guard, second, expr(kind, depth - 1)});
}

std::string Generator::number(int depth) {
    if (depth <= 0) return simple(Kind::number);
    switch (below(28)) {
        case 0:
        case 1:
            return put("(@ + @)", {expr(Kind::number, depth - 1), expr(Kind::number, depth - 1)});
        case 2:
            return put("(@ - @)", {expr(Kind::number, depth - 1), expr(Kind::number, depth - 1)});
        case 3:
            return put("((@ * @) % 97)", {number(depth - 1), number(depth - 1)});
        case 4:
            return put("(@ / @)", {number(depth - 1), std::to_string(1 + below(4))});
        case 5:
        case 6:
            return put("seen(@, @)", {tag(), number(depth - 1)});
        case 7:
            return put("@.length", {expr(Kind::list, depth - 1)});
        case 8:
            return put("@.sum()", {expr(Kind::list, depth - 1)});
        case 9:
            return put("(@ ?? @)", {expr(Kind::option, depth - 1), number(depth - 1)});
        case 10:
            return put("@.unwrapOr(@)", {result(depth - 1), number(depth - 1)});
        case 11:
            return put("@.a", {expr(Kind::pair, depth - 1)});
        case 12:
            return put("@.length", {text(depth - 1)});
        case 13:
            return chosen(Kind::number, depth);
        case 14:
            return matched(Kind::number, depth);
        case 15: {
            const std::string call = called(Kind::number, depth, false);
            return call.empty() ? simple(Kind::number) : call;
        }
        case 16:
            return put("@[@]", {expr(Kind::list, depth - 1), expr(Kind::number, depth - 1)});
        case 17: {
            const Variable* known = variable(Kind::plain_lambda);
            if (known == nullptr) return put("-@", {simple(Kind::number)});
            const std::string name = known->name;
            spend(3);
            return put("@(@)", {name, number(depth - 1)});
        }
        case 18: {
            const Variable* known = variable(Kind::map);
            if (known == nullptr) return simple(Kind::number);
            const std::string name = known->name;
            return put("(@.get(@) ?? @)", {name, text(depth - 1), number(depth - 1)});
        }
        case 19: {
            const Variable* known = variable(Kind::counter);
            return known == nullptr ? simple(Kind::number) : put("@.peek()", {known->name});
        }
        case 20:
            if (setting_.is_async && !setting_.is_lambda && setting_.may_leave) {
                return put("(await fetch(@)?)", {number(depth - 1)});
            }
            return put("@.reduce(@, (x, y) => x + y)",
                       {expr(Kind::list, depth - 1), number(depth - 1)});
        case 22:
            return put("down(@ % 5)", {number(depth - 1)});
        case 23: {
            // Changes a variable that was evaluated before.
            const Variable* known = variable(Kind::list);
            return known == nullptr ? "total" : put("grow(@)", {known->name});
        }
        case 24:
            return put("(half(@).map(v => Pair(v, \"z\"))?.a ?? @)",
                       {number(depth - 1), expr(Kind::number, depth - 1)});
        case 25:
            return put("Box(@).value", {expr(Kind::number, depth - 1)});
        case 21:
            if (setting_.is_async && !setting_.is_lambda && setting_.may_leave) {
                return put("@?", {put("half(@)", {number(depth - 1)})});
            }
            return simple(Kind::number);
        default:
            return simple(Kind::number);
    }
}

std::string Generator::boolean(int depth) {
    if (depth <= 0) return simple(Kind::boolean);
    switch (below(12)) {
        case 0:
            return put("(@ < @)", {expr(Kind::number, depth - 1), expr(Kind::number, depth - 1)});
        case 1:
            return put("(@ == @)", {number(depth - 1), number(depth - 1)});
        case 2:
            return put("(@ && @)",
                       {expr(Kind::boolean, depth - 1), expr(Kind::boolean, depth - 1)});
        case 3:
            return put("(@ || @)",
                       {expr(Kind::boolean, depth - 1), expr(Kind::boolean, depth - 1)});
        case 4:
            return put("!@", {expr(Kind::boolean, depth - 1)});
        case 5:
            return put("@.isSome", {expr(Kind::option, depth - 1)});
        case 6:
            return put("seen(@, @)", {tag(), expr(Kind::boolean, depth - 1)});
        case 7:
            return put("@.contains(@)", {expr(Kind::list, depth - 1), number(depth - 1)});
        case 8:
            return put("(@ == @)", {shape(depth - 1), shape(depth - 1)});
        case 9: {
            const std::string all = expr(Kind::list, depth - 1);
            return all + simple_lambda(".any(@ => @)", Kind::boolean, depth - 1);
        }
        case 10:
            return chosen(Kind::boolean, depth);
        default:
            return put("(@ != @)", {text(depth - 1), text(depth - 1)});
    }
}

std::string Generator::text(int depth) {
    if (depth <= 0) return simple(Kind::text);
    switch (below(12)) {
        case 10:
            return put("\"${@}\"", {put("Box(note: @, value: @)", {expr(Kind::text, depth - 1),
                                                                   expr(Kind::text, depth - 1)})});
        case 11: {
            const Variable* known = variable(Kind::source);
            return known == nullptr ? simple(Kind::text) : put("@.name()", {known->name});
        }
        case 0:
        case 1:
            return put("\"<${@} ${@}>\"", {number(depth - 1), expr(Kind::text, depth - 1)});
        case 2:
            return put("(@ + @)", {expr(Kind::text, depth - 1), number(depth - 1)});
        case 3:
            return put("@.toUpperCase()", {expr(Kind::text, depth - 1)});
        case 4:
            return put("@.join(\"-\")", {expr(Kind::list, depth - 1)});
        case 5:
            return put("\"${@}\"", {expr(static_cast<Kind>(below(9)), depth - 1)});
        case 6:
            return chosen(Kind::text, depth);
        case 7:
            return matched(Kind::text, depth);
        case 8:
            return put("@.b", {expr(Kind::pair, depth - 1)});
        default: {
            const std::string call = called(Kind::text, depth, false);
            return call.empty() ? simple(Kind::text) : call;
        }
    }
}

std::string Generator::list(int depth) {
    if (depth <= 0) return simple(Kind::list);
    switch (below(9)) {
        case 0:
        case 1:
            return put("[@, @]", {expr(Kind::number, depth - 1), expr(Kind::number, depth - 1)});
        case 2: {
            const std::string all = expr(Kind::list, depth - 1);
            return all + simple_lambda(".map(@ => @)", Kind::number, depth - 1);
        }
        case 3: {
            const std::string all = expr(Kind::list, depth - 1);
            return all + simple_lambda(".filter(@ => @)", Kind::boolean, depth - 1);
        }
        case 4:
            return simple_lambda("(0..3).map(@ => @)", Kind::number, depth - 1);
        case 5:
            return put("@.reverse()", {expr(Kind::list, depth - 1)});
        case 6:
            return put("@.concat(@).take(5)", {expr(Kind::list, depth - 1), list(depth - 1)});
        case 7:
            return chosen(Kind::list, depth);
        default:
            return put("@.take(@)", {expr(Kind::list, depth - 1), number(0)});
    }
}

std::string Generator::option(int depth) {
    if (depth <= 0) return simple(Kind::option);
    switch (below(5)) {
        case 0:
            return put("Some(@)", {expr(Kind::number, depth - 1)});
        case 1:
            return put("half(@)", {expr(Kind::number, depth - 1)});
        case 2:
            return put("@.get(@)", {expr(Kind::list, depth - 1), number(depth - 1)});
        case 3: {
            const std::string all = expr(Kind::list, depth - 1);
            return all + simple_lambda(".find(@ => @)", Kind::boolean, depth - 1);
        }
        default: {
            const std::string inner = option(depth - 1);
            return inner + simple_lambda(".map(@ => @)", Kind::number, depth - 1);
        }
    }
}

std::string Generator::result(int depth) {
    if (depth <= 0) return simple(Kind::result);
    if (one_in(2)) return put("@.okOr(Error(@))", {option(depth - 1), text(depth - 1)});
    const std::string inner = result(depth - 1);
    return inner + simple_lambda(".map(@ => @)", Kind::number, depth - 1);
}

std::string Generator::shape(int depth) {
    if (depth <= 0) return simple(Kind::shape);
    if (one_in(3)) return put("Line(@)", {expr(Kind::number, depth - 1)});
    if (one_in(2)) {
        return put("Shape::Box(@, label: @)",
                   {expr(Kind::number, depth - 1), expr(Kind::text, depth - 1)});
    }
    return chosen(Kind::shape, depth);
}

std::string Generator::pair(int depth) {
    if (depth <= 0) return simple(Kind::pair);
    if (one_in(2)) {
        return put("Pair(@, @)", {expr(Kind::number, depth - 1), expr(Kind::text, depth - 1)});
    }
    return put("Pair(b: @, a: @)", {expr(Kind::text, depth - 1), expr(Kind::number, depth - 1)});
}

std::string Generator::tuple(int depth) {
    if (depth <= 0) return simple(Kind::tuple);
    return put("(@, @)", {expr(Kind::number, depth - 1), expr(Kind::text, depth - 1)});
}

}  // namespace gyre::vela::internal
