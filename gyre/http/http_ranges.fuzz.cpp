// SPDX-License-Identifier: Apache-2.0
// Fuzz target: whatever a Range field says, the parts lie inside; a Content-Range that we write is
// one that we read; dates, weights and paths of any bytes are answered without harm.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "gyre/base/assert.hpp"
#include "gyre/http/conditional.hpp"
#include "gyre/http/content.hpp"
#include "gyre/http/range.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size_bytes) {
    using namespace gyre::http;
    std::uint64_t whole_bytes = 0;
    if (size_bytes < 2) return -1;
    std::memcpy(&whole_bytes, data, 2);
    const std::string_view text(reinterpret_cast<const char*>(data), size_bytes);
    const RangeAnswer answer = answer_range(text.substr(2), whole_bytes);
    for (const ByteRange& range : answer.ranges) {
        GYRE_ASSERT(range.size_bytes > 0 && range.first < whole_bytes, "a part is inside");
        GYRE_ASSERT(range.size_bytes <= whole_bytes - range.first, "a part ends inside");
        const auto read = parse_content_range(content_range(range, whole_bytes));
        GYRE_ASSERT(read && read->first == range.first, "what is written is read");
        GYRE_ASSERT(read->last - read->first + 1 == range.size_bytes, "with its size");
    }
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
