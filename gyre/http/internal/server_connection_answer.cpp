// SPDX-License-Identifier: Apache-2.0
// ServerConnection: writing responses: heads, bodies, refusals.
#include <algorithm>
#include <array>
#include <span>
#include <stdexcept>

#include "gyre/base/assert.hpp"
#include "gyre/base/failure.hpp"
#include "gyre/base/log.hpp"
#include "gyre/http/internal/head_writer.hpp"
#include "gyre/http/internal/server_connection.hpp"
#include "gyre/net/byte_stream.hpp"

namespace gyre::http {
namespace {

constexpr std::size_t copied_body_bytes_max = std::size_t{16} << 10U;
constexpr std::size_t kept_output_bytes_max = std::size_t{4} << 10U;

// RFC 9110 6.4.1: statuses without a body.
constexpr bool is_bodyless(int status) noexcept {
    return status < 200 || status == 204 || status == 304;
}

}  // namespace

bool ServerConnection::has_body() const noexcept {
    return parser_.head().method != Method::head && !is_bodyless(response_.status_);
}

void ServerConnection::begin_response(bool is_whole, std::string_view body) {
    GYRE_ASSERT(!response_.has_begun_, "a response begins twice: its head was written before");
    const RequestHead& head = parser_.head();
    const bool is_old = head.version == Version::http_1_0;
    // A client that waits for a 100 which was not sent may send its body or not, and the two cannot
    // be told apart.
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
        if (is_old) keeps_alive_ = false;  // The close ends the body.
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

void ServerConnection::end_response() {
    if (!response_.has_begun_) {
        if (response_.body_.size() > copied_body_bytes_max && !charge()) refuse_large_response();
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
    // The client would wait for the missing bytes.
    if (response_.length_ && *response_.length_ != response_.written_bytes_) keeps_alive_ = false;
}

// The server has no memory to keep this body until a slow client has read it.
void ServerConnection::refuse_large_response() {
    ++server_.counts_.over_memory;
    response_.reset();
    response_.body_ = "503 Service Unavailable: memory_over_limit\n";
    response_.body_.shrink_to_fit();
    response_.status(503).type("text/plain").close();
}

void ServerConnection::count_written(std::uint64_t size) {
    response_.written_bytes_ += size;
    if (response_.length_ && response_.written_bytes_ > *response_.length_) {
        throw Failure("a handler wrote more bytes than the length() it announced");
    }
}

Future<void> ServerConnection::write_piece(std::string_view data) {
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

Future<void> ServerConnection::write_file(net::FileSlice part) {
    if (!response_.has_begun_) {
        if (!response_.length_) response_.length_ = part.size_bytes;
        begin_response(false);
    }
    if (response_.is_chunked_) {
        throw Failure(
            "write_file after write() needs a length(): chunked bodies cannot hold files");
    }
    if (!has_body() || part.size_bytes == 0) {
        co_await flush();
        co_return;
    }
    count_written(part.size_bytes);
    GYRE_ASSERT(file_left_ == nullptr, "two write_file at once on a response: await the first");
    const Phase phase = phase_;
    const Instant deadline = deadline_;
    enter(Phase::write, server_.options_.timeouts.write);
    ConstBytes before = bytes_of(out_);
    file_left_ = &part.size_bytes;
    file_left_then_ = part.size_bytes;
    try {
        co_await stream_.write_file(before, part);
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

Future<void> ServerConnection::flush(std::string_view behind) {
    if (!has_output() && behind.empty()) co_return;
    const Phase phase = phase_;
    const Instant deadline = deadline_;
    enter(Phase::write, server_.options_.timeouts.write);
    // `large_` belongs to a response sent whole, `behind` to one written in pieces.
    GYRE_ASSERT(large_.empty() || behind.empty(),
                "a response has a whole body and a piece: call send() or write(), not both");
    server_.charge_always(charged_bytes_, held_bytes());
    const std::string_view body = large_.empty() ? behind : large_;
    std::array<ConstBytes, 2> pieces = {bytes_of(out_), bytes_of(body)};
    try {
        co_await stream_.write_pieces(std::span(pieces).first(body.empty() ? 1 : 2));
    } catch (...) {
        is_lost_ = true;
        throw;
    }
    out_.clear();
    if (out_.capacity() > kept_output_bytes_max) out_.shrink_to_fit();
    large_ = std::string();
    GYRE_ASSERT(!has_output(), "output is left after a flush");
    enter(phase, deadline);
}

void ServerConnection::refuse(Refusal why) {
    if (why == Refusal::memory_over_limit) ++server_.counts_.over_memory;
    refuse(status_of(why), name_of(why));
}

void ServerConnection::refuse(int status, std::string_view why) {
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

// The request is served, whatever the listener throws.
void ServerConnection::tell_served() noexcept {
    if (!server_.on_served_) return;
    const RequestHead& head = parser_.head();
    const Served served{.method = head.method_name,
                        .target = head.target,
                        .status = response_.status_,
                        .sent_bytes = response_.written_bytes_,
                        .time = now() - started_};
    try {
        server_.on_served_(served);
    } catch (const std::exception& error) {
        log(LogLevel::error, "http: on_served failed: %s", error.what());
    } catch (...) {
        log(LogLevel::error, "http: on_served failed with an exception that is no std::exception");
    }
}

}  // namespace gyre::http
