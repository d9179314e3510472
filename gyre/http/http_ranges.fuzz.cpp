// SPDX-License-Identifier: Apache-2.0
// Fuzz target: the ranges of any Range field lie inside of the content and do not overlap, and a
// multipart body has its announced size; a Content-Range that we write parses to the same range;
// dates, weights and paths of arbitrary bytes are handled.
#include <algorithm>
#include <cstring>
#include <string_view>

#include "gyre/http/fuzz_text.test.hpp"
#include "gyre/http/internal/conditional.hpp"
#include "gyre/http/internal/content.hpp"
#include "gyre/http/internal/range.hpp"

namespace gyre::http {

int fuzz_text(std::string_view text) {
    std::uint64_t whole_bytes = 0;
    if (text.size() < 2) return -1;
    std::memcpy(&whole_bytes, text.data(), 2);
    const RangeAnswer answer = answer_range(text.substr(2), whole_bytes);
    GYRE_ASSERT(answer.ranges.size() <= range_count_max, "parts are bounded");
    std::uint64_t sum_bytes = 0;
    for (const ByteRange& range : answer.ranges) {
        sum_bytes += range.size_bytes;
        GYRE_ASSERT(range.size_bytes > 0 && range.first < whole_bytes, "a part is inside");
        GYRE_ASSERT(range.size_bytes <= whole_bytes - range.first, "a part ends inside");
        const auto read = parse_content_range(content_range(range, whole_bytes));
        GYRE_ASSERT(read && read->first == range.first,
                    "a written Content-Range parses to the same range");
        GYRE_ASSERT(read->last - read->first + 1 == range.size_bytes, "with its size");
    }
    GYRE_ASSERT(sum_bytes <= whole_bytes, "no byte is sent twice");
    const PartsBody body = parts_body(answer.ranges, whole_bytes, "text/plain", "b");
    std::uint64_t body_bytes = body.end.size();
    for (const PartsBody::Part& part : body.parts) {
        body_bytes += part.before.size() + part.range.size_bytes;
    }
    GYRE_ASSERT(body_bytes == body.size_bytes, "a body has the size that it announces");
    static_cast<void>(parse_content_range(text));
    if (const auto date = parse_date(text); date && *date >= 0) {
        GYRE_ASSERT(parse_date(date_text(*date)) == date, "a date is the same when written again");
    }
    if (const auto path = safe_path(text)) {
        GYRE_ASSERT(!path->starts_with('/') && !path->starts_with('.'), "a path stays below");
        GYRE_ASSERT(path->find("/.") == std::string::npos, "and names nothing hidden");
    }
    Fields fields;
    fields.add({"Accept-Encoding", text});
    fields.add({"If-None-Match", text});
    static_cast<void>(accepts_coding(fields, "gzip"));
    static_cast<void>(check_conditions(Method::get, fields, {.etag = "\"a\"", .modified = {}}));
    return 0;
}

}  // namespace gyre::http
