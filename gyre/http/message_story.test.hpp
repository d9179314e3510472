// SPDX-License-Identifier: Apache-2.0
// For tests and fuzz targets: the messages of a connection as text, one line each, from bytes that
// arrive in pieces; the last line tells why it ended. The text must not depend on the pieces.
//
//     GET /a 1.1 none keep fields=1
//     POST /b 1.1 chunked close fields=2 body="hello" trailers=0
//     end                                     (or `refused: bare_line_feed`)
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "gyre/http/internal/body_parser.hpp"
#include "gyre/http/internal/characters.hpp"
#include "gyre/http/internal/head_parser.hpp"

namespace gyre::http {

[[nodiscard]] inline std::string escaped(std::string_view text) {
    std::string result;
    for (const char c : text) {
        if (!is_control(c) && c != '"' && c != '\\' && static_cast<unsigned char>(c) < 0x80) {
            result += c;
            continue;
        }
        char code[8];
        std::snprintf(code, sizeof code, "\\x%02x", static_cast<unsigned char>(c));
        result += c == '\r' ? "\\r" : c == '\n' ? "\\n" : code;
    }
    return result;
}

template <class Head>
class MessageStory {
public:
    explicit MessageStory(const Limits& limits = {}) : limits_(limits), parser_(limits) {}

    void take(std::string_view piece) {
        if (is_over_) return;
        buffer_ += piece;
        while (!is_over_ && (is_in_body_ ? take_body() : take_head())) {
        }
    }
    // The peer has closed.
    [[nodiscard]] const std::string& end() {
        if (is_over_) return story_;
        if (is_in_body_) {
            if (body_.end_of_input() == ParseState::complete) {
                tell_body();
            } else {
                refuse(body_.refusal());
            }
        } else if (!buffer_.empty()) {
            refuse(Refusal::early_end);
        }
        if (!is_over_) story_ += "end\n";
        is_over_ = true;
        return story_;
    }

private:
    // Whether it made progress, so that it should be called again.
    bool take_head() {
        if (buffer_.empty()) return false;
        switch (parser_.parse(buffer_)) {
            case ParseState::more:
                return false;
            case ParseState::refused:
                refuse(parser_.refusal());
                return false;
            case ParseState::complete:
                break;
        }
        tell_head(parser_.head());
        body_ = BodyParser(parser_.head(), limits_);
        buffer_.erase(0, parser_.head_bytes());
        parser_.reset();
        is_in_body_ = true;
        return true;
    }
    bool take_body() {
        const BodyStep step = body_.step(buffer_);
        data_ += step.data;
        const bool is_more = step.consumed_bytes > 0;
        buffer_.erase(0, step.consumed_bytes);
        if (step.state == ParseState::refused) refuse(body_.refusal());
        if (step.state != ParseState::complete) return is_more;
        tell_body();
        return true;
    }
    void tell_head(const RequestHead& head) {
        story_ += std::string(head.method_name) + " " + escaped(head.target);
        tell_common(head);
        if (head.expects_continue) story_ += " expects";
    }
    void tell_head(const ResponseHead& head) {
        story_ += std::to_string(head.status) + " \"" + escaped(head.reason) + "\"";
        tell_common(head);
    }
    void tell_common(const MessageHead& head) {
        static constexpr const char* framings[] = {"none", "length", "chunked", "until_close"};
        story_ += head.version == Version::http_1_0 ? " 1.0 " : " 1.1 ";
        story_ += framings[static_cast<int>(head.framing)];
        story_ += head.keeps_alive ? " keep" : " close";
        if (head.asks_upgrade) story_ += " upgrade";
        story_ += " fields=" + std::to_string(head.fields.size());
        has_body_ = head.framing != Framing::none;
        is_chunked_ = head.framing == Framing::chunked;
    }
    void tell_body() {
        if (has_body_) story_ += " body=\"" + escaped(data_) + "\"";
        if (is_chunked_) story_ += " trailers=" + std::to_string(body_.trailers().size());
        story_ += "\n";
        data_.clear();
        is_in_body_ = false;
    }
    void refuse(Refusal why) {
        if (is_in_body_) story_ += "\n";
        story_ += "refused: " + std::string(name_of(why)) + "\n";
        is_over_ = true;
    }

    Limits limits_;
    HeadParser<Head> parser_;
    BodyParser body_;
    std::string buffer_;
    std::string data_;
    std::string story_;
    bool is_in_body_ = false;
    bool has_body_ = false;
    bool is_chunked_ = false;
    bool is_over_ = false;
};

template <class Head>
[[nodiscard]] std::string story_of(std::string_view bytes, const Limits& limits = {}) {
    MessageStory<Head> story(limits);
    story.take(bytes);
    return story.end();
}
template <class Head>
[[nodiscard]] std::string story_split_at(std::string_view bytes, std::size_t at,
                                         const Limits& limits = {}) {
    MessageStory<Head> story(limits);
    story.take(bytes.substr(0, at));
    story.take(bytes.substr(at));
    return story.end();
}
template <class Head>
[[nodiscard]] std::string story_byte_by_byte(std::string_view bytes, const Limits& limits = {}) {
    MessageStory<Head> story(limits);
    for (std::size_t i = 0; i < bytes.size(); ++i) story.take(bytes.substr(i, 1));
    return story.end();
}

}  // namespace gyre::http
