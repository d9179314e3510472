// SPDX-License-Identifier: Apache-2.0
// MessageParser: HTTP messages for the module `http`: bytes in, the list of what they hold out, one
// call a piece. On llhttp, with the errors that Node gives names to. The script's thread.
//
// The list is texts, each with a NUL behind it:
//
//     HFV method url status reason COUNT LENGTH {name value}   a head: F one letter, '@' with the bits of
//                          HeadBits, V the version as 1.1; the fields have LENGTH characters
//     B offset size        a piece of a body, in the bytes of the call
//     E COUNT {name value} the end of a message, with its trailers
//     U offset             what follows there is of another protocol
//     X code reason offset an error; the parser is of no use any more
#pragma once

#include <llhttp.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "lang/script/engine.hpp"

namespace gyre::script {

class MessageParser final {
public:
    // Of one message, with its trailers.
    static constexpr std::size_t field_count_max = 8192;
    static constexpr std::size_t chunk_extension_bytes_max = std::size_t{16} << 10u;

    enum Flags : unsigned {
        is_head = 1,         // of the request that is answered: there is no body
        is_connect = 2,      // likewise: another protocol follows
        takes_upgrades = 4,  // an upgrade that a request asks for
    };

    enum HeadBits : unsigned { keeps_alive = 1, is_upgrade = 2, has_host = 4, has_expect = 8 };

    // head_bytes_max: of the start line and the fields together.
    MessageParser(bool is_response, std::size_t head_bytes_max, bool is_lenient);

    [[nodiscard]] std::string feed(std::string_view bytes, unsigned flags);
    // The stream has ended.
    [[nodiscard]] std::string finish();

    // For the state machine: see message_parser.c.
    int on_text(char kind, const char* at, std::size_t size);
    int on_head();
    int on_end();
    int on_chunk();

private:
    void begin_message();
    void add_field();
    void add_fields();
    void add_number(std::size_t number);
    void add_error(std::string_view code, std::string_view reason, std::size_t offset);
    // The text is followed by an LF without a CR, which no line may end with. At the end of the input
    // the next byte tells.
    [[nodiscard]] bool ends_bare(const char* end);

    llhttp_t parser_{};
    const std::size_t head_bytes_max_;
    const bool is_lenient_;
    unsigned flags_ = 0;
    std::string events_;
    std::string_view input_;
    std::string url_;
    std::string reason_;
    std::string name_;
    std::string last_name_;
    std::string value_;
    std::string fields_;  // of the message, as they go into the list
    std::size_t field_count_ = 0;
    std::size_t field_letters_ = 0;  // with the NULs behind names and values
    unsigned known_fields_ = 0;      // HeadBits
    std::size_t head_bytes_ = 0;
    std::size_t extension_bytes_ = 0;
    std::size_t name_end_ = 0;
    bool is_broken_ = false;
    bool may_end_bare_ = false;
    const char* broken_ = nullptr;  // the name of an error that is not llhttp's own
    const char* broken_reason_ = nullptr;
};

// The natives: parsers by number.
class MessageParsers {
public:
    static constexpr std::size_t count_max = std::size_t{1} << 20u;

    // parserOpen(of responses, bytes of a head, is it lenient): its number, or -1 at the limit.
    void open(NativeCall& call);
    // parserFeed(parser, bytes, flags, how many of the bytes) and parserFinish(parser): the list.
    void feed(NativeCall& call);
    void finish(NativeCall& call);
    void close(NativeCall& call);

private:
    std::unordered_map<double, std::unique_ptr<MessageParser>> parsers_;
    double last_ = 0;
};

}  // namespace gyre::script
