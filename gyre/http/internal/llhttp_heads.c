// SPDX-License-Identifier: Apache-2.0
// llhttp, with the callbacks of whole_head.cpp compiled into it. Its own front looks each of them up in
// a table, some fifteen times for the shortest head; here few are calls, and the others nothing at all.
// It reads heads only: it pauses where the body would begin. Its functions keep no state but the parser's.
#include <llhttp.h>
#include <stddef.h>

// In whole_head.cpp.
void gyre_http_heard_words(void* heard, const char* at, size_t size);
void gyre_http_heard_name(void* heard, const char* at, size_t size);
void gyre_http_heard_value(void* heard, const char* at, size_t size);

#define CALLBACK(NAME)                                                                              \
    static inline int llhttp__##NAME(llhttp__internal_t* parser, const unsigned char* at,           \
                                     const unsigned char* end)
#define UNHEARD(NAME)                                                                               \
    CALLBACK(NAME) {                                                                                \
        return 0;                                                                                   \
    }
#define HEARD(NAME, WHO)                                                                            \
    CALLBACK(NAME) {                                                                                \
        WHO(parser->data, (const char*)at, (size_t)(end - at));                                     \
        return 0;                                                                                   \
    }

UNHEARD(on_message_begin)
UNHEARD(on_reset)
UNHEARD(on_protocol)
UNHEARD(on_protocol_complete)
UNHEARD(on_method)
UNHEARD(on_method_complete)
HEARD(on_url, gyre_http_heard_words)
UNHEARD(on_url_complete)
UNHEARD(on_version)
UNHEARD(on_version_complete)
HEARD(on_status, gyre_http_heard_words)
UNHEARD(on_status_complete)
HEARD(on_header_field, gyre_http_heard_name)
UNHEARD(on_header_field_complete)
HEARD(on_header_value, gyre_http_heard_value)
UNHEARD(on_header_value_complete)
UNHEARD(before_headers_complete)
CALLBACK(on_headers_complete) {
    return HPE_PAUSED;
}

// Behind the pause: never called.
UNHEARD(after_headers_complete)
UNHEARD(on_body)
UNHEARD(on_chunk_header)
UNHEARD(on_chunk_extension_name)
UNHEARD(on_chunk_extension_name_complete)
UNHEARD(on_chunk_extension_value)
UNHEARD(on_chunk_extension_value_complete)
UNHEARD(on_chunk_complete)
UNHEARD(on_message_complete)
UNHEARD(after_message_complete)

#include <llhttp.c>
