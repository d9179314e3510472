// SPDX-License-Identifier: Apache-2.0
// Connecting of StreamSocket.
#include <chrono>
#include <utility>

#include "gyre/sim/internal/net/ip.hpp"
#include "gyre/sim/internal/net/listening_socket.hpp"
#include "gyre/sim/internal/net/stream_socket.hpp"

namespace gyre::sim {
namespace {

// If the backlog is full, Linux sends the SYN again after 1 s, 2 s, 4 s ...: seven times in all.
constexpr Duration first_retry_after = std::chrono::seconds(1);
constexpr unsigned retries_max = 6;
// The sum of all retry delays, after which a connect without an answer times out.
constexpr Duration silence_max = std::chrono::seconds(127);

}  // namespace

MaybeResult StreamSocket::connect(const Address& to) {
    const bool is_silence = to.family() == family_ && !is_unix() && is_silent(common_form(to));
    const std::int32_t why = is_silence ? 0 : network_.check_target(family_, to);
    if (why < 0) return why;
    if (state_ == State::connecting) return failure(std::errc::connection_already_in_progress);
    if (state_ == State::connected) return failure(std::errc::already_connected);
    if (!is_unix() && !has_client_port_) {
        const std::uint16_t port = network_.take_client_port();
        if (port == 0) return failure(std::errc::address_not_available);
        has_client_port_ = true;
        local_ = network_.source(family_, to, port);
    }
    remote_ = Network::resolved(to);
    state_ = State::connecting;
    answer_.reset();
    outcome_.reset();
    retries_ = 0;
    if (is_silence) {
        answer_ = failure(std::errc::timed_out);
        schedule_at(network_.context().now() + silence_max);
        return std::nullopt;
    }
    // A link that is cut is noticed when the request should arrive.
    Network* const target = is_unix() ? nullptr : network_.route(common_form(remote_));
    Link* const link = target == nullptr ? nullptr : network_.link_to(*target);
    schedule_at(arrival_over(link));
    return std::nullopt;
}

Instant StreamSocket::arrival_over(Link* link) {
    SimContext& context = network_.context();
    return link != nullptr ? link->draw_arrival(context, 0)
                           : context.now() + context.draw(context.options.latency);
}

MaybeResult StreamSocket::connect_outcome() {
    return std::exchange(outcome_, std::nullopt);
}

void StreamSocket::fire() noexcept {
    if (!answer_) {
        arrive_at_listener();
        return;
    }
    outcome_ = std::exchange(answer_, std::nullopt);
    state_ = *outcome_ == 0 ? State::connected : State::fresh;
    changed();
}

void StreamSocket::arrive_at_listener() {
    Network& target = is_unix() ? network_ : *network_.route(common_form(remote_));
    Link* const there = network_.link_to(target);
    Link* const back = target.link_to(network_);
    // Without an answer the request is sent again.
    if (there != nullptr && (there->is_cut() || back->is_cut())) return send_request_again();
    if (there != nullptr && there->faults().refuses_connects) {
        return answer(failure(std::errc::connection_refused), back);
    }
    ListeningSocket* listener = target.find_listener(remote_);
    if (listener == nullptr) {
        const bool is_missing = is_unix() && network_.is_missing_path(remote_.path());
        answer(failure(is_missing ? std::errc::no_such_file_or_directory
                                  : std::errc::connection_refused),
               back);
        return;
    }
    if (listener->is_full()) {
        wait_for_room(*listener);
        return;
    }
    const Address::Family family = listener->address().family();
    auto served = std::make_unique<StreamSocket>(target, family);
    served->local_ = is_unix() ? listener->address() : Network::in_family(family, remote_);
    served->remote_ = is_unix() ? local_ : Network::in_family(family, local_);
    served->state_ = State::connected;
    served->peer_ = this;
    peer_ = served.get();
    if (there != nullptr) {
        served->incoming_.set_link(there);
        incoming_.set_link(back);
        target.add_connection(*served);
        network_.add_connection(*this);
    }
    listener->enqueue(std::move(served));
    answer(0, back);
}

void StreamSocket::wait_for_room(ListeningSocket& listener) {
    if (is_unix()) {
        full_listener_ = &listener;
        listener.add_waiter(*this);
        return;
    }
    send_request_again();
}

void StreamSocket::send_request_again() {
    if (retries_ > retries_max) {
        outcome_ = failure(std::errc::timed_out);
        state_ = State::fresh;
        changed();
        return;
    }
    schedule_at(network_.context().now() + first_retry_after * (1 << retries_++));
}

void StreamSocket::try_again() {
    full_listener_ = nullptr;
    schedule_at(network_.context().now());
}

void StreamSocket::answer(std::int32_t outcome, Link* over) {
    answer_ = outcome;
    schedule_at(arrival_over(over));
}

void StreamSocket::cancel_connect() {
    if (state_ != State::connecting) return;
    withdraw();
    if (full_listener_ != nullptr) std::exchange(full_listener_, nullptr)->remove_waiter(*this);
    leave(Pipe::Arrival::reset);
    if (incoming_.link() != nullptr) network_.remove_connection(*this);
    // Back to the state before connect; bytes that the peer sent already are dropped.
    incoming_.clear();
    incoming_.set_link(nullptr);
    receiving_has_ended_ = false;
    sending_has_ended_ = false;
    is_reset_ = false;
    error_ = 0;
    answer_.reset();
    state_ = State::fresh;
}

}  // namespace gyre::sim
