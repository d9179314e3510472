// SPDX-License-Identifier: Apache-2.0
// step_module: the text of a module that does what its host says. It imports `conform.start` and
// `conform.resume`, which return the next step as a number, and performs it by the host protocol of its generation. It
// declares the ops await and other (resume) and now (tail) of the effect com.example.async, each from i32 to i32.
// Any thread.
#pragma once

#include <cstdint>
#include <string>

#include "lang/wasm/program.hpp"

namespace gyre::wasm {

// The kind is in bits 0 to 7, the op in 8 to 15, the number in 32 to 63.
enum class StepKind : std::uint8_t { gives, asks, lies_status, lies_op, lies_payload };
[[nodiscard]] constexpr std::int64_t packed_step(StepKind kind, std::uint8_t op,
                                                 std::int32_t number) noexcept {
    return static_cast<std::int64_t>(std::uint64_t{static_cast<std::uint32_t>(number)} << 32u |
                                     std::uint64_t{op} << 8u | static_cast<std::uint64_t>(kind));
}

[[nodiscard]] std::string step_module(Generation generation);

}  // namespace gyre::wasm
