// SPDX-License-Identifier: Apache-2.0
// Generator: one random program. Wanted types and visible names are passed down, text is returned.
// In six files: declarations, statements, control, groups of statements, expressions, awaits. Lives
// for one program.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "gyre/base/random.hpp"

namespace gyre::vela::internal {

// The types that values of a generated program have.
enum class Kind : std::uint8_t {
    number,
    boolean,
    text,
    list,            // of numbers
    option,          // of a number
    result,          // of a number or an Error
    shape,           // the enum of the prelude
    pair,            // the struct of the prelude
    tuple,           // of a number and a text
    map,             // of texts to numbers
    counter,         // the class of the prelude
    handle,          // of a task that gives a number
    lazy,            // a future of a number that may have begun
    source,          // the interface of the prelude
    plain_lambda,    // number to number
    async_lambda,    // number to a future of one
    changing_lambda  // takes a number, changes a variable
};

struct Variable {
    std::string name;
    Kind kind;
    bool may_change = true;
};

// A function of the program that later code may call.
struct Callable {
    std::string name;
    Kind result = Kind::number;
    bool is_async = false;
    bool is_stream = false;  // an AsyncIterator of numbers
    std::int64_t cost = 1;   // of a call, in statements at most
};

// What the current place allows.
struct Setting {
    bool is_async = false;
    bool is_stream = false;
    bool is_lambda = false;  // no `?`, which needs a known result
    bool may_leave = true;   // return, break, continue, throw
    Kind result = Kind::number;
    int loop_depth = 0;
};

class Generator {
public:
    explicit Generator(std::uint64_t seed) : random_(seed) {}

    std::string program();

private:
    // ---- declarations
    std::string function(const std::string& name, Kind result, bool is_async, bool is_stream);
    std::string main();
    std::string ending(Kind result);

    // ---- statements
    std::string statements(int count, int depth);
    std::string statement(int depth);
    std::string block(int count, int depth);
    std::string declaration(int depth);
    std::string assignment(int depth);
    std::string printing(int depth);
    std::string if_else(int depth);
    std::string while_loop(int depth);
    std::string for_loop(int depth);
    std::string for_await(int depth);
    std::string match(int depth);
    std::string try_catch(int depth);
    std::string scope(int depth);
    std::string lambda(int depth);
    std::string local_function(int depth);
    std::string task(int depth);
    std::string actor(int depth);
    std::string promise(int depth);
    std::string batch(int depth);
    std::string tuple_assignment(int depth);
    std::string collection(int depth);
    std::string structs(int depth);
    std::string closures(int depth);
    std::string local_enum(int depth);
    std::string passing(int depth);
    std::string made(int depth);
    std::string leaving(int depth);
    std::string way_out(int depth);
    std::string loop_body(const std::string& first, int depth);

    // ---- expressions
    std::string expr(Kind kind, int depth);
    std::string number(int depth);
    std::string boolean(int depth);
    std::string text(int depth);
    std::string list(int depth);
    std::string option(int depth);
    std::string result(int depth);
    std::string shape(int depth);
    std::string pair(int depth);
    std::string tuple(int depth);
    std::string awaited(Kind kind, int depth);
    std::string awaited_number(int depth);
    std::string stream(int depth);
    std::string future(int depth);  // of a number
    std::string async_block(int depth);
    std::string chosen(Kind kind, int depth);
    std::string matched(Kind kind, int depth);
    std::string simple(Kind kind);
    std::string simple_lambda(std::string_view form, Kind kind, int depth);
    std::string called(Kind kind, int depth, bool is_async);

    // ---- helpers
    // Replaces every @ by the next part, from left to right.
    static std::string put(std::string_view form, std::initializer_list<std::string> parts);
    std::string fresh(std::string_view stem);
    std::string tag();
    std::string pause();
    bool one_in(std::uint64_t of) { return random_.one_in(of); }
    int below(int bound) {
        return static_cast<int>(random_.below(static_cast<std::uint64_t>(bound)));
    }
    // A visible variable of that kind; null if there is none.
    const Variable* variable(Kind kind, bool must_change = false);
    const Callable* callable(Kind kind, bool is_async, bool is_stream);
    void spend(std::int64_t amount) { cost_ += amount * times_; }
    std::string indent() const { return std::string(2 * static_cast<std::size_t>(level_), ' '); }

    Random random_;
    std::vector<Variable> variables_;
    std::vector<Callable> callables_;
    Setting setting_;
    std::int64_t cost_ = 0;   // of the current function, at most, in statements
    std::int64_t times_ = 1;  // the maximum number of executions of the current place
    int name_count_ = 0;
    int tag_count_ = 0;
    int level_ = 0;
};

// How a type is written.
[[nodiscard]] std::string_view written(Kind kind);

}  // namespace gyre::vela::internal
