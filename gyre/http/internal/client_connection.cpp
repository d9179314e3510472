// SPDX-License-Identifier: Apache-2.0
// One request and one answer at a time.
#include "gyre/http/internal/client_connection.hpp"

#include <span>
#include <system_error>

#include "gyre/http/head_writer.hpp"

namespace gyre::http {
namespace {

constexpr std::size_t answer_head_buffer_bytes = std::size_t{4} << 10U;
constexpr std::size_t answer_body_buffer_bytes = std::size_t{64} << 10U;

bool has_field(const ClientRequest& request, std::string_view name) noexcept {
    for (const OwnField& field : request.fields) {
        if (same_word(field.first, name)) return true;
    }
    return false;
}

}  // namespace

ClientConnection::ClientConnection(std::unique_ptr<net::ByteStream> stream, const Limits& limits,
                                   std::string key, Permits permit_to_use)
    : permit(std::move(permit_to_use)),
      stream_(std::move(stream)),
      limits_(limits),
      key_(std::move(key)),
      parser_(limits),
      input_(answer_head_buffer_bytes),
      later_(answer_body_buffer_bytes) {}

Future<void> ClientConnection::send_text(std::string_view text) {
    ConstBytes piece = bytes_of(text);
    co_await stream_->send(std::span(&piece, 1));
}

Future<void> ClientConnection::send(const Url& url, ClientRequest& request, bool takes_gzip) {
    has_heard_ = false;
    std::string out;
    HeadWriter writer(out);
    writer.request(request.method, url.target);
    if (!has_field(request, "host")) writer.field("Host", url.authority());
    for (const auto& [name, value] : request.fields) {
        if (same_word(name, "content-length") || same_word(name, "transfer-encoding")) {
            throw ClientError(name + " is the client's to write");
        }
        writer.field(name, value);
    }
    if (takes_gzip && !has_field(request, "accept-encoding")) {
        writer.field("Accept-Encoding", "gzip");
    }
    if (request.pieces) {
        writer.chunked();
    } else if (!request.body.empty() || !is_safe(method_of(request.method))) {
        writer.length(request.body.size());
    }
    writer.end();
    out += request.body;
    co_await send_text(out);
    while (request.pieces) {
        const std::string_view piece = co_await request.pieces();
        out.clear();
        if (piece.empty()) {
            append_last_chunk(out);
        } else {
            append_chunk(out, piece);
        }
        co_await send_text(out);
        if (piece.empty()) break;
    }
}

Future<void> ClientConnection::read_head(bool is_head) {
    for (;;) {
        parser_.reset();
        while (true) {
            if (!input_.empty()) {
                has_heard_ = true;
                const ParseState state = parser_.parse(input_.unread());
                if (state == ParseState::complete) break;
                if (state == ParseState::refused) throw MessageRefused(parser_.refusal());
            }
            const std::size_t size = co_await stream_->receive(input_.room());
            input_.add(size);
            if (size > 0) continue;
            if (has_heard_) throw MessageRefused(Refusal::early_end);
            throw std::system_error(std::make_error_code(std::errc::connection_reset),
                                    "the server ended the connection without an answer");
        }
        input_.consume(parser_.head_bytes());
        const int status = parser_.head().status;
        if (status >= 200 || status == 101) break;
    }
    body_ = is_head ? BodyParser() : BodyParser(parser_.head(), limits_);
    if (body_.refusal() != Refusal::none) throw MessageRefused(body_.refusal());
}

Future<std::string_view> ClientConnection::read_body() {
    while (!body_.is_complete()) {
        InputBuffer& input = body_input();
        const BodyStep step = body_.step(input.unread());
        input.consume(step.consumed_bytes);
        if (step.state == ParseState::refused) throw MessageRefused(body_.refusal());
        if (!step.data.empty()) co_return step.data;
        if (step.consumed_bytes > 0 || step.state == ParseState::complete) continue;
        const std::size_t size = co_await stream_->receive(later_.room());
        later_.add(size);
        if (size == 0 && body_.end_of_input() == ParseState::refused) {
            throw MessageRefused(body_.refusal());
        }
    }
    co_return std::string_view();
}

bool ClientConnection::may_go_on() const noexcept {
    // What came after the answer was not asked for: whose answer it would be, nobody knows.
    return body_.is_complete() && parser_.head().keeps_alive && parser_.head().status != 101 &&
           input_.empty() && later_.empty();
}

}  // namespace gyre::http
