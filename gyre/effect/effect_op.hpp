// SPDX-License-Identifier: Apache-2.0
// ResumeOp and TailOp: the ops of an effect, which a guest performs and a handler answers. Declared
// once, with their C++ types, and used on both sides. Also here: OpInfo, which describes an op
// without its types (effect, name, signature and the kind of its answer), and Codec<T>, which
// converts a C++ type to a Value and back.
//
//     struct Async {
//         static constexpr ResumeOp<int(int)> await{"com.example.async", "await"};
//         static constexpr TailOp<void(std::string)> log{"com.example.async", "log"};
//     };
//
// Thread: any; they are plain values without state.
// Lifetime: an op refers to the text of its names, which must outlive it.
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

// How a C++ type becomes a Value and back; specialise it for a type of your own. `fits` tells
// whether a value can become a T, `from` is called only then. `name` is the type's part of a
// signature. Stateless.
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
        // Numbers above the signed range are stored as their two's complement.
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

// A resume op is answered with `resume` or `end`, a tail op only with `tail`.
enum class ResumeKind : std::uint8_t { resume, tail };
[[nodiscard]] constexpr const char* name_of(ResumeKind kind) noexcept {
    return kind == ResumeKind::resume ? "resume" : "tail";
}

// A handler with it takes every signature of its op.
inline constexpr std::uint32_t any_signature = 0;

// FNV-1a.
[[nodiscard]] constexpr std::uint64_t mix(std::string_view text, std::uint64_t hash) noexcept {
    for (const char c : text) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
    }
    return hash;
}
inline constexpr std::uint64_t mix_begin = 0xCBF29CE484222325u;

struct OpInfo {
    static constexpr std::uint8_t any_count = 255;  // the number of parameters is unknown

    std::string_view effect;
    std::string_view op;
    std::uint32_t signature = any_signature;
    ResumeKind kind = ResumeKind::resume;
    std::uint8_t param_count = any_count;
    std::uint64_t key = 0;        // hash of effect and op
    std::string_view label = {};  // what messages call it; empty: its effect and op

    constexpr OpInfo() noexcept = default;
    constexpr OpInfo(std::string_view effect_id, std::string_view op_name, ResumeKind resume_kind,
                     std::uint32_t signature_hash = any_signature,
                     std::uint8_t params = any_count) noexcept
        : effect(effect_id),
          op(op_name),
          signature(signature_hash),
          kind(resume_kind),
          param_count(params),
          key(mix(op_name, mix("\n", mix(effect_id, mix_begin)))) {}

    // `com.example.async::await`, or its label
    [[nodiscard]] std::string name() const {
        return label.empty() ? std::string(effect).append("::").append(op) : std::string(label);
    }
};

template <class R, class... Args>
consteval std::uint32_t signature_of() {
    std::uint64_t hash = mix_begin;
    ((hash = mix(",", mix(Codec<Args>::name, hash))), ...);
    hash = mix(Codec<R>::name, mix("->", hash));
    const auto folded = static_cast<std::uint32_t>(hash ^ (hash >> 32u));
    return folded == any_signature ? 1 : folded;
}

template <class Signature, ResumeKind kind>
class TypedOp;
template <class R, class... Args, ResumeKind kind>
class TypedOp<R(Args...), kind> {
public:
    using Result = R;
    static constexpr ResumeKind resume_kind = kind;

    constexpr TypedOp(std::string_view effect, std::string_view op) noexcept
        : info(effect, op, kind, signature_of<R, Args...>(), sizeof...(Args)) {}

    OpInfo info;
};
template <class Signature>
using ResumeOp = TypedOp<Signature, ResumeKind::resume>;
template <class Signature>
using TailOp = TypedOp<Signature, ResumeKind::tail>;

}  // namespace gyre::effect
