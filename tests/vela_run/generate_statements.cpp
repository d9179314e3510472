// SPDX-License-Identifier: Apache-2.0
// Random statements. Every loop is bounded, and nothing is waited for that does not come.
#include <utility>

#include "tests/vela_run/internal/generator.hpp"

namespace gyre::vela::internal {
namespace {

constexpr Kind declared[] = {Kind::number, Kind::number, Kind::boolean, Kind::text,
                             Kind::list,   Kind::option, Kind::result,  Kind::shape,
                             Kind::pair,   Kind::tuple,  Kind::number,  Kind::text};

}  // namespace

std::string Generator::statements(int count, int depth) {
    std::string text;
    for (int i = 0; i < count; ++i) {
        // What runs often is short.
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
    switch (below(31)) {
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
    // Sometimes a name that is in sight already: the new one hides it.
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

// What runs in a loop, up to three times.
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
        // One that leaves takes the place of whatever was on its way out.
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

std::string Generator::lambda(int depth) {
    const Setting outer = setting_;
    const std::int64_t times = std::exchange(times_, times_ * 6);
    const std::string name = fresh("l");
    const std::string param = fresh("n");
    const std::size_t variable_count = variables_.size();
    std::string text = indent();
    Kind kind = Kind::plain_lambda;
    const Variable* changed = variable(Kind::number, true);
    if (one_in(3) && changed != nullptr) {
        kind = Kind::changing_lambda;
        text += put("@ = (@: Number) => { @ += @ }\n", {name, param, changed->name, param});
    } else {
        const bool is_async = one_in(2);
        kind = is_async ? Kind::async_lambda : Kind::plain_lambda;
        setting_ = {};
        setting_.is_async = is_async;
        setting_.is_lambda = true;
        variables_.push_back({param, Kind::number});
        if (one_in(3)) {
            setting_.may_leave = false;
            text += put(is_async ? "@ = async (@: Number) => @\n" : "@ = (@: Number) => @\n",
                        {name, param, expr(Kind::number, depth - 1)});
        } else {
            ++level_;
            text += put(is_async ? "@ = async (@: Number) => {\n@" : "@ = (@: Number) => {\n@",
                        {name, param, statements(1 + below(2), depth - 1)});
            text += indent() + put("return @\n", {number(depth - 1)});
            --level_;
            text += indent() + "}\n";
        }
    }
    variables_.resize(variable_count);
    setting_ = outer;
    times_ = times;
    variables_.push_back({name, kind, false});
    return text;
}

std::string Generator::local_function(int depth) {
    const Setting outer = setting_;
    const std::int64_t times = std::exchange(times_, times_ * 6);
    const std::string name = fresh("fn_");
    const std::string param = fresh("n");
    const std::size_t variable_count = variables_.size();
    const bool is_async = one_in(2);
    setting_ = {};
    setting_.is_async = is_async;
    setting_.is_lambda = !is_async;
    variables_.push_back({param, Kind::number});
    std::string text = indent();
    text += put(is_async ? "async fn @(@: Number) -> Number {\n" : "fn @(@: Number) -> Number {\n",
                {name, param});
    ++level_;
    text += statements(1 + below(2), depth - 1);
    text += indent() + put("return @\n", {number(depth - 1)});
    --level_;
    text += indent() + "}\n";
    variables_.resize(variable_count);
    setting_ = outer;
    times_ = times;
    variables_.push_back({name, is_async ? Kind::async_lambda : Kind::plain_lambda, false});
    return text;
}

std::string Generator::task(int depth) {
    const Variable* known = one_in(2) ? variable(Kind::handle) : nullptr;
    if (known != nullptr) {
        const std::string name = known->name;
        if (one_in(3)) {
            return indent() +
                   put("print(\"@ cancels ${@.cancel()} ${@.isDone}\")\n", {tag(), name, name});
        }
        if (one_in(4)) {
            return indent() + put("@.onComplete(() => print(\"@ complete\"))\n", {name, tag()});
        }
        const std::string at = tag();
        return indent() +
               put("try { print(\"@ ${await @}\") } catch (e: Error) { print(\"@ ${e}\") } "
                   "catch (e: CancelledError) { print(\"@ is cancelled\") }\n",
                   {at, name, at, at});
    }
    if (one_in(4)) return indent() + put("spawn(worker(\"w@\", @))\n", {tag(), pause()});
    if (one_in(4)) {
        const std::string inner = future(depth - 1);
        return indent() + inner + put(".then(v => print(\"@ then ${v}\"))\n", {tag()});
    }
    const std::string name = fresh("h");
    std::string text = indent();
    if (one_in(2)) {
        text += put("@ = spawn(worker(\"@\", @))\n", {name, name, pause()});
    } else {
        text += put("@ = spawn(@)\n", {name, future(depth - 1)});
    }
    variables_.push_back({name, Kind::handle, false});
    return text;
}

std::string Generator::actor(int depth) {
    const std::string name = fresh("a");
    const std::string reply = fresh("r");
    std::string text = indent() + put("@ = spawn(Adder::new())\n", {name});
    text += indent() + put("@.send(Slow(@ % 3))\n", {name, simple(Kind::number)});
    text += indent() + put("@.send(Add(@))\n", {name, expr(Kind::number, depth - 1)});
    text += indent() + put("@ = Promise<Number>()\n", {reply});
    text += indent() + put("@.send(Get(@))\n", {name, reply});
    text += indent() + put("print(\"@ ${await @.future()}\")\n", {tag(), reply});
    return text;
}

std::string Generator::promise(int depth) {
    const std::string name = fresh("r");
    const std::string value = fresh("x");
    std::string text = indent() + put("@ = Promise<Number>()\n", {name});
    text += indent() +
            put("setTimeout(() => @.resolve(@), @)\n", {name, simple(Kind::number), pause()});
    text += indent() + put("@ = @ - await @.future()\n", {value, number(depth - 1), name});
    variables_.push_back({value, Kind::number});
    return text;
}

// Functions made in a loop, each with what it saw.
std::string Generator::batch(int depth) {
    const std::string name = fresh("b");
    const std::string made =
        simple_lambda("(0..3).map(@ => (n: Number) => n + @)", Kind::number, depth - 1);
    std::string text = indent() + put("@ = @\n", {name, made});
    text +=
        indent() + put("print(\"@ ${@.map(f => f(@))}\")\n", {tag(), name, simple(Kind::number)});
    if (!setting_.is_async) return text;
    const std::string pace = one_in(2) ? "2 - i" : "i";
    const std::string at = tag();
    return text + indent() +
           put("print(await Future.all((0..3).map(async i => {\n@  await sleep(@)\n@  "
               "total += i\n@  print(\"@ ${i} ${total}\")\n@  return i * @\n@})))\n",
               {indent(), pace, indent(), indent(), at, indent(), simple(Kind::number), indent()});
}

// Who keeps a struct keeps a copy; who changes it changes that.
std::string Generator::structs(int depth) {
    const Variable* known = variable(Kind::pair, true);
    if (known == nullptr || one_in(3)) {
        const std::string name = fresh("y");
        std::string text =
            indent() + put("@ = [@, @]\n", {name, expr(Kind::pair, depth), expr(Kind::pair, 1)});
        text += indent() + put("@[@ % 2].a += @\n", {name, simple(Kind::number), number(depth)});
        const std::string item = fresh("y");
        text += indent() +
                put("for @ in @ { @.b = @ }\n", {item, name, item, expr(Kind::text, depth - 1)});
        return text + indent() + put("print(\"@ ${@}\")\n", {tag(), name});
    }
    const std::string name = known->name;
    const std::string copy = fresh("y");
    std::string text = indent() + put("@ = @\n", {copy, name});
    const std::string_view form = one_in(2) ? "@.a = @\n" : "@.a += @\n";
    text += indent() + put(form, {copy, expr(Kind::number, depth)});
    text += indent() + put("print(\"@ ${@} ${@ == @}\")\n", {tag(), name, name, copy});
    variables_.push_back({copy, Kind::pair});
    return text;
}

// Each has variables of its own, and those of the loop's turn it was made in.
std::string Generator::closures(int depth) {
    const std::string name = fresh("w");
    const std::string turn = fresh("i");
    const std::string own = fresh("j");
    std::string text = indent() + put("@: List<() -> Number> = []\n", {name});
    text += indent() + put("for @ in 0..3 {\n", {turn});
    variables_.push_back({turn, Kind::number, false});
    text += indent() + put("  @ = @\n", {own, expr(Kind::number, depth - 1)});
    variables_.pop_back();
    text += indent() + put("  @.push(() => {\n", {name});
    text += indent() + put("    @ += 1\n", {own});
    const Variable* shared = variable(Kind::number, true);
    if (shared != nullptr) text += indent() + put("    @ += @\n", {shared->name, turn});
    text += indent() + put("    return @ * 10 + @\n", {turn, own});
    text += indent() + "  })\n" + indent() + "}\n";
    const std::string form = indent() + "print(\"@ ${@.map(f => f())}\")\n";
    text += put(form, {tag(), name});
    return text + put(form, {tag(), name});
}

std::string Generator::local_enum(int depth) {
    const std::string name = fresh("E");
    const std::string value = fresh("v");
    const std::string bound = fresh("k");
    std::string text = indent() + put("enum @ { None@, One@(Number) }\n", {name, name, name});
    text += indent() + put("@ = @::One@(@)\n", {value, name, name, expr(Kind::number, depth)});
    text += indent() + put("if @ { @ = None@ }\n", {expr(Kind::boolean, depth - 1), value, name});
    variables_.push_back({bound, Kind::number, false});
    const std::string guard = expr(Kind::boolean, depth - 1);
    variables_.pop_back();
    return text + indent() +
           put("print(match @ { One@(@) if @ => @, @::One@(_) => -1, None@ => 0 })\n",
               {value, name, bound, guard, bound, name, name, name});
}

std::string Generator::tuple_assignment(int depth) {
    const Variable* one = variable(Kind::number, true);
    const Variable* other = variable(Kind::text, true);
    if (one != nullptr && other != nullptr && one_in(2)) {
        const std::string first = one->name;
        const std::string second = other->name;
        return indent() + put("(@, @) = @\n", {first, second, expr(Kind::tuple, depth)});
    }
    const std::string first = fresh("x");
    const std::string second = fresh("x");
    const std::string text =
        indent() + put("(@, @) = @\n", {first, second, expr(Kind::tuple, depth)});
    variables_.push_back({first, Kind::number});
    variables_.push_back({second, Kind::text});
    return text;
}

std::string Generator::collection(int depth) {
    const std::string name = fresh("q");
    std::string text = indent();
    if (one_in(2)) {
        text += put("@: Queue<Number> = [@, @]\n", {name, number(depth - 1), number(depth - 1)});
        text += indent() + put("@.push(@)\n", {name, expr(Kind::number, depth - 1)});
        return text + indent() + put("print(\"@ ${@.pop()} ${@}\")\n", {tag(), name, name});
    }
    text += put("@: Set<Number> = {}\n", {name});
    text += indent() + put("@.add(@)\n", {name, expr(Kind::number, depth - 1)});
    return text + indent() +
           put("print(\"@ ${@} ${@.has(@)}\")\n", {tag(), name, name, number(depth - 1)});
}

// Out of the loop, the function or the program's straight way.
std::string Generator::leaving(int depth) {
    if (!setting_.may_leave) return printing(depth);
    const std::string condition = expr(Kind::boolean, depth);
    std::string exit;
    if (setting_.loop_depth > 0 && one_in(2)) {
        exit = one_in(2) ? "break" : "continue";
    } else if (one_in(3)) {
        std::string_view form = one_in(2) ? "throw NetworkError(@)" : "throw OddError(@)";
        if (setting_.is_async && one_in(4)) form = "throw await later(OddError(@), 1)";
        exit = put(form, {expr(Kind::text, depth - 1)});
    } else if (setting_.is_stream) {
        exit = "return";
    } else {
        exit = put("return @", {expr(setting_.result, depth - 1)});
    }
    return indent() + put("if @ { @ }\n", {condition, exit});
}

}  // namespace gyre::vela::internal
