// SPDX-License-Identifier: Apache-2.0
// HeadGuard first, then llhttp on the complete head: a new llhttp parser for each head, stopped
// before the body. So it keeps no state between messages, and never sees a byte that HeadGuard has
// not passed.
#include "gyre/http/internal/head_parser.hpp"

#include <llhttp.h>

#include "gyre/base/assert.hpp"
#include "gyre/http/internal/characters.hpp"

namespace gyre::http {
namespace {

struct LlhttpOutput {
    Fields& fields;
    std::string_view start_text;  // the target of a request, or the reason of a response
};

// Maps the error of llhttp to a Refusal; `none` if it reached the end of the head.
Refusal refusal_of(int error, const LlhttpOutput& output) noexcept {
    switch (error) {
        case HPE_PAUSED:
            return Refusal::none;
        case HPE_INVALID_METHOD:
        case HPE_INVALID_CONSTANT:
            return Refusal::unknown_method;
        case HPE_INVALID_URL:
            return Refusal::malformed_target;
        case HPE_INVALID_VERSION:
            return Refusal::unknown_version;
        case HPE_INVALID_STATUS:
            return Refusal::malformed_status_line;
        case HPE_INVALID_CONTENT_LENGTH:
            return output.fields.count("content-length") > 1 ? Refusal::repeated_content_length
                                                             : Refusal::malformed_content_length;
        case HPE_UNEXPECTED_CONTENT_LENGTH:
            return output.fields.count("content-length") > 1 ? Refusal::repeated_content_length
                                                             : Refusal::length_and_coding;
        case HPE_INVALID_TRANSFER_ENCODING:
            return Refusal::unknown_coding;
        default:
            return Refusal::malformed_field;
    }
}

// llhttp and FramingFacts must agree on the framing: if they differ, a proxy may differ too.
bool agrees(const llhttp_t& parser, const FramingFacts& facts) noexcept {
    const bool is_chunked = (parser.flags & F_CHUNKED) != 0;
    const bool has_coding = (parser.flags & F_TRANSFER_ENCODING) != 0;
    const bool has_length = (parser.flags & F_CONTENT_LENGTH) != 0;
    return is_chunked == facts.is_chunked && has_coding == (facts.coding_count > 0) &&
           has_length == (facts.length_count > 0) &&
           (!has_length || parser.content_length == facts.content_length);
}

void set_common(MessageHead& head, const FramingFacts& facts) noexcept {
    head.keeps_alive = facts.keeps_alive(head.version);
    head.content_length = facts.length_count > 0 ? facts.content_length : 0;
    head.framing = facts.is_chunked                                     ? Framing::chunked
                   : facts.length_count > 0 && facts.content_length > 0 ? Framing::length
                                                                        : Framing::none;
    head.asks_upgrade = facts.has_upgrade && facts.has_connection_upgrade;
}

Refusal run(llhttp_type_t type, std::string_view text, llhttp_t& parser, LlhttpOutput& output) {
    output.fields.clear();
    llhttp__internal_init(&parser);
    parser.type = static_cast<std::uint8_t>(type);
    parser.data = &output;
    return refusal_of(llhttp__internal_execute(&parser, text.data(), text.data() + text.size()),
                      output);
}

// Parses a complete head that HeadGuard has passed; `text` ends with the empty line.
Refusal parse_whole(std::string_view text, RequestHead& head) {
    llhttp_t parser;
    LlhttpOutput output{.fields = head.fields, .start_text = {}};
    if (const Refusal why = run(HTTP_REQUEST, text, parser, output); why != Refusal::none) {
        return why;
    }
    if (output.start_text.empty()) return Refusal::malformed_target;
    // HeadGuard has checked that only the method and a space precede the target.
    head.target = output.start_text;
    head.method_name = {text.data(), output.start_text.data() - 1};
    head.method = method_of(head.method_name);
    head.version = parser.http_minor == 0 ? Version::http_1_0 : Version::http_1_1;
    const FramingFacts facts(head.fields);
    if (facts.host_count > 1) return Refusal::repeated_host;
    if (facts.host_count == 0 && head.version == Version::http_1_1) return Refusal::missing_host;
    if (!is_authority(facts.host)) return Refusal::malformed_host;
    if (const Refusal why = facts.check(head.version); why != Refusal::none) return why;
    if (!agrees(parser, facts)) {
        return facts.coding_count > 0 ? Refusal::unknown_coding : Refusal::malformed_content_length;
    }
    set_common(head, facts);
    // RFC 9112 3.2.2: that of the target counts, whatever the Host field says.
    const std::string_view authority = target_authority(head.target);
    head.host = authority.empty() ? facts.host : authority;
    head.expects_continue = facts.expects_continue && head.version == Version::http_1_1;
    return Refusal::none;
}

Refusal parse_whole(std::string_view text, ResponseHead& head) {
    llhttp_t parser;
    LlhttpOutput output{.fields = head.fields, .start_text = {}};
    if (const Refusal why = run(HTTP_RESPONSE, text, parser, output); why != Refusal::none) {
        return why;
    }
    head.status = parser.status_code;
    head.reason = output.start_text;
    head.version = parser.http_minor == 0 ? Version::http_1_0 : Version::http_1_1;
    const FramingFacts facts(head.fields);
    if (const Refusal why = facts.check(head.version); why != Refusal::none) return why;
    if (!agrees(parser, facts)) {
        return facts.coding_count > 0 ? Refusal::unknown_coding : Refusal::malformed_content_length;
    }
    set_common(head, facts);
    const bool has_no_body = head.status < 200 || head.status == 204 || head.status == 304;
    if (has_no_body) {
        head.framing = Framing::none;
    } else if (facts.coding_count == 0 && facts.length_count == 0) {
        head.framing = Framing::until_close;
        head.keeps_alive = false;
    }
    return Refusal::none;
}

// Sums of lengths must not overflow.
constexpr std::uint64_t content_length_max = std::uint64_t{1} << 62U;

}  // namespace

// The callbacks of llhttp, called from head_parser.c.
extern "C" {
void gyre_http_on_start_text(void* output, const char* at, std::size_t size) {
    static_cast<LlhttpOutput*>(output)->start_text = {at, size};
}
void gyre_http_on_field_name(void* output, const char* at, std::size_t size) {
    static_cast<LlhttpOutput*>(output)->fields.add({.name = {at, size}, .value = {}});
}
void gyre_http_on_field_value(void* output, const char* at, std::size_t size) {
    static_cast<LlhttpOutput*>(output)->fields.back().value = trimmed({at, size});
}
}

template <class Head>
ParseState HeadParser<Head>::parse(std::string_view input) {
    const ParseState state = guard_.scan(input, limits_);
    if (state == ParseState::refused) refusal_ = guard_.refusal();
    if (state != ParseState::complete) return state;
    GYRE_ASSERT(guard_.end() <= input.size(), "a head ends behind its input");
    GYRE_ASSERT(guard_.begin() < guard_.end(), "a complete head is empty");
    refusal_ = parse_whole(input.substr(guard_.begin(), guard_.end() - guard_.begin()), head_);
    return refusal_ == Refusal::none ? ParseState::complete : ParseState::refused;
}

FramingFacts::FramingFacts(const Fields& fields) noexcept {
    for (const Field& field : fields) add(field);
}

void FramingFacts::add(const Field& field) noexcept {
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
            if (same_word(field.name, "connection")) add_connection(field.value);
            return;
        case 14:
            if (!same_word(field.name, "content-length")) return;
            ++length_count;
            content_length = parse_decimal(field.value).value_or(~std::uint64_t{0});
            is_length_well_formed = content_length <= content_length_max;
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

void FramingFacts::add_connection(std::string_view value) noexcept {
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

template class HeadParser<RequestHead>;
template class HeadParser<ResponseHead>;

}  // namespace gyre::http
