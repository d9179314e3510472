// SPDX-License-Identifier: Apache-2.0
// Uses a new llhttp parser for each complete head and stops it before the body. So it keeps no
// state between messages, and never sees a byte that HeadGuard has not passed.
#include "gyre/http/internal/whole_head.hpp"

#include <llhttp.h>

#include <cstddef>
#include <cstdint>

#include "gyre/http/internal/characters.hpp"
#include "gyre/http/internal/framing.hpp"
#include "gyre/http/internal/start_line.hpp"

namespace gyre::http {
namespace {

struct Heard {
    Fields& fields;
    std::string_view words;  // of the first line: the target, or the reason
};

// Maps the error of llhttp to a Refusal; `none` if it reached the end of the head.
Refusal refusal_of(int error, const Heard& heard) noexcept {
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
            return heard.fields.count("content-length") > 1 ? Refusal::repeated_content_length
                                                            : Refusal::malformed_content_length;
        case HPE_UNEXPECTED_CONTENT_LENGTH:
            return heard.fields.count("content-length") > 1 ? Refusal::repeated_content_length
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

Refusal run(llhttp_type_t type, std::string_view text, llhttp_t& parser, Heard& heard) {
    heard.fields.clear();
    llhttp__internal_init(&parser);
    parser.type = static_cast<std::uint8_t>(type);
    parser.data = &heard;
    return refusal_of(llhttp__internal_execute(&parser, text.data(), text.data() + text.size()),
                      heard);
}

}  // namespace

// The callbacks of llhttp, see llhttp_heads.c.
extern "C" {
void gyre_http_heard_words(void* heard, const char* at, std::size_t size) {
    static_cast<Heard*>(heard)->words = {at, size};
}
void gyre_http_heard_name(void* heard, const char* at, std::size_t size) {
    static_cast<Heard*>(heard)->fields.add({.name = {at, size}, .value = {}});
}
void gyre_http_heard_value(void* heard, const char* at, std::size_t size) {
    static_cast<Heard*>(heard)->fields.back().value = trimmed({at, size});
}
}

Refusal parse_request_head(std::string_view text, RequestHead& head) {
    llhttp_t parser;
    Heard heard{.fields = head.fields, .words = {}};
    if (const Refusal why = run(HTTP_REQUEST, text, parser, heard); why != Refusal::none) {
        return why;
    }
    if (heard.words.empty()) return Refusal::malformed_target;
    // HeadGuard has checked that only the method and a space precede the target.
    head.target = heard.words;
    head.method_name = {text.data(), heard.words.data() - 1};
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
    head.host = facts.host;
    head.expects_continue = facts.expects_continue && head.version == Version::http_1_1;
    return Refusal::none;
}

Refusal parse_response_head(std::string_view text, ResponseHead& head) {
    llhttp_t parser;
    Heard heard{.fields = head.fields, .words = {}};
    if (const Refusal why = run(HTTP_RESPONSE, text, parser, heard); why != Refusal::none) {
        return why;
    }
    head.status = parser.status_code;
    head.reason = heard.words;
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

}  // namespace gyre::http
