// SPDX-License-Identifier: Apache-2.0
#include "lang/wasm/http/internal/pending_request.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "gyre/base/failure.hpp"
#include "gyre/http/message.hpp"
#include "gyre/http/refusal.hpp"
#include "gyre/task/combine/timeout.hpp"
#include "gyre/task/core/cancel.hpp"
#include "lang/wasm/detail/records.hpp"

namespace gyre::wasm {

using effect::Value;

namespace {

constexpr std::size_t chunk_max_bytes = 16'384;
constexpr std::string_view disconnected = "client disconnected before response completed";

// Statuses that have no body, so no stream of one.
bool has_no_body(int status) noexcept {
    return status == 204 || status == 205 || status == 304;
}

// Written by the server itself.
bool is_of_server(std::string_view name) {
    constexpr std::array<std::string_view, 3> names = {"content-length", "transfer-encoding",
                                                       "connection"};
    return std::ranges::find(names, in_lower_case(name)) != names.end();
}

}  // namespace

Value PendingRequest::to_value(std::string_view body, bool is_streamed) const {
    HeaderList headers;
    for (const http::Field& one : request_.head().fields) headers.emplace_back(one.name, one.value);
    Value::Record made;
    made.emplace_back("request_id", id_);
    made.emplace_back("method", http::name_of(request_.method()));
    made.emplace_back("path", to_utf8(request_.path()));
    if (!request_.query().empty()) made.emplace_back("query", to_utf8(request_.query()));
    made.emplace_back("headers", header_values(headers));
    made.emplace_back("body", Value(blob_of(body)));
    made.emplace_back("body_streaming", is_streamed);
    return Value(std::move(made));
}

bool PendingRequest::give(std::shared_ptr<HttpOrder> order) {
    if (is_over_ || is_closing_) return false;
    orders_.push_back(std::move(order));
    changed_.set();
    return true;
}

void PendingRequest::close() noexcept {
    is_closing_ = true;
    changed_.set();
}

void PendingRequest::end() noexcept {
    is_over_ = true;
    while (!orders_.empty()) {
        orders_.front()->fail(HttpCode::failed, std::string(disconnected));
        orders_.pop_front();
    }
}

Future<std::shared_ptr<HttpOrder>> PendingRequest::next() {
    while (orders_.empty() && !is_closing_) {
        changed_.reset();
        co_await changed_.wait();
    }
    if (orders_.empty()) co_return nullptr;
    std::shared_ptr<HttpOrder> order = std::move(orders_.front());
    orders_.pop_front();
    co_return order;
}

Future<void> PendingRequest::answer(Duration order_timeout) {
    for (bool has_ended = false; !has_ended;) {
        std::shared_ptr<HttpOrder> order;
        try {
            order = co_await timeout(next(), order_timeout);
        } catch (const TimeoutError&) {
            give_up("server response timeout");
            co_return;
        }
        if (order == nullptr) {
            give_up("server closed before response");
            co_return;
        }
        try {
            has_ended = co_await carry_out(*order);
            order->ended.set();
        } catch (const http::MessageRefused& refused) {
            const bool is_large = refused.why() == http::Refusal::body_bytes_over_limit;
            order->fail(is_large ? HttpCode::body_too_large : HttpCode::failed,
                        is_large ? "request body exceeds max_body_bytes" : refused.what());
        } catch (const Cancelled&) {
            order->fail(HttpCode::failed, std::string(disconnected));
            throw;
        } catch (const std::system_error& error) {  // of the connection, which is of no more use
            order->fail(HttpCode::failed, std::string(disconnected) + ": " + error.what());
            throw;
        } catch (const std::exception& error) {
            order->fail(HttpCode::failed, error.what());
        }
    }
}

Future<bool> PendingRequest::carry_out(HttpOrder& order) {
    using Kind = HttpOrder::Kind;
    const bool needs_start = order.kind == Kind::write || order.kind == Kind::finish;
    const bool begins = order.kind == Kind::respond || order.kind == Kind::start;
    if (needs_start && !has_started_) {
        throw Failure("request " + std::to_string(id_) + " has no open response stream");
    }
    if (begins && has_started_) {
        throw Failure("request " + std::to_string(id_) + " has a response already");
    }
    switch (order.kind) {
        case Kind::respond:
            set_head(order.head);
            response_.send(std::move(order.bytes));
            co_return true;
        case Kind::start:
            if (has_no_body(order.head.status)) {
                throw Failure("status " + std::to_string(order.head.status) +
                              " cannot open a response body stream");
            }
            set_head(order.head);
            has_started_ = true;
            co_await response_.write("");
            co_return false;
        case Kind::write:
            if (order.bytes.size() > chunk_max_bytes) {
                throw Failure("HTTP stream chunks may not exceed 16384 bytes");
            }
            if (!order.bytes.empty()) co_await response_.write(order.bytes);
            co_return false;
        case Kind::finish:
            co_return true;
        case Kind::read:
            co_await read_piece(order);
            co_return false;
    }
    co_return true;
}

// At most chunk_max_bytes of what has come; the rest waits for the next order.
Future<void> PendingRequest::read_piece(HttpOrder& order) {
    if (left_.empty() && !is_read_) {
        const std::string_view piece = co_await request_.read();
        left_ = piece;
        is_read_ = piece.empty();
    }
    order.bytes = left_.substr(0, chunk_max_bytes);
    left_.erase(0, order.bytes.size());
    order.is_last = is_read_;
}

void PendingRequest::set_head(const ResponseHead& head) {
    if (head.status < 200 || head.status > 599) {
        throw Failure("a response has no status " + std::to_string(head.status));
    }
    response_.status(head.status);
    for (const auto& [name, value] : head.headers) {
        if (!is_of_server(name)) response_.field(name, value);
    }
}

void PendingRequest::give_up(const char* why) {
    if (has_started_) return;
    response_.status(500).type("text/plain").send(why);
}

}  // namespace gyre::wasm
