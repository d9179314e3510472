// SPDX-License-Identifier: Apache-2.0
// Random functions, tasks, actors, promises and collections: groups of statements. Every await
// completes.
#include <utility>

#include "lang/vela/reference/internal/generator.hpp"

namespace gyre::vela::internal {

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

// Closures made in a loop, each with its own captures.
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

// Structs are copied when stored; a change affects the copy.
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

// Each closure has its own variables, and those of its loop iteration.
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

// Lambdas whose `?` returns or throws; with and without written types.
std::string Generator::passing(int depth) {
    constexpr std::string_view plain_forms[] = {
        "@ = (n: Number) => { v = half(n)?; Some(v + @) }\n",
        "@: (Number) -> Option<Number> = n => Some(half(n)? - @)\n",
    };
    constexpr std::string_view async_forms[] = {
        "@ = async (n: Number) => { v = await fetch(n)?; return Ok(v + @) }\n",
        "@: (Number) -> Future<Result<Number, Error>> = async n => Ok((await fetch(n)?) - @)\n",
        "@ = async (n: Number) => (await fetch(n)?) * @\n",
        "@ = (n: Number) => async { v = half(n)?; await sleep(1); Some(v - @) }\n",
    };
    const bool is_plain = !setting_.is_async || one_in(3);
    const Setting outer = setting_;
    setting_ = {};
    setting_.is_async = !is_plain;
    setting_.is_lambda = true;
    setting_.may_leave = false;
    const std::string name = fresh("g");
    const std::string_view form = is_plain ? plain_forms[below(2)] : async_forms[below(4)];
    std::string text = indent() + put(form, {name, number(depth - 1)});
    setting_ = outer;
    const std::string at = tag();
    if (is_plain) return text + indent() + put("print(\"@ ${[1, 4].map(@)}\")\n", {at, name});
    text += indent() + "for i in [3, 4] {\n";
    text += indent() + put("  try { print(\"@ ${await @(i)}\") } ", {at, name});
    return text + put("catch (e: Error) { print(\"@ ${e}\") }\n", {at}) + indent() + "}\n";
}

// Objects: with an early return in the constructor, of an inferred type argument, assigned as a
// whole.
std::string Generator::made(int depth) {
    const std::string at = tag();
    switch (below(3)) {
        case 0:
            return indent() +
                   put("print(\"@ ${Early(@).shape}\")\n", {at, expr(Kind::number, depth)});
        case 1: {
            const std::string chosen_first = expr(Kind::boolean, depth - 1);
            return indent() +
                   put("print(\"@ ${pick(@, Twice(), [Thrice()]).name()}\")\n", {at, chosen_first});
        }
        default: {
            const Variable* known = variable(Kind::counter);
            if (known == nullptr) return declaration(depth);
            const std::string name = known->name;
            return indent() + put("print(\"@ ${@.turn(@)} ${@.step} ${total}\")\n",
                                  {at, name, number(depth - 1), name});
        }
    }
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

}  // namespace gyre::vela::internal
