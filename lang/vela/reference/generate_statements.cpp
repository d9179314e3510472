// SPDX-License-Identifier: Apache-2.0
// Random statements: their choice, variables, and output.
#include "lang/vela/reference/internal/generator.hpp"

namespace gyre::vela::internal {
namespace {

constexpr Kind declared[] = {Kind::number, Kind::number, Kind::boolean, Kind::text,
                             Kind::list,   Kind::option, Kind::result,  Kind::shape,
                             Kind::pair,   Kind::tuple,  Kind::number,  Kind::text};

}  // namespace

std::string Generator::statements(int count, int depth) {
    std::string text;
    for (int i = 0; i < count; ++i) {
        // Code that runs often is short.
        if (times_ > 30 && i > 0) break;
        spend(1);
        text += statement(depth);
    }
    return text;
}

std::string Generator::block(int count, int depth) {
    const std::size_t variable_count = variables_.size();
    ++level_;
    std::string text = "{\n" + statements(count, depth);
    --level_;
    text += indent() + "}";
    variables_.resize(variable_count);
    return text;
}

std::string Generator::statement(int depth) {
    if (depth <= 0) return one_in(2) ? printing(1) : declaration(1);
    if (setting_.is_stream && one_in(5))
        return indent() + put("yield @\n", {expr(Kind::number, depth)});
    const bool is_async = setting_.is_async;
    switch (below(33)) {
        case 31:
            return passing(depth);
        case 32:
            return made(depth);
        case 28:
            return structs(depth);
        case 29:
            return closures(depth);
        case 30:
            return local_enum(depth);
        case 24:
            return batch(depth);
        case 25:
            return tuple_assignment(depth);
        case 26:
            return collection(depth);
        case 27:
            return indent() + put("total = (total + @) % 1000\n", {expr(Kind::number, depth)});
        case 0:
        case 1:
            return declaration(depth);
        case 2:
        case 3:
            return assignment(depth);
        case 4:
        case 5:
            return printing(depth);
        case 6:
            return if_else(depth);
        case 7:
            return while_loop(depth);
        case 8:
            return for_loop(depth);
        case 9:
        case 10:
            return is_async ? for_await(depth) : for_loop(depth);
        case 11:
        case 12:
            return match(depth);
        case 13:
        case 14:
            return try_catch(depth);
        case 15:
            return is_async ? scope(depth) : if_else(depth);
        case 16:
            return lambda(depth);
        case 17:
            return local_function(depth);
        case 18:
        case 19:
            return is_async ? task(depth) : declaration(depth);
        case 20:
            return is_async ? actor(depth) : printing(depth);
        case 21:
            return is_async ? promise(depth) : printing(depth);
        case 22:
            return indent() + block(2, depth - 1) + "\n";
        default:
            return leaving(depth);
    }
}

std::string Generator::declaration(int depth) {
    if (one_in(8)) {
        const std::string name = fresh("m");
        const std::string text = indent() + put("@ = {\"t1\": @, \"t2\": @}\n",
                                                {name, number(depth), expr(Kind::number, depth)});
        variables_.push_back({name, Kind::map});
        return text;
    }
    if (one_in(8)) {
        const std::string name = fresh("c");
        const std::string text = indent() + put("@ = Counter(@)\n", {name, number(1)});
        variables_.push_back({name, Kind::counter});
        return text;
    }
    if (one_in(8)) {
        const std::string name = fresh("s");
        const std::string text =
            indent() + put("@: Source = (if @ { Twice() } else { Thrice() })\n",
                           {name, expr(Kind::boolean, depth)});
        variables_.push_back({name, Kind::source});
        return text;
    }
    if (setting_.is_async && one_in(6)) {
        const std::string name = fresh("z");
        const std::string text = indent() + put("@ = @\n", {name, future(depth)});
        variables_.push_back({name, Kind::lazy, false});
        return text;
    }
    const Kind kind = declared[below(12)];
    if (one_in(10) && kind == Kind::pair) {
        const std::string name = fresh("x");
        const std::string text = indent() + put("@ = Pair { b: @, a: @ }\n",
                                                {name, expr(Kind::text, depth), number(depth)});
        variables_.push_back({name, kind});
        return text;
    }
    // Sometimes a visible name, which the new variable shadows.
    const bool hides = one_in(8) && !variables_.empty();
    const std::string value = expr(kind, depth);
    const std::string name =
        hides
            ? variables_[static_cast<std::size_t>(below(static_cast<int>(variables_.size())))].name
            : fresh("x");
    const bool is_open = kind == Kind::option || kind == Kind::result;
    std::string_view form = "@: @ = @\n";
    if (hides || one_in(4)) form = "state @: @ = @\n";
    if (!hides && !is_open && one_in(2)) {
        variables_.push_back({name, kind});
        return indent() + put("@ = @\n", {name, value});
    }
    variables_.push_back({name, kind});
    return indent() + put(form, {name, std::string(written(kind)), value});
}

std::string Generator::assignment(int depth) {
    const Kind kind = declared[below(12)];
    if (kind == Kind::list) {
        const Variable* known = variable(Kind::list, true);
        if (known == nullptr) return declaration(depth);
        const std::string name = known->name;
        if (one_in(2)) {
            return indent() +
                   put("if @.length < 8 { @.push(@) }\n", {name, name, expr(Kind::number, depth)});
        }
        return indent() + put("@[@ % 2] += @\n", {name, simple(Kind::number), number(depth)});
    }
    if (one_in(4)) {
        const Variable* known = variable(Kind::counter);
        if (known == nullptr) return declaration(depth);
        const std::string name = known->name;
        return indent() + put("@.count += @\n", {name, expr(Kind::number, depth)});
    }
    if (one_in(6)) {
        const Variable* known = variable(Kind::map);
        if (known == nullptr) return declaration(depth);
        const std::string name = known->name;
        return indent() + put("@.set(@, @)\n", {name, simple(Kind::text), number(depth)});
    }
    if (one_in(5)) {
        const Variable* known = variable(Kind::changing_lambda);
        if (known == nullptr) return declaration(depth);
        const std::string name = known->name;
        return indent() + put("@(@)\n", {name, number(depth)});
    }
    const Variable* known = variable(kind, true);
    if (known == nullptr) return declaration(depth);
    const std::string name = known->name;
    const bool adds = (kind == Kind::number || kind == Kind::boolean) && one_in(2);
    if (kind == Kind::number && adds) {
        const std::string_view form = one_in(2) ? "@ += @\n" : "@ -= @\n";
        return indent() + put(form, {name, expr(kind, depth)});
    }
    return indent() + put("@ = @\n", {name, expr(kind, depth)});
}

std::string Generator::printing(int depth) {
    const auto any = [&] { return expr(static_cast<Kind>(below(9)), depth); };
    if (one_in(2)) return indent() + put("print(@)\n", {any()});
    return indent() + put("print(\"@: ${@} ${@}\")\n", {tag(), any(), any()});
}

std::string Generator::tuple_assignment(int depth) {
    const Variable* one = variable(Kind::number, true);
    const Variable* other = variable(Kind::text, true);
    if (one != nullptr && other != nullptr && one_in(2)) {
        const std::string first = one->name;
        const std::string second = other->name;
        return indent() + put("(@, @) = @\n", {first, second, expr(Kind::tuple, depth)});
    }
    // Mixes names of the module, names of the function and new ones.
    const std::string first = one_in(3) ? "total" : one_in(5) ? "_" : fresh("x");
    const std::string second = other != nullptr && one_in(3) ? other->name : fresh("x");
    const std::string text =
        indent() + put("(@, @) = @\n", {first, second, expr(Kind::tuple, depth)});
    if (first.starts_with("x")) variables_.push_back({first, Kind::number});
    variables_.push_back({second, Kind::text});
    return text;
}

}  // namespace gyre::vela::internal
