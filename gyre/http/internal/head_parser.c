// SPDX-License-Identifier: Apache-2.0
// HeadParser: the state machine of llhttp, with its callbacks compiled into it as static functions.
// llhttp's own front end (api.c) looks each callback up in a table, about fifteen times for the
// shortest head; here three are calls and the others compile to nothing. Parses heads only: pauses
// where the body begins. In C, because llhttp.c is no valid C++.
#include <llhttp.h>
#include <stddef.h>

// In head_parser.cpp.
void gyre_http_on_start_text(void* output, const char* at, size_t size);
void gyre_http_on_field_name(void* output, const char* at, size_t size);
void gyre_http_on_field_value(void* output, const char* at, size_t size);

#define CALLBACK(NAME)                                                                              \
    static inline int llhttp__##NAME(llhttp__internal_t* parser, const unsigned char* at,           \
                                     const unsigned char* end)
#define IGNORED(NAME)                                                                               \
    CALLBACK(NAME) {                                                                                \
        return 0;                                                                                   \
    }
#define FORWARDED(NAME, FUNCTION)                                                                   \
    CALLBACK(NAME) {                                                                                \
        FUNCTION(parser->data, (const char*)at, (size_t)(end - at));                                \
        return 0;                                                                                   \
    }

IGNORED(on_message_begin)
IGNORED(on_reset)
IGNORED(on_protocol)
IGNORED(on_protocol_complete)
IGNORED(on_method)
IGNORED(on_method_complete)
FORWARDED(on_url, gyre_http_on_start_text)
IGNORED(on_url_complete)
IGNORED(on_version)
IGNORED(on_version_complete)
FORWARDED(on_status, gyre_http_on_start_text)
IGNORED(on_status_complete)
FORWARDED(on_header_field, gyre_http_on_field_name)
IGNORED(on_header_field_complete)
FORWARDED(on_header_value, gyre_http_on_field_value)
IGNORED(on_header_value_complete)
IGNORED(before_headers_complete)
CALLBACK(on_headers_complete) {
    return HPE_PAUSED;
}

// Never called: they come after the pause.
IGNORED(after_headers_complete)
IGNORED(on_body)
IGNORED(on_chunk_header)
IGNORED(on_chunk_extension_name)
IGNORED(on_chunk_extension_name_complete)
IGNORED(on_chunk_extension_value)
IGNORED(on_chunk_extension_value_complete)
IGNORED(on_chunk_complete)
IGNORED(on_message_complete)
IGNORED(after_message_complete)

#include <llhttp.c>
