// SPDX-License-Identifier: Apache-2.0
// Codec<T>: how a C++ type becomes a Value and back. Specialise it for a type of your own.
// Stateless.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "gyre/effect/value.hpp"

namespace gyre::effect {

// `fits` says whether a value can become a T; `from` is asked only then. `name` is the type's part
// of a signature.
template <class T>
struct Codec;

template <>
struct Codec<void> {
    static constexpr std::string_view name = "void";
    static bool fits(const Value& value) noexcept { return value.is(Value::Kind::nothing); }
};
template <>
struct Codec<Value> {
    static constexpr std::string_view name = "any";
    static bool fits(const Value& /*value*/) noexcept { return true; }
    static Value from(Value value) noexcept { return value; }
    static Value to(Value value) noexcept { return value; }
};
template <>
struct Codec<bool> {
    static constexpr std::string_view name = "bool";
    static bool fits(const Value& value) noexcept { return value.is(Value::Kind::boolean); }
    static bool from(const Value& value) noexcept { return value.boolean(); }
    static Value to(bool truth) noexcept { return truth; }
};
template <std::integral T>
struct Codec<T> {
    static constexpr std::string_view name = [] {
        constexpr bool is_signed = std::is_signed_v<T>;
        switch (sizeof(T)) {
            case 1:
                return is_signed ? "i8" : "u8";
            case 2:
                return is_signed ? "i16" : "u16";
            case 4:
                return is_signed ? "i32" : "u32";
            default:
                return is_signed ? "i64" : "u64";
        }
    }();
    static bool fits(const Value& value) noexcept {
        if (!value.is(Value::Kind::integer)) return false;
        // The numbers beyond the signed ones are carried by their bits.
        if constexpr (std::is_same_v<T, std::uint64_t>) return true;
        return std::in_range<T>(value.integer());
    }
    static T from(const Value& value) noexcept { return static_cast<T>(value.integer()); }
    static Value to(T number) noexcept { return number; }
};
template <std::floating_point T>
struct Codec<T> {
    static constexpr std::string_view name = sizeof(T) == 4 ? "f32" : "f64";
    static bool fits(const Value& value) noexcept {
        return value.is(Value::Kind::real) || value.is(Value::Kind::integer);
    }
    static T from(const Value& value) noexcept {
        return value.is(Value::Kind::real) ? static_cast<T>(value.real())
                                           : static_cast<T>(value.integer());
    }
    static Value to(T number) noexcept { return static_cast<double>(number); }
};
template <>
struct Codec<std::string> {
    static constexpr std::string_view name = "string";
    static bool fits(const Value& value) noexcept { return value.is(Value::Kind::text); }
    static std::string from(const Value& value) { return value.text(); }
    static Value to(std::string text) { return Value(std::move(text)); }
};
template <>
struct Codec<Value::Blob> {
    static constexpr std::string_view name = "bytes";
    static bool fits(const Value& value) noexcept { return value.is(Value::Kind::bytes); }
    static Value::Blob from(const Value& value) { return value.bytes(); }
    static Value to(Value::Blob bytes) { return Value(std::move(bytes)); }
};
template <class T>
struct Codec<std::vector<T>> {
    static constexpr std::string_view name = "list";
    static bool fits(const Value& value) noexcept {
        if (!value.is(Value::Kind::list)) return false;
        for (const Value& item : value.list()) {
            if (!Codec<T>::fits(item)) return false;
        }
        return true;
    }
    static std::vector<T> from(const Value& value) {
        std::vector<T> items;
        items.reserve(value.list().size());
        for (const Value& item : value.list()) items.push_back(Codec<T>::from(item));
        return items;
    }
    static Value to(const std::vector<T>& items) {
        Value::List list;
        list.reserve(items.size());
        for (const auto& item : items) list.push_back(Codec<T>::to(item));
        return Value(std::move(list));
    }
};
template <class T>
struct Codec<std::optional<T>> {
    static constexpr std::string_view name = "optional";
    static bool fits(const Value& value) noexcept {
        return value.is(Value::Kind::nothing) || Codec<T>::fits(value);
    }
    static std::optional<T> from(const Value& value) {
        if (value.is(Value::Kind::nothing)) return std::nullopt;
        return Codec<T>::from(value);
    }
    static Value to(const std::optional<T>& item) { return item ? Codec<T>::to(*item) : Value(); }
};

}  // namespace gyre::effect
