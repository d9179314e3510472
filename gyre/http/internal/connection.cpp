// SPDX-License-Identifier: Apache-2.0
// How one connection is served: a head, its handler, the answer, the next head.
#include "gyre/http/internal/connection.hpp"

#include <system_error>

#include "gyre/base/log.hpp"
#include "gyre/http/head_writer.hpp"
#include "gyre/http/internal/body_input.hpp"
#include "gyre/http/status.hpp"
#include "gyre/task/cancel.hpp"
#include "gyre/task/executor.hpp"
#include "gyre/task/this_task.hpp"

namespace gyre::http {
namespace {

// Most heads fit, and each connection that waits for one has it.
constexpr std::size_t head_buffer_bytes = std::size_t{1} << 10U;
constexpr std::size_t body_buffer_bytes = std::size_t{16} << 10U;

}  // namespace

Connection::Connection(Server& server, net::ByteStream& stream, Task& task)
    : server_(server),
      stream_(stream),
      task_(task),
      parser_(server.options_.limits),
      input_(head_buffer_bytes),
      later_(body_buffer_bytes),
      response_(*this) {}

Instant Connection::now() const noexcept {
    return task_.executor().now();
}

void Connection::enter(Phase phase, Duration limit) noexcept {
    enter(phase, now() + limit);
}

Future<void> Connection::serve() {
    for (;;) {
        bool is_over = true;
        try {
            co_await serve_all();
        } catch (const Cancelled&) {
            if (!is_expired_) throw;
            is_over = answer_expired();
        } catch (const std::exception& error) {
            // Where the peer has gone there is nobody to tell.
            log(LogLevel::debug, "http: a connection ended: %s", error.what());
            co_return;
        }
        if (is_over) break;
        // Without a request when the server stopped: what has come by now is served.
        if (expired_in_ != Phase::idle || !server_.is_stopping()) co_return;
    }
    co_await say_goodbye();
}

// Heads, and the answers to them, until there are no more.
Future<void> Connection::serve_all() {
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
            refuse(status_of(parser_.refusal()), name_of(parser_.refusal()));
            co_return;
        }
        if (!input_.empty() && head_deadline == Instant::never()) {
            head_deadline = now() + server_.options_.timeouts.head;
        }
        // Only now, with nothing left to answer: one write for all that came with the last read.
        if (has_output()) co_await flush();
        if (!input_.empty()) {
            enter(Phase::head, head_deadline);
        } else if (!server_.is_stopping()) {
            input_.shrink();
            enter(Phase::idle, server_.options_.timeouts.idle);
        } else {
            const bool has_come = co_await look_once();
            if (!has_come) co_return;
            continue;
        }
        // Not by `receive`: that a peer has gone needs no note here, and each wait would keep the
        // frame of one more coroutine.
        const std::size_t size = co_await stream_.receive(input_.room());
        input_.add(size);
        has_ended_ = size == 0;
        if (has_ended_) co_return;
        if (is_expired_) co_await forgive_idleness();
    }
}

void Connection::begin_head() {
    parser_.reset();
    if (!later_.empty()) input_.append(later_.unread());
    later_.release();
}

// Of several requests that came with one read, the next is mostly whole: that needs no wait.
bool Connection::take_next_head() {
    if (input_.empty() || !later_.empty()) return false;
    parser_.reset();
    return parser_.parse(input_.unread()) == ParseState::complete;
}

// A request came at the moment when the connection was to end for having none: it is served. The
// cancel that is due then is taken here, instead of by the handler's first await.
Future<void> Connection::forgive_idleness() {
    if (expired_in_ != Phase::idle) co_return;
    try {
        co_await cancel_point();
    } catch (const Cancelled&) {
        is_expired_ = false;
    }
}

Future<std::size_t> Connection::receive(InputBuffer& into) {
    std::size_t size = 0;
    try {
        size = co_await stream_.receive(into.room());
    } catch (const std::system_error&) {
        is_lost_ = true;
        throw;
    }
    into.add(size);
    has_ended_ = size == 0;
    co_return size;
}

// The request whose head is there, and those that are whole behind it: one coroutine for all that
// came with one read.
Future<void> Connection::answer_present() {
    const ServerOptions& options = server_.options_;
    for (bool goes_on = true; goes_on;) {
        begin_request();
        if (body_.refusal() != Refusal::none) {
            refuse(status_of(body_.refusal()), name_of(body_.refusal()));
            co_return;
        }
        Request request(*this, parser_.head(), server_.routes_);
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
        if (keeps_alive_ && !body_.is_complete()) co_await skip_body();
        is_in_request_ = false;
        if (!large_.empty() || out_.size() > options.send_buffer_bytes) co_await flush();
        goes_on = keeps_alive_ && take_next_head();
    }
}

void Connection::begin_request() {
    const RequestHead& head = parser_.head();
    const ServerOptions& options = server_.options_;
    input_.consume(parser_.head_bytes());
    if (head.framing != Framing::none || !body_.is_complete()) {
        body_ = BodyParser(head, options.limits);
    }
    response_.reset();
    is_in_request_ = true;
    has_sent_continue_ = false;
    started_ = now();
    keeps_alive_ = head.keeps_alive && ++request_count_ < options.request_count_max;
    ++server_.counts_.requests;
    handler_deadline_ = started_ + options.timeouts.handler;
    body_deadline_ = Instant::never();
    enter(Phase::handler, handler_deadline_);
}

void Connection::answer_failure(const std::exception_ptr& failure) {
    try {
        std::rethrow_exception(failure);
    } catch (const Cancelled&) {
        throw;
    } catch (const MessageRefused& refused) {
        keeps_alive_ = false;
        if (!response_.has_begun()) refuse(status_of(refused.why()), name_of(refused.why()));
        return;
    } catch (const std::exception& error) {
        // Where the peer has gone, the handler's failure is only that.
        if (is_lost_) throw;
        log(LogLevel::error, "http: %s %s failed: %s",
            std::string(parser_.head().method_name).c_str(),
            std::string(parser_.head().target).c_str(), error.what());
    } catch (...) {
        log(LogLevel::error, "http: %s %s failed", std::string(parser_.head().method_name).c_str(),
            std::string(parser_.head().target).c_str());
    }
    ++server_.counts_.failed;
    if (response_.has_begun()) {
        keeps_alive_ = false;  // Without the end of the body: the peer sees that it is cut.
        return;
    }
    response_.reset();
    response_.status(500).type("text/plain").send("500 Internal Server Error\n");
    end_response();
}

// What the handler left of the body, where that is not much.
Future<void> Connection::skip_body() {
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

Future<std::string_view> Connection::read_body() {
    for (;;) {
        const auto piece = next_piece(body_, input_, later_);
        if (piece) co_return *piece;
        co_await receive_body();
    }
}

Future<void> Connection::receive_body() {
    const RequestHead& head = parser_.head();
    if (head.expects_continue && !has_sent_continue_ && !response_.has_begun()) {
        has_sent_continue_ = true;
        HeadWriter(out_).status(100).end();
    }
    // Earlier answers must not wait for this body: its sender may be waiting for them.
    co_await flush();
    if (body_deadline_ == Instant::never()) {
        body_deadline_ = now() + server_.options_.timeouts.body;
    }
    if (body_deadline_ < handler_deadline_) {
        enter(Phase::body, body_deadline_);
    } else {
        enter(Phase::handler, handler_deadline_);
    }
    const std::size_t size = co_await receive(later_);
    enter(Phase::handler, handler_deadline_);
    end_body_at(body_, size);
}

}  // namespace gyre::http
