// SPDX-License-Identifier: Apache-2.0
// The framing rules of RFC 9112 6. Pure functions.
#include "gyre/http/internal/framing.hpp"

#include <array>
#include <charconv>

#include "gyre/http/internal/characters.hpp"

namespace gyre::http {
namespace {

// Digits only, and not too many to overflow.
bool read_length(std::string_view text, std::uint64_t& length) noexcept {
    if (text.empty() || !is_digit(text.front())) return false;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), length);
    return error == std::errc() && end == text.data() + text.size() &&
           length <= std::uint64_t{1} << 62U;
}

}  // namespace

FramingFacts::FramingFacts(const Fields& fields) noexcept {
    for (const Field& field : fields) look_at(field);
}

void FramingFacts::look_at(const Field& field) noexcept {
    // By size first: most fields are not relevant here.
    switch (field.name.size()) {
        case 0:
            has_empty_name = true;
            return;
        case 4:
            if (!same_word(field.name, "host")) return;
            ++host_count;
            host = field.value;
            return;
        case 6:
            if (!same_word(field.name, "expect")) return;
            expects_continue = same_word(field.value, "100-continue");
            return;
        case 7:
            if (same_word(field.name, "upgrade")) has_upgrade = true;
            return;
        case 10:
            if (same_word(field.name, "connection")) look_at_connection(field.value);
            return;
        case 14:
            if (!same_word(field.name, "content-length")) return;
            ++length_count;
            is_length_well_formed = read_length(field.value, content_length);
            return;
        case 17:
            if (!same_word(field.name, "transfer-encoding")) return;
            ++coding_count;
            is_chunked = same_word(field.value, "chunked");
            return;
        default:
            return;
    }
}

void FramingFacts::look_at_connection(std::string_view value) noexcept {
    for_each_in_list(value, [this](std::string_view option) {
        has_close = has_close || same_word(option, "close");
        has_keep_alive = has_keep_alive || same_word(option, "keep-alive");
        has_connection_upgrade = has_connection_upgrade || same_word(option, "upgrade");
    });
}

Refusal FramingFacts::check(Version version) const noexcept {
    if (has_empty_name) return Refusal::malformed_field;
    if (coding_count > 0 && length_count > 0) return Refusal::length_and_coding;
    if (coding_count > 0 && version == Version::http_1_0) return Refusal::coding_in_old_version;
    if (coding_count > 1 || (coding_count == 1 && !is_chunked)) return Refusal::unknown_coding;
    if (length_count > 1) return Refusal::repeated_content_length;
    if (!is_length_well_formed) return Refusal::malformed_content_length;
    return Refusal::none;
}

bool is_framing_field(std::string_view name) noexcept {
    static constexpr std::array<std::string_view, 9> names = {
        "transfer-encoding", "content-length", "host",   "trailer",         "te",
        "connection",        "upgrade",        "expect", "content-encoding"};
    for (const std::string_view framing : names) {
        if (same_word(name, framing)) return true;
    }
    return false;
}

}  // namespace gyre::http
