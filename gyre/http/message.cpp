// SPDX-License-Identifier: Apache-2.0
// Methods, statuses and fields by name. Pure functions.
#include "gyre/http/message.hpp"

#include <algorithm>
#include <array>

#include "gyre/http/internal/characters.hpp"

namespace gyre::http {
namespace {

struct StatusRow {
    int status;
    std::string_view reason;
};

// Sorted by status.
constexpr auto statuses = std::to_array<StatusRow>({
    {100, "Continue"},
    {101, "Switching Protocols"},
    {103, "Early Hints"},
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {204, "No Content"},
    {205, "Reset Content"},
    {206, "Partial Content"},
    {300, "Multiple Choices"},
    {301, "Moved Permanently"},
    {302, "Found"},
    {303, "See Other"},
    {304, "Not Modified"},
    {307, "Temporary Redirect"},
    {308, "Permanent Redirect"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {406, "Not Acceptable"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {410, "Gone"},
    {411, "Length Required"},
    {412, "Precondition Failed"},
    {413, "Content Too Large"},
    {414, "URI Too Long"},
    {415, "Unsupported Media Type"},
    {416, "Range Not Satisfiable"},
    {417, "Expectation Failed"},
    {421, "Misdirected Request"},
    {422, "Unprocessable Content"},
    {425, "Too Early"},
    {426, "Upgrade Required"},
    {428, "Precondition Required"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {451, "Unavailable For Legal Reasons"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {502, "Bad Gateway"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
    {505, "HTTP Version Not Supported"},
    {507, "Insufficient Storage"},
    {511, "Network Authentication Required"},
});

}  // namespace

bool is_safe(Method method) noexcept {
    return method == Method::get || method == Method::head || method == Method::options ||
           method == Method::trace;
}

bool is_idempotent(Method method) noexcept {
    return is_safe(method) || method == Method::put || method == Method::delete_;
}

std::string_view reason_of(int status) noexcept {
    const auto* const row =
        std::lower_bound(statuses.begin(), statuses.end(), status,
                         [](const StatusRow& r, int wanted) { return r.status < wanted; });
    return row != statuses.end() && row->status == status ? row->reason : std::string_view();
}

const Field* Fields::find(std::string_view name) const noexcept {
    for (const Field& field : fields_) {
        if (same_word(field.name, name)) return &field;
    }
    return nullptr;
}

std::size_t Fields::count(std::string_view name) const noexcept {
    std::size_t result = 0;
    for (const Field& field : fields_) {
        if (same_word(field.name, name)) ++result;
    }
    return result;
}

bool Fields::lists(std::string_view name, std::string_view word) const noexcept {
    bool is_listed = false;
    for (const Field& field : fields_) {
        if (!same_word(field.name, name)) continue;
        for_each_in_list(field.value, [&](std::string_view member) {
            is_listed = is_listed || same_word(member, word);
        });
    }
    return is_listed;
}

std::optional<ContentRange> parse_content_range(std::string_view field) noexcept {
    if (!field.starts_with("bytes ")) return std::nullopt;
    field.remove_prefix(6);
    const std::size_t dash = field.find('-');
    const std::size_t slash = field.find('/');
    if (dash == std::string_view::npos || slash == std::string_view::npos || dash > slash) {
        return std::nullopt;
    }
    const auto first = parse_decimal(field.substr(0, dash));
    const auto last = parse_decimal(field.substr(dash + 1, slash - dash - 1));
    if (!first || !last || *last < *first) return std::nullopt;
    ContentRange range{.first = *first, .last = *last, .whole_bytes = {}};
    if (field.substr(slash + 1) == "*") return range;
    range.whole_bytes = parse_decimal(field.substr(slash + 1));
    if (!range.whole_bytes || *range.whole_bytes <= *last) return std::nullopt;
    return range;
}

}  // namespace gyre::http
