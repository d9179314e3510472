// SPDX-License-Identifier: Apache-2.0
// ServerConnection: the loop over requests: a head, its handler, the response, the next head.
#include "gyre/http/internal/server_connection.hpp"

#include <optional>
#include <system_error>

#include "gyre/base/assert.hpp"
#include "gyre/base/log.hpp"
#include "gyre/http/internal/body_input.hpp"
#include "gyre/http/internal/head_writer.hpp"
#include "gyre/http/internal/parked_connection.hpp"
#include "gyre/http/internal/route_table.hpp"
#include "gyre/task/core/cancel.hpp"
#include "gyre/task/core/executor.hpp"
#include "gyre/task/core/task.hpp"

namespace gyre::http {
namespace {

// Most heads fit. Each connection that is not parked holds one buffer.
constexpr std::size_t head_buffer_bytes = std::size_t{1} << 10U;
constexpr std::size_t body_buffer_bytes = std::size_t{16} << 10U;

}  // namespace

ServerConnection::ServerConnection(Server& server, net::ByteStream& stream, Task& task,
                                   Server::Accepted* accepted)
    : server_(server),
      stream_(stream),
      task_(task),
      accepted_(accepted),
      request_count_(accepted != nullptr ? accepted->request_count : 0),
      parser_(server.options_.limits),
      input_(head_buffer_bytes),
      later_(body_buffer_bytes),
      response_(*this) {
    server_.charge_always(charged_bytes_, held_bytes());
}

ServerConnection::~ServerConnection() {
    server_.charge_always(charged_bytes_, 0);
}

Instant ServerConnection::now() const noexcept {
    return task_.executor().now();
}

void ServerConnection::enter(Phase phase, Duration limit) noexcept {
    enter(phase, now() + limit);
}

Future<void> ServerConnection::serve() {
    for (;;) {
        bool is_over = true;
        try {
            co_await serve_all();
        } catch (const Cancelled&) {
            if (!is_expired_) throw;
            is_over = answer_expired();
        } catch (const std::exception& error) {
            // The peer has closed: no response is possible.
            log(LogLevel::debug, "http: a connection ended: %s", error.what());
            co_return;
        }
        if (accepted_ != nullptr && accepted_->is_to_park) co_return;
        if (is_over) break;
        // It was idle when the server stopped: requests that have arrived are still served.
        if (expired_in_ != Phase::idle || !server_.is_stopping()) co_return;
    }
    co_await close_gracefully();
}

// Reads heads and answers them until the connection ends.
Future<void> ServerConnection::serve_all() {
    Instant head_deadline = Instant::never();
    begin_head();
    for (;;) {
        const ParseState state = input_.empty() ? ParseState::more : parser_.parse(input_.unread());
        if (state == ParseState::complete) {
            co_await answer_present();
            if (!keeps_alive_) co_return;
            head_deadline = Instant::never();
            begin_head();
            continue;
        }
        if (state == ParseState::refused) {
            refuse(parser_.refusal());
            co_return;
        }
        if (!input_.empty() && head_deadline == Instant::never()) {
            head_deadline = now() + server_.options_.timeouts.head;
        }
        // One write for the responses to all requests of the last read.
        if (has_output()) co_await flush();
        if (!input_.empty()) {
            enter(Phase::head, head_deadline);
            if (!charge(input_.growth_bytes())) {
                refuse(Refusal::memory_over_limit);
                co_return;
            }
        } else if (!server_.is_stopping() || waits_for_first_request()) {
            input_.shrink();
            server_.charge_always(charged_bytes_, held_bytes() + input_.growth_bytes());
            enter(Phase::idle, server_.is_stopping() ? first_request_until_
                                                     : now() + server_.options_.timeouts.idle);
            server_.on_idle(*this);
        } else {
            const bool has_come = co_await receive_once();
            if (!has_come) co_return;
            continue;
        }
        std::optional<std::size_t> size;
        if (accepted_ != nullptr) {
            size = co_await HeadRead(accepted_->stream, input_.room(), head_wait_);
            if (!size && leaves_to_park()) co_return;
            if (!size) continue;
        } else {
            size = co_await stream_.read(input_.room());
        }
        input_.add(*size);
        has_ended_ = *size == 0;
        if (has_ended_) co_return;
        if (is_expired_) co_await consume_idle_cancel();
    }
}

void ServerConnection::begin_head() {
    parser_.reset();
    if (!later_.empty()) input_.append(later_.unread());
    later_.release();
}

// The next pipelined request is mostly complete in the buffer: no need to wait.
bool ServerConnection::take_next_head() {
    if (input_.empty() || !later_.empty()) return false;
    parser_.reset();
    return parser_.parse(input_.unread()) == ParseState::complete;
}

// A request arrived in the same turn in which the idle timeout cancelled the connection: it is
// still served. Consumes the pending cancel, which else would hit the first await of the handler.
Future<void> ServerConnection::consume_idle_cancel() {
    GYRE_ASSERT(is_expired_, "there is no cancel of a timeout to consume");
    if (expired_in_ != Phase::idle) co_return;
    try {
        co_await cancel_point();
    } catch (const Cancelled&) {
        is_expired_ = false;
    }
}

Future<std::size_t> ServerConnection::receive(InputBuffer& into) {
    std::size_t size = 0;
    try {
        size = co_await stream_.read(into.room());
    } catch (const std::system_error&) {
        is_lost_ = true;
        throw;
    }
    into.add(size);
    has_ended_ = size == 0;
    co_return size;
}

// Answers the request whose head is parsed, and the complete pipelined requests behind it: one
// coroutine for all requests of one read.
Future<void> ServerConnection::answer_present() {
    const ServerOptions& options = server_.options_;
    for (bool goes_on = true; goes_on;) {
        begin_request();
        if (body_.refusal() != Refusal::none) {
            refuse(body_.refusal());
            co_return;
        }
        Request request(*this, parser_.head());
        server_.routes_->find(request.method(), request.path(), request.route_);
        std::exception_ptr failure;
        try {
            co_await server_.handle_from(0, request, response_);
        } catch (...) {
            failure = std::current_exception();
        }
        if (failure == nullptr) {
            end_response();
        } else {
            answer_failure(failure);
        }
        tell_served();
        text_bytes_ = 0;
        if (keeps_alive_ && !body_.is_complete()) co_await skip_body();
        GYRE_ASSERT(response_.has_begun_ || !keeps_alive_, "a handler ended without a response");
        is_in_request_ = false;
        if (!large_.empty() || out_.size() > options.send_buffer_bytes) co_await flush();
        goes_on = keeps_alive_ && take_next_head();
    }
}

void ServerConnection::begin_request() {
    GYRE_ASSERT(!is_in_request_, "a request begins before the previous one has ended");
    const RequestHead& head = parser_.head();
    const ServerOptions& options = server_.options_;
    input_.consume(parser_.head_bytes());
    if (head.framing != Framing::none || !body_.is_complete()) {
        body_ = BodyParser(head, options.limits);
    }
    response_.reset();
    text_bytes_ = 0;
    is_in_request_ = true;
    has_sent_continue_ = false;
    started_ = now();
    // What follows a CONNECT is for the other end of a tunnel, never a request to this server.
    keeps_alive_ = head.keeps_alive && ++request_count_ < options.request_count_max &&
                   head.method != Method::connect;
    ++server_.counts_.requests;
    handler_deadline_ = started_ + options.timeouts.handler;
    body_deadline_ = Instant::never();
    enter(Phase::handler, handler_deadline_);
}

// A failure ends the request. Only a cancel of this task ends the connection too.
void ServerConnection::answer_failure(const std::exception_ptr& failure) {
    if (task_.is_own_cancel(failure)) std::rethrow_exception(failure);
    try {
        std::rethrow_exception(failure);
    } catch (const MessageRefused& refused) {
        keeps_alive_ = false;
        if (!response_.has_begun()) refuse(refused.why());
        return;
    } catch (const std::exception& error) {
        // The peer has closed, so the handler only failed to write: not an error of the handler.
        if (is_lost_) throw;
        log(LogLevel::error, "http: %s %s failed: %s",
            std::string(parser_.head().method_name).c_str(),
            std::string(parser_.head().target).c_str(), error.what());
    } catch (...) {
        log(LogLevel::error, "http: %s %s failed with an exception that is no std::exception",
            std::string(parser_.head().method_name).c_str(),
            std::string(parser_.head().target).c_str());
    }
    ++server_.counts_.failed;
    if (response_.has_begun()) {
        keeps_alive_ = false;  // The client sees a truncated body.
        return;
    }
    response_.reset();
    response_.status(500).type("text/plain").send("500 Internal Server Error\n");
    end_response();
}

// Skips the rest of a body that the handler did not read, if it is small.
Future<void> ServerConnection::skip_body() {
    std::size_t size = 0;
    try {
        while (size <= server_.options_.unread_body_bytes_max) {
            const std::string_view piece = co_await read_body();
            if (piece.empty()) co_return;
            size += piece.size();
        }
    } catch (const MessageRefused&) {
        keeps_alive_ = false;
    }
    keeps_alive_ = false;
}

Future<std::string_view> ServerConnection::read_body() {
    for (;;) {
        const auto piece = next_piece(body_, input_, later_);
        if (piece) co_return *piece;
        co_await receive_body();
    }
}

Future<void> ServerConnection::receive_body() {
    GYRE_ASSERT(is_in_request_, "a body is received outside of a request");
    GYRE_ASSERT(!body_.is_complete(), "a body is received that is complete already");
    const RequestHead& head = parser_.head();
    if (head.expects_continue && !has_sent_continue_ && !response_.has_begun()) {
        has_sent_continue_ = true;
        HeadWriter(out_).status(100).end();
    }
    // The client may wait for earlier responses before it sends this body.
    co_await flush();
    if (body_deadline_ == Instant::never()) {
        body_deadline_ = now() + server_.options_.timeouts.body;
    }
    if (body_deadline_ < handler_deadline_) {
        enter(Phase::body, body_deadline_);
    } else {
        enter(Phase::handler, handler_deadline_);
    }
    if (!charge(later_.growth_bytes())) throw MessageRefused(Refusal::memory_over_limit);
    const std::size_t size = co_await receive(later_);
    enter(Phase::handler, handler_deadline_);
    end_body_at(body_, size);
}

}  // namespace gyre::http
