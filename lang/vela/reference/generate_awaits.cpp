// SPDX-License-Identifier: Apache-2.0
// Random futures and streams, and awaits of them.
#include "lang/vela/reference/internal/generator.hpp"

namespace gyre::vela::internal {

std::string Generator::awaited(Kind kind, int depth) {
    if (kind == Kind::number && !one_in(3)) return awaited_number(depth);
    if (one_in(3)) {
        const std::string call = called(kind, depth, true);
        if (!call.empty()) return put("(await @)", {call});
    }
    if (kind == Kind::result && one_in(2)) return put("(await fetch(@))", {number(depth - 1)});
    if (kind == Kind::list && one_in(2)) {
        if (one_in(2)) return put("(await @.collect())", {stream(depth - 1)});
        return put("(await Future.all([@, @]))", {future(depth - 1), future(depth - 1)});
    }
    if (kind == Kind::text && one_in(3)) {
        if (one_in(2)) return put("(await mix(@))", {number(depth - 1)});
        return put("(await mix(c: @, a: @))", {expr(kind, depth - 1), number(depth - 1)});
    }
    const std::string inner = expr(kind, depth - 1);
    switch (below(3)) {
        case 0:
            return put("(await later(@, @))", {inner, pause()});
        case 1:
            return put("(await soon(@))", {inner});
        default:
            return put("(await Future.ready(@))", {inner});
    }
}

std::string Generator::awaited_number(int depth) {
    switch (below(11)) {
        case 4: {
            const Variable* known = variable(Kind::lazy);
            if (known == nullptr) break;
            return put("(await @)", {known->name});
        }
        case 5: {
            const Variable* known = variable(Kind::source);
            if (known == nullptr) break;
            const std::string name = known->name;
            return put("(await @.read(@))", {name, expr(Kind::number, depth - 1)});
        }
        case 8:
            return put("(await (await soon(@)))", {future(depth - 1)});
        case 6:
            return put("(await climb(@ % 4))", {number(depth - 1)});
        case 7: {
            const Variable* known = variable(Kind::handle);
            if (known == nullptr || !one_in(2)) break;
            return put("(await @)", {known->name});
        }
        case 0:
            return put("(await Future.race([@, @]))", {future(depth - 1), future(depth - 1)});
        case 1:
            return put("(await Future.timeout(@, @)).unwrapOr(@)",
                       {future(depth - 1), pause(), simple(Kind::number)});
        case 2: {
            const Variable* known = variable(Kind::async_lambda);
            if (known == nullptr) break;
            const std::string name = known->name;
            spend(10);
            return put("(await @(@))", {name, number(depth - 1)});
        }
        case 3: {
            const Variable* known = variable(Kind::counter);
            if (known == nullptr) break;
            const std::string name = known->name;
            return put("(await @.add(@))", {name, number(depth - 1)});
        }
        default:
            break;
    }
    return put("(await @)", {future(depth)});
}

// Mostly lazy futures; some start when they are spawned.
std::string Generator::future(int depth) {
    if (depth <= 0) return put("later(@, @)", {simple(Kind::number), pause()});
    switch (below(9)) {
        case 0:
            return put("later(@, @)", {number(depth - 1), pause()});
        case 1:
            return put("soon(@)", {number(depth - 1)});
        case 2:
            return put("risky(@).catch(e => @)", {number(depth - 1), simple(Kind::number)});
        case 3: {
            const std::string inner = future(depth - 1);
            return inner + simple_lambda(".map(@ => @)", Kind::number, depth - 1);
        }
        case 4: {
            const std::string inner = future(depth - 1);
            return inner + simple_lambda(".flatMap(@ => later(@, 1))", Kind::number, depth - 1);
        }
        case 5:
            return put("risky(@).or(@)", {number(depth - 1), future(depth - 1)});
        case 6: {
            const std::string call = called(Kind::number, depth, true);
            return call.empty() ? put("later(@, 2)", {simple(Kind::number)}) : call;
        }
        default: {
            const Setting outer = setting_;
            setting_.is_async = true;
            setting_.is_lambda = true;
            setting_.may_leave = false;
            const std::string made = async_block(depth);
            setting_ = outer;
            return made;
        }
    }
}

std::string Generator::async_block(int depth) {
    if (one_in(2)) return put("async { @ }", {number(depth - 1)});
    const std::string one = fresh("u");
    const std::string other = fresh("u");
    return put("async { (@, @) = await @.and(@); @ - @ }",
               {one, other, future(depth - 1), future(depth - 1), one, other});
}

std::string Generator::stream(int depth) {
    const Callable* one = one_in(3) ? callable(Kind::number, true, true) : nullptr;
    std::string made;
    if (one != nullptr) {
        const std::string name = one->name;
        made = put("@(@, @, @)", {name, number(depth), simple(Kind::text), simple(Kind::list)});
    } else if (one_in(3)) {
        made = put("AsyncIterator.fromList(@)", {list(depth)});
    } else if (one_in(4)) {
        made = put("AsyncIterator.interval(@, 3)", {pause()});
    } else {
        made = put("count(@)", {std::to_string(1 + below(4))});
    }
    if (one_in(3)) made += simple_lambda(".map(@ => @)", Kind::number, depth);
    if (one_in(4)) made += simple_lambda(".filter(@ => @)", Kind::boolean, depth);
    // Bounded, because a stream of the program may be long.
    made += put(".take(@)", {std::to_string(1 + below(3))});
    return setting_.is_async && one_in(6) ? put("(await soon(@))", {made}) : made;
}

}  // namespace gyre::vela::internal
