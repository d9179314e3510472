// SPDX-License-Identifier: Apache-2.0
// Value: a dynamically typed value that passes between a guest and its handlers: nothing, a
// boolean, a number, text, bytes, a list or a record. Also here: Arguments, the values of one
// request. They take 16 and 48 bytes. Numbers, booleans and up to two arguments need no allocation.
//
//     Value list(Value::List{1, "two", 3.0});
//     if (list.is(Value::Kind::list)) use(list.list().size());
//     log(LogLevel::info, "%s", list.to_text().c_str());    // [1,"two",3]
//
// Thread: any; a plain value.
// Lifetime: it owns its content; a copy is deep.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gyre/base/assert.hpp"

namespace gyre::effect {

class Value {
public:
    // The order matters: the kinds after `real` are allocated.
    enum class Kind : std::uint8_t { nothing, boolean, integer, real, text, bytes, list, record };

    using Blob = std::vector<std::byte>;
    using List = std::vector<Value>;
    using Record = std::vector<std::pair<std::string, Value>>;  // in the order of its fields

    Value() noexcept = default;
    // Implicit, so that a call reads `resume(2)`.
    template <std::same_as<bool> Truth>
    Value(Truth truth) noexcept : kind_(Kind::boolean) {
        held_.boolean = truth;
    }
    template <std::integral Integer>
        requires(!std::same_as<Integer, bool> && sizeof(Integer) <= sizeof(std::int64_t))
    Value(Integer number) noexcept : kind_(Kind::integer) {
        held_.integer = static_cast<std::int64_t>(number);
    }
    Value(double number) noexcept : kind_(Kind::real) { held_.real = number; }
    Value(const char* text) : Value(std::string(text)) {}
    Value(std::string_view text) : Value(std::string(text)) {}
    Value(std::string text);
    Value(Blob bytes);
    Value(List list);
    Value(Record record);

    Value(const Value& other);
    Value(Value&& other) noexcept
        : held_(other.held_), kind_(std::exchange(other.kind_, Kind::nothing)) {}
    Value& operator=(const Value& other) { return *this = Value(other); }
    Value& operator=(Value&& other) noexcept {
        if (kind_ > Kind::real && this != &other) drop();
        held_ = other.held_;
        kind_ = std::exchange(other.kind_, Kind::nothing);
        return *this;
    }
    ~Value() {
        if (kind_ > Kind::real) drop();
    }

    [[nodiscard]] Kind kind() const noexcept { return kind_; }
    [[nodiscard]] bool is(Kind kind) const noexcept { return kind_ == kind; }

    // Only for the matching kind.
    [[nodiscard]] bool boolean() const noexcept { return expect(Kind::boolean).boolean; }
    [[nodiscard]] std::int64_t integer() const noexcept { return expect(Kind::integer).integer; }
    [[nodiscard]] double real() const noexcept { return expect(Kind::real).real; }
    [[nodiscard]] const std::string& text() const noexcept { return *expect(Kind::text).text; }
    [[nodiscard]] const Blob& bytes() const noexcept { return *expect(Kind::bytes).bytes; }
    [[nodiscard]] const List& list() const noexcept { return *expect(Kind::list).list; }
    [[nodiscard]] List& list() noexcept { return *expect(Kind::list).list; }
    [[nodiscard]] const Record& record() const noexcept { return *expect(Kind::record).record; }
    // The field of a record; null when it has none of that name.
    [[nodiscard]] const Value* field(std::string_view name) const noexcept;

    friend bool operator==(const Value& left, const Value& right) noexcept;

    // As JSON; bytes as hexadecimal digits. Equal values have equal text.
    [[nodiscard]] std::string to_text() const;

    // The approximate encoded size: 9 bytes for a number, the length of a text. Stops counting
    // above `size_max`; a value nested deeper than `depth_max` counts as larger than `size_max`.
    [[nodiscard]] std::size_t size_bytes(std::size_t size_max, unsigned depth_max) const noexcept {
        return kind_ <= Kind::real ? number_size_bytes : large_size_bytes(size_max, depth_max);
    }

private:
    static constexpr std::size_t number_size_bytes = 9;
    union Held {
        bool boolean;
        std::int64_t integer;
        double real;
        std::string* text;
        Blob* bytes;
        List* list;
        Record* record;
    };
    [[nodiscard]] const Held& expect(Kind kind) const noexcept {
        GYRE_ASSERT(kind_ == kind, "this value is %s, not %s: ask kind() first", name_of(kind_),
                    name_of(kind));
        return held_;
    }
    [[nodiscard]] static const char* name_of(Kind kind) noexcept;
    [[nodiscard]] std::size_t large_size_bytes(std::size_t size_max,
                                               unsigned depth_max) const noexcept;
    void drop() noexcept;
    friend class Arguments;

    Held held_{.integer = 0};
    Kind kind_ = Kind::nothing;
    friend const char* name_of(Value::Kind kind) noexcept;
};

[[nodiscard]] inline const char* name_of(Value::Kind kind) noexcept {
    return Value::name_of(kind);
}

class Arguments {
public:
    Arguments() noexcept = default;
    Arguments(std::initializer_list<Value> values) {
        for (const Value& value : values) push_back(value);
    }
    // The same for coroutines: g++ 12 cannot keep an initializer_list in a coroutine frame.
    template <class... Values>
    [[nodiscard]] static Arguments of(Values&&... values) {
        Arguments arguments;
        (arguments.push_back(Value(std::forward<Values>(values))), ...);
        return arguments;
    }
    Arguments(const Arguments& other) {
        for (const Value& value : other) push_back(value);
    }
    Arguments(Arguments&& other) noexcept { take(other); }
    Arguments& operator=(Arguments other) noexcept {
        clear();
        take(other);
        return *this;
    }
    ~Arguments() = default;

    void push_back(Value value) {
        if (many_ == nullptr && few_count_ < few_.size()) {
            few_[few_count_++] = std::move(value);
        } else {
            push_back_many(std::move(value));
        }
    }
    [[nodiscard]] std::size_t size() const noexcept {
        return many_ == nullptr ? few_count_ : many_->size();
    }
    [[nodiscard]] bool empty() const noexcept { return size() == 0; }
    [[nodiscard]] const Value& operator[](std::size_t at) const noexcept {
        GYRE_ASSERT(at < size(), "there are %zu arguments: none at %zu", size(), at);
        return begin()[at];
    }
    [[nodiscard]] const Value* begin() const noexcept {
        return many_ == nullptr ? few_.data() : many_->data();
    }
    [[nodiscard]] const Value* end() const noexcept { return begin() + size(); }
    operator std::span<const Value>() const noexcept { return {begin(), size()}; }

    friend bool operator==(const Arguments& left, const Arguments& right) noexcept;
    // `(1, "two")`
    [[nodiscard]] std::string to_text() const;
    [[nodiscard]] std::size_t size_bytes(std::size_t size_max, unsigned depth_max) const noexcept {
        if (has_few_numbers()) return few_count_ * Value::number_size_bytes;
        std::size_t size = 0;
        for (const Value& value : *this) {
            size += value.size_bytes(size_max, depth_max);
            if (size > size_max) break;
        }
        return size;
    }

private:
    // No more than fit inline, and none of them allocated.
    [[nodiscard]] bool has_few_numbers() const noexcept {
        return many_ == nullptr && few_[0].kind() <= Value::Kind::real &&
               few_[1].kind() <= Value::Kind::real;
    }
    void clear() noexcept {
        for (std::size_t i = 0; i < few_count_; ++i) few_[i] = Value();
        many_.reset();
        few_count_ = 0;
    }
    void take(Arguments& other) noexcept {
        few_count_ = std::exchange(other.few_count_, 0);
        for (std::size_t i = 0; i < few_count_; ++i) few_[i] = std::move(other.few_[i]);
        many_ = std::move(other.many_);
    }
    void push_back_many(Value value);
    struct Drop {  // out of line: it would be inlined wherever arguments are destroyed
        void operator()(std::vector<Value>* many) const noexcept;
    };

    std::array<Value, 2> few_;
    std::unique_ptr<std::vector<Value>, Drop> many_;  // all of them, when they do not fit inline
    std::size_t few_count_ = 0;
};

}  // namespace gyre::effect
