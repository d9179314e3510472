// SPDX-License-Identifier: Apache-2.0
// For the fuzz targets of http: an input is a text. Each target is a program of its own, includes
// this once and defines `fuzz_text`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "gyre/base/assert.hpp"
#include "gyre/http/limits.hpp"

namespace gyre::http {

// What libFuzzer expects of a target: 0, or -1 for what is not worth keeping.
int fuzz_text(std::string_view text);

// So small that short inputs reach them.
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
