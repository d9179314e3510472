// SPDX-License-Identifier: Apache-2.0
// How a connection ends: when its time is over, when the server stops, and what it says last.
#include <system_error>

#include "gyre/http/internal/connection.hpp"
#include "gyre/task/cancel.hpp"
#include "gyre/task/timeout.hpp"

namespace gyre::http {
namespace {

// What is still taken from a peer after its last answer, so that the close does not destroy it.
constexpr std::size_t lingering_bytes_max = std::size_t{256} << 10U;
constexpr Duration lingering_time = std::chrono::seconds(2);
// So much of a file must go within the time for a write.
constexpr std::uint64_t file_bytes_min = std::uint64_t{64} << 10U;

}  // namespace

// What a peer is told whose time is over; false where that is nothing.
bool Connection::answer_expired() {
    is_expired_ = false;
    if (response_.has_begun() && is_in_request_) return false;
    switch (expired_in_) {
        case Phase::head:
        case Phase::body:
            refuse(408, "the request took too long");
            return true;
        case Phase::handler:
            refuse(503, "the answer took too long");
            return true;
        default:
            return false;
    }
}

// The last answers go out, and the peer gets the time to read them: a close with bytes unread would
// reset the connection, and take them from it.
Future<void> Connection::say_goodbye() {
    try {
        co_await flush();
        if (has_ended_) co_return;
        enter(Phase::write, lingering_time);
        co_await stream_.finish();
        std::size_t size = 0;
        while (size < lingering_bytes_max) {
            input_.clear();
            const std::size_t came = co_await receive(input_);
            if (came == 0) break;
            size += came;
        }
    } catch (const std::system_error&) {
        co_return;
    } catch (const Cancelled&) {
        if (!is_expired_) throw;
    }
}

// The server stops, and waits for no more: whether something has come by now.
Future<bool> Connection::look_once() {
    std::size_t size = 0;
    try {
        size = co_await timeout(receive(input_), Duration(0));
    } catch (const TimeoutError&) {
        has_ended_ = true;  // As far as we care.
    }
    co_return size > 0;
}

bool Connection::has_sent_enough() noexcept {
    if (file_left_ == nullptr || file_left_then_ - *file_left_ < file_bytes_min) return false;
    file_left_then_ = *file_left_;
    enter(Phase::write, server_.options_.timeouts.write);
    return true;
}

void Connection::expire() noexcept {
    if (has_sent_enough()) return;
    is_expired_ = true;
    expired_in_ = phase_;
    deadline_ = Instant::never();
    ++server_.counts_.timed_out;
    task_.cancel("the time of this connection is over");
}

void Connection::stop_idle() noexcept {
    if (phase_ != Phase::idle) return;
    is_expired_ = true;
    expired_in_ = Phase::idle;
    deadline_ = Instant::never();
    task_.cancel("the server stops");
}

void Connection::cut() noexcept {
    task_.cancel("the server has stopped");
}

std::string Connection::in_flight() const {
    if (!is_in_request_) return {};
    return std::string(parser_.head().method_name) + " " + std::string(parser_.head().target);
}

}  // namespace gyre::http
