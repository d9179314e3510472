// SPDX-License-Identifier: Apache-2.0
// Parts of a thing that were asked for: the Range field of RFC 9110 14. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
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
        whole,           // no ranges, or none that we follow: 200
        part,            // 206
        not_satisfiable  // none of them lies inside: 416
    };
    Kind kind = Kind::whole;
    std::vector<ByteRange> ranges;  // at least one where it is a part
};

// Who asks for more parts than that, or for more that overlap an earlier one, wants us to work: the
// whole is sent.
inline constexpr std::size_t range_count_max = 16;
inline constexpr std::size_t range_overlap_count_max = 2;

// What `bytes=0-99,-5` means for a thing of that size. A field that is malformed counts as none.
// Parts that overlap are one part, so that no byte is sent twice; they stand where the first of
// them stood.
[[nodiscard]] RangeAnswer answer_range(std::string_view field, std::uint64_t size_bytes);
// `bytes 0-99/1234`, and `bytes */1234`.
[[nodiscard]] std::string content_range(const ByteRange& range, std::uint64_t size_bytes);
[[nodiscard]] std::string content_range_unsatisfied(std::uint64_t size_bytes);

// The body of an answer with several parts (multipart/byteranges), but for their bytes: each part
// goes behind its `before`, and `end` behind the last.
struct PartsBody {
    struct Part {
        std::string before;
        ByteRange range;
    };
    std::vector<Part> parts;
    std::string end;
    std::uint64_t size_bytes = 0;  // of all of it
};
// The boundary is a token that the bytes do not hold after a line end and two dashes.
[[nodiscard]] PartsBody parts_body(const std::vector<ByteRange>& ranges, std::uint64_t size_bytes,
                                   std::string_view media_type, std::string_view boundary);

// For who asked: where the part that came begins, and how large the whole is, where it says so.
struct ContentRange {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    std::optional<std::uint64_t> whole_bytes;
};
[[nodiscard]] std::optional<ContentRange> parse_content_range(std::string_view field) noexcept;

}  // namespace gyre::http
