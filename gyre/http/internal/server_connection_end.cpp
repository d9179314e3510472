// SPDX-License-Identifier: Apache-2.0
// ServerConnection: timeouts, shutdown and the graceful close.
#include <system_error>

#include "gyre/base/assert.hpp"
#include "gyre/http/internal/parked_connection.hpp"
#include "gyre/http/internal/server_connection.hpp"
#include "gyre/task/combine/timeout.hpp"
#include "gyre/task/core/cancel.hpp"

namespace gyre::http {
namespace {

// Lingering close: how much is read from the peer after the last response, and for how long.
constexpr std::size_t lingering_bytes_max = std::size_t{256} << 10U;
constexpr Duration lingering_time = std::chrono::seconds(2);
// The minimum of a file that must be sent within timeouts.write.
constexpr std::uint64_t file_bytes_min = std::uint64_t{64} << 10U;

}  // namespace

// Writes the response to a timeout; false if there is none for this phase.
bool ServerConnection::answer_expired() {
    GYRE_ASSERT(is_expired_, "a timeout is answered that did not expire");
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

// Lingering close: sends the last responses, shuts down the sending side, then reads until the peer
// closes. Closing with unread input would reset the connection and destroy responses in flight.
Future<void> ServerConnection::close_gracefully() {
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

// The server is stopping: receives without waiting; false if nothing has arrived.
Future<bool> ServerConnection::receive_once() {
    std::size_t size = 0;
    try {
        size = co_await timeout(receive(input_), Duration(0));
    } catch (const TimeoutError&) {
        has_ended_ = true;  // Treated as ended.
    }
    co_return size > 0;
}

bool ServerConnection::has_sent_enough() noexcept {
    GYRE_ASSERT(file_left_ == nullptr || *file_left_ <= file_left_then_,
                "more of a file is left than when its deadline was set");
    if (file_left_ == nullptr || file_left_then_ - *file_left_ < file_bytes_min) return false;
    file_left_then_ = *file_left_;
    enter(Phase::write, server_.options_.timeouts.write);
    return true;
}

void ServerConnection::expire() noexcept {
    if (has_sent_enough()) return;
    is_expired_ = true;
    expired_in_ = phase_;
    deadline_ = Instant::never();
    ++server_.counts_.timed_out;
    task_.cancel("a timeout of this HTTP connection");
}

void ServerConnection::stop_idle() noexcept {
    if (phase_ != Phase::idle) return;
    if (waits_for_first_request()) {
        enter(Phase::idle, first_request_until_);
        return;
    }
    is_expired_ = true;
    expired_in_ = Phase::idle;
    deadline_ = Instant::never();
    task_.cancel("the server stops");
}

bool ServerConnection::has_idled(Duration time) const noexcept {
    if (phase_ != Phase::idle || head_wait_ == nullptr || head_wait_->is_stopped()) return false;
    // Since it is idle, so much less of its time is left.
    return !server_.is_stopping() && deadline_ - now() <= server_.options_.timeouts.idle - time;
}

// Its read was ended, so that it can be parked. If the server stops meanwhile, it goes on instead.
bool ServerConnection::leaves_to_park() noexcept {
    GYRE_ASSERT(input_.empty(), "a connection is parked with bytes of a request");
    if (server_.is_stopping() || is_expired_) return false;
    accepted_->request_count = request_count_;
    accepted_->idle_until = deadline_;
    accepted_->is_to_park = true;
    return true;
}

bool ServerConnection::waits_for_first_request() noexcept {
    if (request_count_ > 0) return false;
    if (first_request_until_ == Instant::never()) {
        first_request_until_ = now() + server_.options_.first_request_within;
    }
    return now() < first_request_until_;
}

std::size_t ServerConnection::held_bytes() const noexcept {
    return own_bytes + input_.capacity() + later_.capacity() + out_.capacity() + large_.capacity() +
           response_.body_.capacity() + text_bytes_ + stream_.held_bytes();
}

bool ServerConnection::charge(std::size_t more) noexcept {
    return server_.charge(charged_bytes_, held_bytes() + more);
}

void ServerConnection::hold_text(std::size_t size_bytes) {
    text_bytes_ = size_bytes;
    if (!charge()) throw MessageRefused(Refusal::memory_over_limit);
}

void ServerConnection::cut() noexcept {
    task_.cancel("the server has stopped");
}

std::string ServerConnection::in_flight() const {
    if (!is_in_request_) return {};
    return std::string(parser_.head().method_name) + " " + std::string(parser_.head().target);
}

}  // namespace gyre::http
