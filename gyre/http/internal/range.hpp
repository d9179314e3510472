// SPDX-License-Identifier: Apache-2.0
// answer_range, parts_body: a server's answer to the Range field (RFC 9110 14). Plain values and
// pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gyre::http {

struct ByteRange {
    std::uint64_t first = 0;
    std::uint64_t size_bytes = 0;  // at least 1
    friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

struct RangeAnswer {
    enum class Kind : std::uint8_t {
        whole,           // no valid Range: respond with 200
        part,            // 206
        not_satisfiable  // every range is outside: 416
    };
    Kind kind = Kind::whole;
    std::vector<ByteRange> ranges;  // not empty if `part`
};

// More ranges, or more overlapping ones, are an attack on the server: it responds with the whole.
inline constexpr std::size_t range_count_max = 16;
inline constexpr std::size_t range_overlap_count_max = 2;

// Applies a Range field such as `bytes=0-99,-5` to a content of this size. A malformed field is
// ignored. Overlapping ranges are merged at the place of the first, so that no byte is sent twice.
[[nodiscard]] RangeAnswer answer_range(std::string_view field, std::uint64_t size_bytes);
// `bytes 0-99/1234`, and `bytes */1234`.
[[nodiscard]] std::string content_range(const ByteRange& range, std::uint64_t size_bytes);
[[nodiscard]] std::string content_range_unsatisfied(std::uint64_t size_bytes);

// The frame of a multipart/byteranges body: each part is preceded by its `before`, the last one is
// followed by `end`.
struct PartsBody {
    struct Part {
        std::string before;
        ByteRange range;
    };
    std::vector<Part> parts;
    std::string end;
    std::uint64_t size_bytes = 0;  // of the whole body
};
// The boundary must not occur in the content.
[[nodiscard]] PartsBody parts_body(const std::vector<ByteRange>& ranges, std::uint64_t size_bytes,
                                   std::string_view media_type, std::string_view boundary);

}  // namespace gyre::http
