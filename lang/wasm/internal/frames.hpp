// SPDX-License-Identifier: Apache-2.0
// The frames of the host protocol: MessagePack that goes into a module and comes out of it. The second
// generation has frames with fingerprints, the first bare values. Writing appends to a text that the caller
// reuses; reading checks everything that a hostile module may send. Any thread; plain values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "gyre/effect/detail/msgpack.hpp"
#include "gyre/effect/value.hpp"
#include "lang/wasm/program.hpp"

namespace gyre::wasm {

enum class FrameTag : std::uint8_t {
    export_invocation = 0,
    export_completion = 1,
    effect_request = 2,
    effect_outcome = 3,
    callback_invocation = 4,
    callback_completion = 5,
    external_invocation = 12,
    external_completion = 13,
};

inline constexpr int frame_version = 2;

// The largest collection fits, with the values of the frame around it.
[[nodiscard]] inline effect::MessagePackLimits frame_limits(std::size_t size_max_bytes) noexcept {
    constexpr std::uint32_t collection_size_max = 1'048'576;
    constexpr std::uint32_t frame_count_max = 1'024;
    return {.size_max_bytes = size_max_bytes, .count_max = collection_size_max + frame_count_max};
}

// A request of either generation, checked against the effect table.
struct EffectRequest {
    std::size_t op_index = 0;
    effect::Arguments arguments;
    std::string_view result_fingerprint;  // refers to the frame; empty in the first generation
};

// Each throws a ProtocolError: decode_failed, encode_failed or op_mismatch.
void write_invocation(std::string& out, const ExportedFunction& function,
                      const effect::Arguments& arguments);
void write_callback_invocation(std::string& out, std::uint32_t invocation, const CallbackType& type,
                               const effect::Arguments& arguments);
// A call of an external function, and its result.
[[nodiscard]] effect::Arguments read_external_invocation(std::string_view frame,
                                                         const ExternalFunction& function,
                                                         effect::MessagePackLimits limits);
void write_external_completion(std::string& out, const ExternalFunction& function,
                               const effect::Value& value);
// The answer to a request. `schema` may be null.
void write_outcome(std::string& out, std::size_t request, std::string_view fingerprint,
                   const Schema* schema, const effect::Value& value, const std::string& path);
[[nodiscard]] EffectRequest read_request(const Program& program, std::string_view frame,
                                         effect::MessagePackLimits limits);
// The value of a function, or of a task or callback. A failure that the module reports is an error
// of the kind guest_failed.
[[nodiscard]] effect::Value read_completion(std::string_view frame, FrameTag tag, std::uint32_t id,
                                            const Schema* schema, const std::string& path,
                                            effect::MessagePackLimits limits);

// The same of the first generation.
[[nodiscard]] EffectRequest read_bare_request(const Program& program, std::string_view payload,
                                              effect::MessagePackLimits limits);
// `is_wide`: an integer has 64 bits on the wire, as the reference host writes an i64.
void write_bare_value(std::string& out, const effect::Value& value, bool is_wide = false);
// Of a function that is called with its arguments in one list, and returns a bare value.
void write_bare_arguments(std::string& out, const effect::Arguments& arguments);

}  // namespace gyre::wasm
