// SPDX-License-Identifier: Apache-2.0
// Value: a value of a Vela program, for the interpreters of the tests. A number, a boolean, or a
// pointer to a Thing; small and copied freely. Things belong to a Heap, which frees all of them at
// its end: programs here are short.
//
// One thread. An interpreter brings its own Function and Routine; the rest is common to all.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "lang/vela/check/check.hpp"

namespace gyre::vela {

struct Thing {
    Thing() = default;
    Thing(const Thing&) = delete;
    Thing& operator=(const Thing&) = delete;
    virtual ~Thing() = default;
};

class Value {
public:
    Value() = default;  // void
    // A pointer must not convert to a boolean.
    template <std::same_as<bool> Truth>
    Value(Truth truth) : data_(truth) {}
    Value(std::int64_t number) : data_(number) {}
    Value(double real) : data_(real) {}
    Value(Thing* thing) : data_(thing) {}

    [[nodiscard]] bool is_void() const { return std::holds_alternative<std::monostate>(data_); }
    [[nodiscard]] const bool* truth() const { return std::get_if<bool>(&data_); }
    [[nodiscard]] const std::int64_t* number() const { return std::get_if<std::int64_t>(&data_); }
    [[nodiscard]] const double* real() const { return std::get_if<double>(&data_); }
    [[nodiscard]] Thing* thing() const {
        Thing* const* found = std::get_if<Thing*>(&data_);
        return found == nullptr ? nullptr : *found;
    }
    // The thing it points to, if it is of that kind; otherwise null.
    template <class T>
    [[nodiscard]] T* as() const {
        return dynamic_cast<T*>(thing());
    }

private:
    std::variant<std::monostate, bool, std::int64_t, double, Thing*> data_;
};

using Values = std::vector<Value>;

struct Text : Thing {
    explicit Text(std::string of) : text(std::move(of)) {}
    std::string text;
};

struct Tuple : Thing {
    explicit Tuple(Values of) : items(std::move(of)) {}
    Values items;
};

enum class ListKind : std::uint8_t { list, queue, set };

struct List : Thing {
    explicit List(Values of = {}, ListKind as = ListKind::list) : kind(as), items(std::move(of)) {}
    ListKind kind;
    Values items;
};

struct Range : Thing {
    Range(std::int64_t from, std::int64_t to, bool with_last)
        : first(from), last(to), is_inclusive(with_last) {}
    std::int64_t first;
    std::int64_t last;
    bool is_inclusive;
};

// In insertion order.
struct Map : Thing {
    std::vector<std::pair<Value, Value>> entries;
};

// A value of any enum, with Option and Result. The name identifies the variant: a well-typed
// program never compares variants of two enums.
struct EnumValue : Thing {
    EnumValue(std::string_view of, Values with) : name(of), payload(std::move(with)) {}
    std::string_view name;
    Values payload;
};

struct ActorRef;

// An object of a struct, class, actor or error. Fields of the base class come first.
struct Object : Thing {
    explicit Object(const TypeInfo* of) : type(of) {}
    [[nodiscard]] Value* field(std::string_view name);

    const TypeInfo* type;
    std::vector<std::pair<std::string_view, Value>> fields;
    ActorRef* actor = nullptr;  // of a spawned actor: its reference
};

// A callable that takes all its arguments. A plain function runs to its end; an async function
// returns its Future, a generator its Iterator.
struct Function : Thing {
    virtual Value call(const Values& args) = 0;
};

// An error that propagates through the program. Code of this file does not throw it.
struct Thrown {
    Value error;
};

// An unsupported operation (sockets), or a fault of an interpreter.
struct InternalError {
    std::string what;
};

class Heap {
public:
    template <class T, class... Args>
    T* make(Args&&... args) {
        auto made = std::make_unique<T>(std::forward<Args>(args)...);
        T* place = made.get();
        things_.push_back(std::move(made));
        return place;
    }
    Value text(std::string of) { return make<Text>(std::move(of)); }
    Value variant(std::string_view name, Values payload = {}) {
        return make<EnumValue>(name, std::move(payload));
    }
    Value some(Value value) { return variant("Some", {value}); }
    Value none() { return variant("None"); }
    // Copies a struct; other values are shared.
    Value copied(Value value);

private:
    std::vector<std::unique_ptr<Thing>> things_;
};

// As `print` shows it: a string verbatim, inside other values quoted.
[[nodiscard]] std::string printed(const Value& value);
// As `==` compares: numbers across kinds, classes and functions by identity, all else structurally.
[[nodiscard]] bool are_equal(const Value& a, const Value& b);
// The text of a String; anything else is a fault of the interpreter.
[[nodiscard]] const std::string& text_of(const Value& value);
// Whether the class equals the other or extends it.
[[nodiscard]] bool is_kind_of(const TypeInfo* type, const TypeInfo* base);
// Whether it is a variant of that name, of Option and Result mostly.
[[nodiscard]] bool is_variant(const Value& value, std::string_view name);

}  // namespace gyre::vela
