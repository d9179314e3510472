// SPDX-License-Identifier: Apache-2.0
// The part of StreamSocket that connects.
#include <chrono>
#include <utility>

#include "gyre/sim/internal/ip.hpp"
#include "gyre/sim/listener.hpp"
#include "gyre/sim/stream_socket.hpp"

namespace gyre::sim {
namespace {

// What Linux does with a request that finds the backlog full: it asks again after one second, then
// after two, and so on, seven times in all.
constexpr Duration first_retry_after = std::chrono::seconds(1);
constexpr unsigned retries_max = 6;
// How long all that lasts where nobody answers.
constexpr Duration silence_max = std::chrono::seconds(127);

}  // namespace

Attempt StreamSocket::connect(const Address& to) {
    const bool is_silence = to.family() == family_ && !is_unix() && is_silent(common_form(to));
    const std::int32_t why = is_silence ? 0 : network_.check_target(family_, to);
    if (why < 0) return why;
    if (state_ == State::connecting) return failure(std::errc::connection_already_in_progress);
    if (state_ == State::connected) return failure(std::errc::already_connected);
    if (!is_unix() && !has_client_port_) {
        const std::uint16_t port = network_.take_client_port();
        if (port == 0) return failure(std::errc::address_not_available);
        has_client_port_ = true;
        local_ = Network::loopback(family_, to, port);
    }
    remote_ = Network::resolved(to);
    state_ = State::connecting;
    answer_.reset();
    outcome_.reset();
    retries_ = 0;
    if (is_silence) {
        answer_ = failure(std::errc::timed_out);
        happen_at(network_.medium().now() + silence_max);
        return std::nullopt;
    }
    happen_at(network_.medium().now() + network_.medium().draw(network_.medium().options.latency));
    return std::nullopt;
}

Attempt StreamSocket::connect_outcome() {
    return std::exchange(outcome_, std::nullopt);
}

void StreamSocket::happen() noexcept {
    if (!answer_) {
        arrive_at_listener();
        return;
    }
    outcome_ = std::exchange(answer_, std::nullopt);
    state_ = *outcome_ == 0 ? State::connected : State::fresh;
    changed();
}

void StreamSocket::arrive_at_listener() {
    Listener* listener = network_.find_listener(remote_);
    if (listener == nullptr) {
        const bool is_missing = is_unix() && network_.is_missing_path(remote_.path());
        answer(failure(is_missing ? std::errc::no_such_file_or_directory
                                  : std::errc::connection_refused));
        return;
    }
    if (listener->is_full()) {
        wait_for_room(*listener);
        return;
    }
    const Address::Family family = listener->address().family();
    auto served = std::make_unique<StreamSocket>(network_, family);
    served->local_ = is_unix() ? listener->address() : Network::as_seen_by(family, remote_);
    served->remote_ = is_unix() ? local_ : Network::as_seen_by(family, local_);
    served->state_ = State::connected;
    served->peer_ = this;
    peer_ = served.get();
    listener->enqueue(std::move(served));
    answer(0);
}

void StreamSocket::wait_for_room(Listener& listener) {
    if (is_unix()) {
        full_listener_ = &listener;
        listener.add_waiter(*this);
        return;
    }
    if (retries_ > retries_max) {
        outcome_ = failure(std::errc::timed_out);
        state_ = State::fresh;
        changed();
        return;
    }
    happen_at(network_.medium().now() + first_retry_after * (1 << retries_++));
}

void StreamSocket::try_again() {
    full_listener_ = nullptr;
    happen_at(network_.medium().now());
}

void StreamSocket::answer(std::int32_t outcome) {
    answer_ = outcome;
    happen_at(network_.medium().now() + network_.medium().draw(network_.medium().options.latency));
}

void StreamSocket::cancel_connect() {
    if (state_ != State::connecting) return;
    withdraw();
    if (full_listener_ != nullptr) std::exchange(full_listener_, nullptr)->remove_waiter(*this);
    leave(Pipe::Arrival::reset);
    // As if it had never begun, whatever the other side has sent already.
    incoming_.clear();
    receiving_has_ended_ = false;
    sending_has_ended_ = false;
    is_reset_ = false;
    error_ = 0;
    answer_.reset();
    state_ = State::fresh;
}

}  // namespace gyre::sim
