// SPDX-License-Identifier: Apache-2.0
#include "lang/script/http/internal/message_parser.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

extern "C" {
int gyre_script_llhttp_init(llhttp__internal_t* parser);
int gyre_script_llhttp_execute(llhttp__internal_t* parser, const char* at, const char* end);
int gyre_script_llhttp_keeps_alive(const llhttp_t* parser);

int gyre_script_on_text(void* output, char kind, const char* at, std::size_t size) {
    return static_cast<gyre::script::MessageParser*>(output)->on_text(kind, at, size);
}
int gyre_script_on_head(void* output) {
    return static_cast<gyre::script::MessageParser*>(output)->on_head();
}
int gyre_script_on_end(void* output) {
    return static_cast<gyre::script::MessageParser*>(output)->on_end();
}
int gyre_script_on_chunk(void* output) {
    return static_cast<gyre::script::MessageParser*>(output)->on_chunk();
}
}

namespace gyre::script {
namespace {

// A text of the list: the bytes are Latin-1; NUL, which ends a text, cannot be in one.
void add_text(std::string& list, std::string_view latin1) {
    for (const char letter : latin1) {
        const auto byte = static_cast<unsigned char>(letter);
        if (byte >= 0x80) {
            list += static_cast<char>(0xC0U | (byte >> 6U));
            list += static_cast<char>(0x80U | (byte & 0x3FU));
        } else {
            list += byte == 0 ? '?' : letter;
        }
    }
    list += '\0';
}

std::string_view trimmed(std::string_view value) {
    const std::size_t end = value.find_last_not_of(" \t");
    return end == value.npos ? std::string_view() : value.substr(0, end + 1);
}

// expected: in lower case
bool is_name(std::string_view name, std::string_view expected) {
    return std::ranges::equal(name, expected, [](char left, char right) {
        return std::tolower(static_cast<unsigned char>(left)) == right;
    });
}

const char* method_name(int method) {
    switch (method) {
#define GYRE_METHOD(NUMBER, NAME, TEXT) \
    case HTTP_##NAME:                   \
        return #TEXT;
        HTTP_ALL_METHOD_MAP(GYRE_METHOD)
#undef GYRE_METHOD
        default:
            return "";
    }
}

const char* error_name(int error) {
    switch (error) {
#define GYRE_ERROR(NUMBER, NAME, TEXT) \
    case NUMBER:                       \
        return "HPE_" #TEXT;
        HTTP_ERRNO_MAP(GYRE_ERROR)
#undef GYRE_ERROR
        default:
            return "HPE_UNKNOWN";
    }
}

constexpr int no_body = 1;
constexpr int other_protocol = 2;

}  // namespace

MessageParser::MessageParser(bool is_response, std::size_t head_bytes_max, bool is_lenient)
    : head_bytes_max_(head_bytes_max), is_lenient_(is_lenient) {
    gyre_script_llhttp_init(&parser_);
    parser_.type = is_response ? HTTP_RESPONSE : HTTP_REQUEST;
    parser_.data = this;
    if (is_lenient)
        parser_.lenient_flags = LENIENT_HEADERS | LENIENT_CHUNKED_LENGTH | LENIENT_KEEP_ALIVE;
}

void MessageParser::add_number(std::size_t number) {
    events_ += std::to_string(number);
    events_ += '\0';
}

void MessageParser::add_error(std::string_view code, std::string_view reason, std::size_t offset) {
    is_broken_ = true;
    add_text(events_, "X");
    add_text(events_, code);
    add_text(events_, reason);
    add_number(offset);
}

void MessageParser::begin_message() {
    url_.clear();
    reason_.clear();
    name_.clear();
    value_.clear();
    fields_.clear();
    field_count_ = 0;
    field_letters_ = 0;
    known_fields_ = 0;
    head_bytes_ = 0;
    extension_bytes_ = 0;
}

bool MessageParser::ends_bare(const char* end) {
    may_end_bare_ = end == input_.data() + input_.size();
    return !is_lenient_ && !may_end_bare_ && *end == '\n';
}

int MessageParser::on_text(char kind, const char* at, std::size_t size) {
    if (kind == 'b') {
        add_text(events_, "B");
        add_number(static_cast<std::size_t>(at - input_.data()));
        add_number(size);
        return 0;
    }
    if (kind == 'x') {
        extension_bytes_ += size;
        if (extension_bytes_ <= chunk_extension_bytes_max) return 0;
        broken_ = "HPE_CHUNK_EXTENSIONS_OVERFLOW";
        broken_reason_ = "Chunk extensions overflow";
        return HPE_USER;
    }
    if (kind == 'w') {
        if (!ends_bare(at + size)) return 0;
        broken_ = "HPE_INVALID_VERSION";
        broken_reason_ = "Expected CRLF after version";
        return HPE_USER;
    }
    if ((kind == 'v' || kind == 's') && ends_bare(at + size)) {
        broken_ = "HPE_CR_EXPECTED";
        broken_reason_ = "Missing expected CR after header value";
        return HPE_USER;
    }
    head_bytes_ += size;
    if (head_bytes_ >= head_bytes_max_) {
        broken_ = "HPE_HEADER_OVERFLOW";
        broken_reason_ = "Header overflow";
        return HPE_USER;
    }
    switch (kind) {
        case 'u':
            url_.append(at, size);
            break;
        case 's':
            reason_.append(at, size);
            break;
        case 'n':
            name_.append(at, size);
            name_end_ = static_cast<std::size_t>(at + size - input_.data());
            break;
        case 'v':
            value_.append(at, size);
            break;
        default:  // a field is whole
            if (field_count_ < field_count_max) add_field();
            last_name_ = std::exchange(name_, {});
            value_.clear();
    }
    return 0;
}

void MessageParser::add_field() {
    const std::string_view value = trimmed(value_);
    add_text(fields_, name_);
    add_text(fields_, value);
    field_count_ += 1;
    field_letters_ += name_.size() + value.size() + 2;
    if (name_.size() == 4 && is_name(name_, "host")) known_fields_ |= has_host;
    if (name_.size() == 6 && is_name(name_, "expect")) known_fields_ |= has_expect;
}

void MessageParser::add_fields() {
    events_ += fields_;
    fields_.clear();
    field_count_ = 0;
    field_letters_ = 0;
}

int MessageParser::on_head() {
    const bool is_request = parser_.type == HTTP_REQUEST;
    unsigned bits = known_fields_;
    if (gyre_script_llhttp_keeps_alive(&parser_) != 0) bits |= keeps_alive;
    if (parser_.upgrade != 0) bits |= is_upgrade;
    const char first[] = {'H', static_cast<char>('@' + bits),
                          static_cast<char>('0' + parser_.http_major % 10), '.',
                          static_cast<char>('0' + parser_.http_minor % 10)};
    add_text(events_, {first, sizeof(first)});
    add_text(events_, is_request ? method_name(parser_.method) : "");
    add_text(events_, url_);
    add_number(parser_.status_code);
    add_text(events_, reason_);
    add_number(field_count_);
    add_number(field_letters_);
    add_fields();
    if (is_request) {
        const bool is_other = parser_.upgrade != 0 &&
                              (parser_.method == HTTP_CONNECT || (flags_ & takes_upgrades) != 0);
        return is_other ? other_protocol : 0;
    }
    if (parser_.upgrade != 0 || (flags_ & is_connect) != 0) return other_protocol;
    const int status = parser_.status_code;
    const bool has_none = status < 200 || status == 204 || status == 304;
    return (flags_ & is_head) != 0 || has_none ? no_body : 0;
}

int MessageParser::on_end() {
    add_text(events_, "E");
    add_number(field_count_);
    add_fields();
    begin_message();
    return 0;
}

int MessageParser::on_chunk() {
    head_bytes_ = 0;  // of the trailers
    extension_bytes_ = 0;
    return 0;
}

std::string MessageParser::feed(std::string_view bytes, unsigned flags) {
    events_.clear();
    if (is_broken_) return events_;
    input_ = bytes;
    flags_ = flags;
    if (std::exchange(may_end_bare_, false) && !is_lenient_ && bytes.starts_with('\n')) {
        add_error("HPE_CR_EXPECTED", "Missing expected CR after header value", 0);
        return std::move(events_);
    }
    const int error =
        gyre_script_llhttp_execute(&parser_, bytes.data(), bytes.data() + bytes.size());
    if (error == HPE_OK) return std::move(events_);
    const auto offset = parser_.error_pos == nullptr
                            ? bytes.size()
                            : static_cast<std::size_t>(parser_.error_pos - bytes.data());
    if (error == HPE_PAUSED_UPGRADE) {
        is_broken_ = true;
        add_text(events_, "U");
        add_number(offset);
    } else if (broken_ != nullptr) {
        add_error(broken_, broken_reason_, offset);
    } else if (error == HPE_UNEXPECTED_CONTENT_LENGTH && is_name(last_name_, "transfer-encoding")) {
        // A later llhttp, which Node has, names the field that came second.
        add_error("HPE_INVALID_TRANSFER_ENCODING",
                  "Transfer-Encoding can't be present with Content-Length", name_end_ + 1);
    } else {
        const std::string_view reason = parser_.reason == nullptr ? "" : parser_.reason;
        add_error(error_name(error),
                  reason == "Expected HTTP/" ? "Expected HTTP/, RTSP/ or ICE/" : reason, offset);
    }
    return std::move(events_);
}

std::string MessageParser::finish() {
    events_.clear();
    if (is_broken_ || parser_.error != 0) return events_;
    if (parser_.finish == HTTP_FINISH_SAFE_WITH_CB) {
        static_cast<void>(on_end());
    } else if (parser_.finish == HTTP_FINISH_UNSAFE) {
        add_error("HPE_INVALID_EOF_STATE", "Invalid EOF state", 0);
    }
    return std::move(events_);
}

// ---- The natives ----

void MessageParsers::open(NativeCall& call) {
    if (parsers_.size() >= count_max) return call.give_number(-1);
    last_ += 1;
    parsers_[last_] = std::make_unique<MessageParser>(
        call.truth(0), static_cast<std::size_t>(call.number(1)), call.truth(2));
    call.give_number(last_);
}

void MessageParsers::feed(NativeCall& call) {
    const auto found = parsers_.find(call.number(0));
    if (found == parsers_.end()) return call.give_text({});
    const std::span<std::byte> bytes = call.bytes(1);
    const double size = call.number(3);
    if (!(size >= 0 && size <= static_cast<double>(bytes.size()))) return call.give_text({});
    call.give_text(found->second->feed(
        {reinterpret_cast<const char*>(bytes.data()), static_cast<std::size_t>(size)},
        static_cast<unsigned>(call.number(2))));
}

void MessageParsers::finish(NativeCall& call) {
    const auto found = parsers_.find(call.number(0));
    call.give_text(found == parsers_.end() ? std::string() : found->second->finish());
}

void MessageParsers::close(NativeCall& call) {
    parsers_.erase(call.number(0));
}

}  // namespace gyre::script
