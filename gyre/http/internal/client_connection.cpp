// SPDX-License-Identifier: Apache-2.0
// One request and one answer at a time.
#include "gyre/http/internal/client_connection.hpp"

#include <array>
#include <span>
#include <system_error>

#include "gyre/http/head_writer.hpp"
#include "gyre/http/internal/body_input.hpp"
#include "gyre/task/scope.hpp"

namespace gyre::http {
namespace {

constexpr std::size_t answer_head_buffer_bytes = std::size_t{4} << 10U;
constexpr std::size_t answer_body_buffer_bytes = std::size_t{64} << 10U;
// A larger body goes out from where it is, while the answer is listened for.
constexpr std::size_t joined_body_bytes_max = std::size_t{16} << 10U;

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

void ClientConnection::write_head(std::string& out, const Url& url, const ClientRequest& request,
                                  bool takes_gzip) {
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
}

Future<void> ClientConnection::exchange(const Url& url, ClientRequest& request, bool takes_gzip) {
    has_heard_ = false;
    is_cut_ = false;
    const bool is_head = request.method == "HEAD";
    std::string out;
    write_head(out, url, request, takes_gzip);
    if (!request.pieces && request.body.size() <= joined_body_bytes_max) {
        out += request.body;
        ConstBytes all = bytes_of(out);
        co_await stream_->send(std::span(&all, 1));
        co_await read_head(is_head);
        co_return;
    }
    // The answer may come before the body has gone, and say that nobody wants it.
    auto body = [&](Scope& scope) -> Future<void> {
        auto sending = scope.spawn([&] { return send_with_body(out, request); });
        co_await read_head(is_head);
        if (sending.is_completed() || head().status < 300) co_return;
        is_cut_ = true;
        sending.cancel("the server does not want the body");
    };
    co_await with_scope(std::move(body), {.name = "http request"});
}

Future<void> ClientConnection::send_with_body(std::string& out, ClientRequest& request) {
    std::array<ConstBytes, 2> both = {bytes_of(out), bytes_of(request.body)};
    bool goes_on = co_await send_if_open(std::span(both).first(request.body.empty() ? 1 : 2));
    while (goes_on && request.pieces) {
        const std::string_view piece = co_await request.pieces();
        const bool is_last = piece.empty();
        out.clear();
        if (is_last) {
            append_last_chunk(out);
        } else {
            append_chunk(out, piece);
        }
        ConstBytes chunk = bytes_of(out);
        goes_on = co_await send_if_open(std::span(&chunk, 1));
        goes_on = goes_on && !is_last;
    }
}

// False where the server has closed. Its answer tells why, so that is no failure here.
Future<bool> ClientConnection::send_if_open(std::span<ConstBytes> pieces) {
    try {
        co_await stream_->send(pieces);
    } catch (const std::system_error&) {
        is_cut_ = true;
    }
    co_return !is_cut_;
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
    for (;;) {
        const auto piece = next_piece(body_, input_, later_);
        if (piece) co_return *piece;
        const std::size_t size = co_await stream_->receive(later_.room());
        later_.add(size);
        end_body_at(body_, size);
    }
}

bool ClientConnection::may_go_on() const noexcept {
    // What came after the answer was not asked for: whose answer it would be, nobody knows.
    return !is_cut_ && body_.is_complete() && parser_.head().keeps_alive &&
           parser_.head().status != 101 && input_.empty() && later_.empty();
}

}  // namespace gyre::http
