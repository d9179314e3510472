// SPDX-License-Identifier: Apache-2.0
// The four conditions and their order. Pure functions.
#include "gyre/http/internal/conditional.hpp"

#include "gyre/http/internal/characters.hpp"

namespace gyre::http {
namespace {

using SameTag = bool (*)(std::string_view, std::string_view) noexcept;

// Whether a list of tags, or `*`, in any of the lines of the field matches ours.
bool matches(const Fields& fields, std::string_view name, std::string_view tag,
             SameTag is_same) noexcept {
    bool is_found = false;
    for (const Field& field : fields) {
        if (!same_word(field.name, name)) continue;
        is_found = is_found || trimmed(field.value) == "*";
        for_each_in_list(field.value, [&](std::string_view member) {
            is_found = is_found || (!tag.empty() && is_same(member, tag));
        });
    }
    return is_found;
}

bool is_weak(std::string_view tag) noexcept {
    return tag.starts_with("W/");
}

}  // namespace

bool is_same_tag(std::string_view a, std::string_view b) noexcept {
    if (is_weak(a)) a.remove_prefix(2);
    if (is_weak(b)) b.remove_prefix(2);
    return a == b;
}

bool is_same_tag_strongly(std::string_view a, std::string_view b) noexcept {
    return !is_weak(a) && !is_weak(b) && a == b;
}

Condition check_conditions(Method method, const Fields& fields,
                           const Validators& current) noexcept {
    const bool is_read = method == Method::get || method == Method::head;
    if (fields.has("if-match")) {
        if (!matches(fields, "if-match", current.etag, is_same_tag_strongly)) {
            return Condition::failed;
        }
    } else if (fields.has("if-unmodified-since") && current.modified) {
        const auto since = parse_date(fields.get("if-unmodified-since"));
        if (since && *current.modified > *since) return Condition::failed;
    }
    if (fields.has("if-none-match")) {
        if (matches(fields, "if-none-match", current.etag, is_same_tag)) {
            return is_read ? Condition::not_modified : Condition::failed;
        }
    } else if (is_read && fields.has("if-modified-since") && current.modified) {
        const auto since = parse_date(fields.get("if-modified-since"));
        if (since && *current.modified <= *since) return Condition::not_modified;
    }
    return Condition::holds;
}

bool is_range_current(const Fields& fields, const Validators& current) noexcept {
    if (!fields.has("if-range")) return true;
    const std::string_view value = fields.get("if-range");
    if (value.find('"') != std::string_view::npos) {
        return is_same_tag_strongly(value, current.etag);
    }
    // Dates must be equal: the content may have changed twice within a second.
    const auto date = parse_date(value);
    return date && current.modified && *date == *current.modified;
}

}  // namespace gyre::http
