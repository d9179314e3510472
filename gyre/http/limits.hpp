// SPDX-License-Identifier: Apache-2.0
// Limits: what a message may be at most. What goes over one is refused with the status and the name
// of that limit (refusal.hpp). Plain data.
#pragma once

#include <cstdint>

namespace gyre::http {

struct Limits {
    // A request line, a status line or a field line, without its end.
    std::uint32_t line_bytes_max = 8U << 10U;
    // Everything up to the empty line, with it.
    std::uint32_t head_bytes_max = 32U << 10U;
    std::uint32_t field_count_max = 100;
    std::uint64_t body_bytes_max = 8U << 20U;
    // The line before a chunk, extensions included.
    std::uint32_t chunk_line_bytes_max = 256;
    // The fields after the last chunk, with their empty line.
    std::uint32_t trailer_bytes_max = 4U << 10U;
};

}  // namespace gyre::http
