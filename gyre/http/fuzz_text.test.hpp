// SPDX-License-Identifier: Apache-2.0
// The entry point of http's fuzz targets, whose input is a text. Each target is a program that
// includes this once and defines `fuzz_text`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "gyre/base/assert.hpp"
#include "gyre/http/refusal.hpp"

namespace gyre::http {

// The entry point of libFuzzer: 0, or -1 to leave the input out of the corpus.
int fuzz_text(std::string_view text);

// Small, so that short inputs reach them.
[[nodiscard]] constexpr Limits small_limits() noexcept {
    Limits limits;
    limits.line_bytes_max = 64;
    limits.head_bytes_max = 200;
    limits.field_count_max = 6;
    limits.body_bytes_max = 100;
    limits.chunk_line_bytes_max = 20;
    limits.trailer_bytes_max = 50;
    return limits;
}

}  // namespace gyre::http

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size_bytes) {
    return gyre::http::fuzz_text({reinterpret_cast<const char*>(data), size_bytes});
}
