// SPDX-License-Identifier: Apache-2.0
// Fuzz target: the texts that gyre/db parses: URLs, arrays, times, dates, uuids and scripts. What is taken is the same
// after it was written and parsed once more, and no message shows a password.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gyre/base/assert.hpp"
#include "gyre/db/detail/cell.hpp"
#include "gyre/db/error.hpp"
#include "gyre/db/internal/url.hpp"
#include "gyre/db/statement_text.hpp"
#include "gyre/db/value.hpp"

namespace {

using namespace gyre;
using namespace gyre::db;

void parse_as_url(std::string_view text) {
    try {
        const Url url = parse_url(text);
        GYRE_ASSERT(!url.name.empty() && !url.name.contains('\0'), "a URL without a database");
        GYRE_ASSERT(url.shown().size() <= 2 * text.size() + 64,
                    "a URL is shown with more than it had");
    } catch (const DbError& e) {
        GYRE_ASSERT(e.kind() == DbError::Kind::failed, "a URL is refused with another kind");
    }
}

void parse_as_array(std::string_view text) {
    std::vector<ArrayItem> items;
    if (!split_array(text, items)) return;
    Array values;
    for (const ArrayItem& item : items) {
        if (item.is_array) return parse_as_array(item.text);
        values.push_back(item.is_null ? Value() : Value(item.text));
    }
    std::vector<ArrayItem> again;
    GYRE_ASSERT(split_array(Value(values).to_text(), again), "an array that was written is none");
    GYRE_ASSERT(again.size() == items.size(), "an array changes its size");
    for (std::size_t i = 0; i < items.size(); ++i) {
        GYRE_ASSERT(again[i].is_null == items[i].is_null, "an item becomes null");
        GYRE_ASSERT(items[i].is_null || again[i].text == items[i].text, "an item changes");
    }
}

void parse_as_script(std::string_view text, bool is_postgres) {
    while (const std::size_t end = statement_end(text, is_postgres)) {
        GYRE_ASSERT(end <= text.size() && text[end - 1] == ';', "a statement ends elsewhere");
        GYRE_ASSERT(statement_end(text.substr(0, end), is_postgres) == end,
                    "what is behind a statement changes its end");
        text.remove_prefix(end);
    }
    GYRE_ASSERT(!is_blank_sql(text, is_postgres) || !text.contains(';') || text.contains("--") ||
                    text.contains("/*"),
                "a semicolon is left");
}

template <class T>
void parse_twice(std::string_view text) {
    const auto parsed = T::parse(text);
    if (!parsed) return;
    const std::string written = parsed->to_string();
    if (written.ends_with(" BC")) return;
    GYRE_ASSERT(T::parse(written) == parsed, "'%s' is read as another one", written.c_str());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    parse_as_url(text);
    parse_as_array(text);
    parse_as_script(text, true);
    parse_as_script(text, false);
    parse_twice<Timestamp>(text);
    parse_twice<Date>(text);
    parse_twice<Uuid>(text);
    return 0;
}
