// SPDX-License-Identifier: Apache-2.0
// What a connection writes: heads, bodies, refusals, and all of it to the stream.
#include <algorithm>
#include <array>
#include <span>
#include <stdexcept>

#include "gyre/http/head_writer.hpp"
#include "gyre/http/internal/connection.hpp"
#include "gyre/http/status.hpp"
#include "gyre/net/errors.hpp"

namespace gyre::http {
namespace {

constexpr std::size_t copied_body_bytes_max = std::size_t{16} << 10U;
constexpr std::size_t kept_output_bytes_max = std::size_t{4} << 10U;

// RFC 9110 6.4.1: those that end with their head.
constexpr bool is_bodyless(int status) noexcept {
    return status < 200 || status == 204 || status == 304;
}

}  // namespace

bool Connection::has_body() const noexcept {
    return parser_.head().method != Method::head && !is_bodyless(response_.status_);
}

void Connection::begin_response(bool is_whole, std::string_view body) {
    const RequestHead& head = parser_.head();
    const bool is_old = head.version == Version::http_1_0;
    // Whoever waits for a 100 that never came may send the body or not: we could not tell.
    if (response_.closes_ || server_.is_stopping() ||
        (head.expects_continue && !has_sent_continue_ && !body_.is_complete())) {
        keeps_alive_ = false;
    }
    if (is_bodyless(response_.status_)) {
        response_.length_.reset();
    } else if (is_whole) {
        response_.length_ = response_.body_.size();
    } else if (!response_.length_) {
        response_.is_chunked_ = !is_old;
        if (is_old) keeps_alive_ = false;  // The close is the end.
    }
    std::string_view start = server_.answer_start(now());
    if (response_.status_ != 200) {
        HeadWriter(out_).status(response_.status_);
        start.remove_prefix(ok_status_line.size());
    }
    std::string_view connection;
    if (!keeps_alive_) {
        connection = "Connection: close\r\n";
    } else if (is_old) {
        connection = "Connection: keep-alive\r\n";
    }
    if (response_.length_) {
        append_all(out_, start, response_.fields_, "Content-Length: ", Digits(*response_.length_),
                   "\r\n", connection, "\r\n", body);
    } else {
        std::string_view coding;
        if (response_.is_chunked_) coding = "Transfer-Encoding: chunked\r\n";
        append_all(out_, start, response_.fields_, coding, connection, "\r\n");
    }
    response_.has_begun_ = true;
    handler_deadline_ = Instant::never();
}

void Connection::end_response() {
    if (!response_.has_begun_) {
        response_.written_bytes_ = response_.body_.size();
        const bool is_large = response_.body_.size() > copied_body_bytes_max;
        std::string_view copied;
        if (has_body() && !is_large) copied = response_.body_;
        begin_response(true, copied);
        if (has_body() && is_large) large_ = std::move(response_.body_);
        return;
    }
    if (!has_body()) return;
    if (response_.is_chunked_) append_last_chunk(out_);
    // A peer that was promised more would wait for it.
    if (response_.length_ && *response_.length_ != response_.written_bytes_) keeps_alive_ = false;
}

void Connection::count_written(std::uint64_t size) {
    response_.written_bytes_ += size;
    if (response_.length_ && response_.written_bytes_ > *response_.length_) {
        throw std::logic_error("a handler writes more than the length that it gave");
    }
}

Future<void> Connection::write_piece(std::string_view data) {
    if (!response_.has_begun_) begin_response(false);
    std::string_view uncopied;
    if (!data.empty() && has_body()) {
        count_written(data.size());
        if (response_.is_chunked_) {
            append_chunk(out_, data);
        } else if (data.size() <= copied_body_bytes_max) {
            out_.append(data);
        } else {
            uncopied = data;
        }
    }
    co_await flush(uncopied);
}

Future<void> Connection::write_file(net::FileSlice part) {
    if (!response_.has_begun_) {
        if (!response_.length_) response_.length_ = part.size_bytes;
        begin_response(false);
    }
    if (response_.is_chunked_) {
        throw std::logic_error("a file goes into an answer of a known length: see length()");
    }
    if (!has_body() || part.size_bytes == 0) {
        co_await flush();
        co_return;
    }
    count_written(part.size_bytes);
    const Phase phase = phase_;
    const Instant deadline = deadline_;
    enter(Phase::write, server_.options_.timeouts.write);
    ConstBytes before = bytes_of(out_);
    file_left_ = &part.size_bytes;
    file_left_then_ = part.size_bytes;
    try {
        co_await stream_.send_file(before, part);
    } catch (const net::FileEnded&) {
        file_left_ = nullptr;
        out_.erase(0, out_.size() - before.size());
        throw;
    } catch (...) {
        file_left_ = nullptr;
        is_lost_ = true;
        throw;
    }
    file_left_ = nullptr;
    out_.clear();
    enter(phase, deadline);
}

Future<void> Connection::flush(std::string_view behind) {
    if (!has_output() && behind.empty()) co_return;
    const Phase phase = phase_;
    const Instant deadline = deadline_;
    enter(Phase::write, server_.options_.timeouts.write);
    // A whole answer and one in pieces do not meet: one of the two is empty.
    const std::string_view body = large_.empty() ? behind : large_;
    std::array<ConstBytes, 2> pieces = {bytes_of(out_), bytes_of(body)};
    try {
        co_await stream_.send(std::span(pieces).first(body.empty() ? 1 : 2));
    } catch (...) {
        is_lost_ = true;
        throw;
    }
    out_.clear();
    if (out_.capacity() > kept_output_bytes_max) out_.shrink_to_fit();
    large_ = std::string();
    enter(phase, deadline);
}

void Connection::refuse(int status, std::string_view why) {
    keeps_alive_ = false;
    ++server_.counts_.refused;
    const std::string text = std::to_string(status) + " " + std::string(reason_of(status)) + ": " +
                             std::string(why) + "\n";
    HeadWriter(out_)
        .status(status)
        .field("Content-Type", "text/plain")
        .length(text.size())
        .field("Connection", "close")
        .end();
    out_ += text;
}

void Connection::tell_served() {
    if (!server_.on_served_) return;
    const RequestHead& head = parser_.head();
    const Served served{.method = head.method_name,
                        .target = head.target,
                        .status = response_.status_,
                        .sent_bytes = response_.written_bytes_,
                        .time = now() - started_};
    server_.on_served_(served);
}

Future<std::string_view> Request::read() {
    return connection_.read_body();
}

Future<std::string> Request::text() {
    std::string result;
    for (;;) {
        const std::string_view piece = co_await connection_.read_body();
        if (piece.empty()) co_return result;
        result += piece;
    }
}

Response& Response::field(std::string_view name, std::string_view value) {
    if (same_word(name, "content-length") || same_word(name, "transfer-encoding") ||
        same_word(name, "connection")) {
        throw std::invalid_argument(std::string(name) +
                                    " is the server's to write: see length() and close()");
    }
    HeadWriter(fields_).field(name, value);
    return *this;
}

Response& Response::type(std::string_view media_type) {
    HeadWriter(fields_).known_field("Content-Type", media_type);
    return *this;
}

void Response::send(std::string_view body) {
    body_.assign(body);
}

void Response::send(std::string&& body) {
    body_ = std::move(body);
}

Future<void> Response::write(std::string_view data) {
    return connection_.write_piece(data);
}

Future<void> Response::write_file(net::FileSlice part) {
    return connection_.write_file(part);
}

void Response::reset() noexcept {
    status_ = 200;
    closes_ = false;
    has_begun_ = false;
    is_chunked_ = false;
    length_.reset();
    written_bytes_ = 0;
    fields_.clear();
    body_.clear();
}

}  // namespace gyre::http
