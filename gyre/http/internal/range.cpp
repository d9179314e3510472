// SPDX-License-Identifier: Apache-2.0
// Parsing and formatting of ranges. Pure functions.
#include "gyre/http/internal/range.hpp"

#include <algorithm>
#include <optional>

#include "gyre/base/assert.hpp"
#include "gyre/http/internal/characters.hpp"

namespace gyre::http {
namespace {

// One range of the list; nullopt if it is malformed. Size 0: it lies outside of the content.
std::optional<ByteRange> read_one(std::string_view text, std::uint64_t size_bytes) noexcept {
    const std::size_t dash = text.find('-');
    if (dash == std::string_view::npos) return std::nullopt;
    const std::string_view before = text.substr(0, dash);
    const std::string_view after = text.substr(dash + 1);
    if (before.empty()) {
        const auto suffix = parse_decimal(after);
        if (!suffix) return std::nullopt;
        const std::uint64_t size = std::min(*suffix, size_bytes);
        return ByteRange{.first = size_bytes - size, .size_bytes = size};
    }
    const auto first = parse_decimal(before);
    if (!first) return std::nullopt;
    std::uint64_t last = size_bytes;
    if (!after.empty()) {
        const auto given = parse_decimal(after);
        if (!given || *given < *first) return std::nullopt;
        last = *given;
    }
    if (*first >= size_bytes) return ByteRange{};
    return ByteRange{.first = *first, .size_bytes = std::min(last, size_bytes - 1) - *first + 1};
}

bool overlap(const ByteRange& one, const ByteRange& other) noexcept {
    return one.first < other.first + other.size_bytes && other.first < one.first + one.size_bytes;
}

// Merges the range with those it overlaps, or appends it; returns whether it overlapped one.
bool join(std::vector<ByteRange>& ranges, ByteRange added) {
    const auto first = std::find_if(ranges.begin(), ranges.end(),
                                    [&](const ByteRange& range) { return overlap(range, added); });
    if (first == ranges.end()) {
        ranges.push_back(added);
        return false;
    }
    for (auto other = first; other != ranges.end();) {
        if (!overlap(*other, added)) {
            ++other;
            continue;
        }
        const std::uint64_t end =
            std::max(other->first + other->size_bytes, added.first + added.size_bytes);
        added.first = std::min(other->first, added.first);
        added.size_bytes = end - added.first;
        other = other == first ? other + 1 : ranges.erase(other);
    }
    *first = added;
    return true;
}

}  // namespace

RangeAnswer answer_range(std::string_view field, std::uint64_t size_bytes) {
    const std::size_t equal = field.find('=');
    if (equal == std::string_view::npos || !same_word(trimmed(field.substr(0, equal)), "bytes")) {
        return {};
    }
    RangeAnswer answer;
    bool is_malformed = false;
    std::size_t count = 0;
    std::size_t overlap_count = 0;
    for_each_in_list(field.substr(equal + 1), [&](std::string_view member) {
        const auto range = read_one(member, size_bytes);
        is_malformed = is_malformed || !range || ++count > range_count_max;
        if (is_malformed || range->size_bytes == 0) return;
        if (join(answer.ranges, *range)) ++overlap_count;
    });
    if (is_malformed || count == 0 || overlap_count > range_overlap_count_max) return {};
    answer.kind =
        answer.ranges.empty() ? RangeAnswer::Kind::not_satisfiable : RangeAnswer::Kind::part;
    return answer;
}

std::string content_range(const ByteRange& range, std::uint64_t size_bytes) {
    GYRE_ASSERT(range.size_bytes > 0, "an empty range has no Content-Range: respond with 416");
    GYRE_ASSERT(range.size_bytes <= size_bytes, "a range is larger than its content");
    GYRE_ASSERT(range.first <= size_bytes - range.size_bytes, "a range ends behind its content");
    return "bytes " + std::to_string(range.first) + "-" +
           std::to_string(range.first + range.size_bytes - 1) + "/" + std::to_string(size_bytes);
}

std::string content_range_unsatisfied(std::uint64_t size_bytes) {
    return "bytes */" + std::to_string(size_bytes);
}

PartsBody parts_body(const std::vector<ByteRange>& ranges, std::uint64_t size_bytes,
                     std::string_view media_type, std::string_view boundary) {
    GYRE_ASSERT(!boundary.empty(), "a multipart body needs a boundary");
    PartsBody body;
    for (const ByteRange& range : ranges) {
        std::string before = body.parts.empty() ? "--" : "\r\n--";
        before.append(boundary).append("\r\nContent-Type: ").append(media_type);
        before.append("\r\nContent-Range: ").append(content_range(range, size_bytes));
        before.append("\r\n\r\n");
        body.size_bytes += before.size() + range.size_bytes;
        body.parts.push_back({std::move(before), range});
    }
    body.end.append("\r\n--").append(boundary).append("--\r\n");
    body.size_bytes += body.end.size();
    return body;
}

}  // namespace gyre::http
