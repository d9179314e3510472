// SPDX-License-Identifier: Apache-2.0
// MessageParser's state machine: llhttp with its callbacks compiled into it as static functions, so
// that each has the place in the input. Of the callbacks of a text three are passed on. In C, because
// llhttp.c is no valid C++.
#include <llhttp.h>
#include <stddef.h>
#include <stdlib.h>

// In message_parser.cpp. What they give is the parser's error; of the end of the head, 1: there is no
// body, 2: another protocol follows.
int gyre_script_on_text(void* output, char kind, const char* at, size_t size);
int gyre_script_on_head(void* output);
int gyre_script_on_end(void* output);
int gyre_script_on_chunk(void* output);

// Other copies of llhttp are in the program.
#define llhttp__internal_init gyre_script_llhttp_init
#define llhttp__internal_execute gyre_script_llhttp_execute
#define llhttp_message_needs_eof gyre_script_llhttp_needs_eof
#define llhttp_should_keep_alive gyre_script_llhttp_keeps_alive
#define llhttp__before_headers_complete gyre_script_before_headers
#define llhttp__after_headers_complete gyre_script_after_headers
#define llhttp__after_message_complete gyre_script_after_message

#define CALLBACK(NAME)                                                                              \
    static inline int llhttp__##NAME(llhttp__internal_t* parser, const unsigned char* at,           \
                                     const unsigned char* end)
#define IGNORED(NAME)                                                                               \
    CALLBACK(NAME) {                                                                                \
        return 0;                                                                                   \
    }
#define TEXT(NAME, KIND)                                                                            \
    CALLBACK(NAME) {                                                                                \
        return gyre_script_on_text(parser->data, KIND, (const char*)at, (size_t)(end - at));        \
    }

IGNORED(on_message_begin)
IGNORED(on_reset)
IGNORED(on_protocol)
IGNORED(on_protocol_complete)
IGNORED(on_method)
IGNORED(on_method_complete)
TEXT(on_url, 'u')
IGNORED(on_url_complete)
TEXT(on_version, 'w')
IGNORED(on_version_complete)
TEXT(on_status, 's')
IGNORED(on_status_complete)
TEXT(on_header_field, 'n')
IGNORED(on_header_field_complete)
TEXT(on_header_value, 'v')
CALLBACK(on_header_value_complete) {
    return gyre_script_on_text(parser->data, 'f', (const char*)at, 0);
}
CALLBACK(on_headers_complete) {
    return gyre_script_on_head(parser->data);
}
TEXT(on_body, 'b')
CALLBACK(on_chunk_header) {
    return gyre_script_on_chunk(parser->data);
}
TEXT(on_chunk_extension_name, 'x')
IGNORED(on_chunk_extension_name_complete)
TEXT(on_chunk_extension_value, 'x')
IGNORED(on_chunk_extension_value_complete)
IGNORED(on_chunk_complete)
CALLBACK(on_message_complete) {
    return gyre_script_on_end(parser->data);
}

#include <script_llhttp.c>

// http.c has the same functions with another type of character.
#undef llhttp__before_headers_complete
#undef llhttp__after_headers_complete
#undef llhttp__after_message_complete
#include <http.c>

#define SAME(NAME, OF)                                                                              \
    int NAME(llhttp__internal_t* parser, const unsigned char* at, const unsigned char* end) {       \
        return OF(parser, (const char*)at, (const char*)end);                                       \
    }
SAME(gyre_script_before_headers, llhttp__before_headers_complete)
SAME(gyre_script_after_headers, llhttp__after_headers_complete)
SAME(gyre_script_after_message, llhttp__after_message_complete)
