// SPDX-License-Identifier: Apache-2.0
// The ops of an effect: what a guest may ask of its host. OpInfo names one: its effect, its name,
// its signature and how it must be answered. ResumeOp and TailOp are ops with C++ types, written
// once and used on both sides:
//
//     struct Async {
//         static constexpr ResumeOp<int(int)> await{"com.example.async", "await"};
//         static constexpr TailOp<void(std::string)> log{"com.example.async", "log"};
//     };
//
// Plain values; the text belongs to whoever made them and outlives them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "gyre/effect/codec.hpp"

namespace gyre::effect {

// A resume op is answered with `resume` or `end`, a tail op with `tail` alone.
enum class ResumeKind : std::uint8_t { resume, tail };
[[nodiscard]] constexpr const char* name_of(ResumeKind kind) noexcept {
    return kind == ResumeKind::resume ? "resume" : "tail";
}

// A handler for it takes every signature of its op.
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
    static constexpr std::uint8_t any_count = 255;  // of parameters: not known

    std::string_view effect;
    std::string_view op;
    std::uint32_t signature = any_signature;
    ResumeKind kind = ResumeKind::resume;
    std::uint8_t param_count = any_count;
    std::uint64_t key = 0;  // of effect and op, for tables

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

    // `com.example.async::await`
    [[nodiscard]] std::string name() const { return std::string(effect).append("::").append(op); }
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
