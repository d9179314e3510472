// SPDX-License-Identifier: Apache-2.0
// Bytes, options and closing of StreamSocket.
#include "gyre/sim/internal/net/stream_socket.hpp"

#include <algorithm>
#include <utility>

#include "gyre/sim/internal/limits.hpp"
#include "gyre/sim/internal/net/listening_socket.hpp"

namespace gyre::sim {
namespace {

bool is_for_tcp(StreamOption option) noexcept {
    switch (option) {
        case StreamOption::no_delay:
        case StreamOption::keep_alive_idle_s:
        case StreamOption::keep_alive_interval_s:
        case StreamOption::keep_alive_count:
            return true;
        default:
            return false;
    }
}

}  // namespace

StreamSocket::StreamSocket(Network& network, Address::Family family)
    : TimelineEvent(network.context().timeline),
      network_(network),
      family_(family),
      local_(Network::unbound(family)),
      incoming_(network.context(), [this](Pipe::Arrival what) { on_arrival(what); }) {}

StreamSocket::~StreamSocket() {
    if (has_client_port_) network_.give_back_port(local_.port());
    if (incoming_.link() != nullptr) network_.remove_connection(*this);
    if (full_listener_ != nullptr) full_listener_->remove_waiter(*this);
    if (peer_ != nullptr) peer_->peer_ = nullptr;
}

void StreamSocket::join(StreamSocket& a, StreamSocket& b) noexcept {
    a.state_ = State::connected;
    b.state_ = State::connected;
    a.peer_ = &b;
    b.peer_ = &a;
}

Events StreamSocket::events() const noexcept {
    if (state_ == State::connecting) return Events::none;
    if (state_ == State::fresh) return Events::writable | Events::hang_up;
    Events events = Events::none;
    const bool has_room = peer_ == nullptr || peer_->incoming_.free_bytes() > 0;
    if (incoming_.arrived_bytes() > 0 || receiving_has_ended_) events = events | Events::readable;
    if (has_room || sending_has_ended_) events = events | Events::writable;
    if (receiving_has_ended_) events = events | Events::hang_up;
    if (error_ != 0) events = events | Events::error;
    return events;
}

MaybeResult StreamSocket::accept(Address& /*peer*/) {
    return failure(std::errc::invalid_argument);
}

// ---- Bytes ----

// Descriptors that arrive with the bytes are closed: this call has no room for them.
MaybeResult StreamSocket::receive(Bytes into) {
    ReceivedFds none;
    return receive_passed(into, none);
}

MaybeResult StreamSocket::receive_passed(Bytes into, ReceivedFds& arrived) {
    if (state_ == State::connecting) return std::nullopt;
    if (state_ == State::fresh) {
        return failure(is_unix() ? std::errc::invalid_argument : std::errc::not_connected);
    }
    if (incoming_.arrived_bytes() > 0) {
        const std::size_t possible =
            std::min({into.size(), incoming_.arrived_bytes(), transfer_bytes_max});
        const std::size_t drawn = network_.context().draw_transfer(possible);
        const auto [size, passed] = incoming_.pop(into.first(drawn));
        if (passed != 0) network_.context().descriptors.take(passed, arrived);
        if (peer_ != nullptr && std::exchange(peer_->wants_space_, false)) peer_->changed();
        return static_cast<std::int32_t>(size);
    }
    // After the end of the stream, broken_pipe is an error of sends only.
    if (error_ != 0 && error_ != failure(std::errc::broken_pipe)) return take_error();
    if (receiving_has_ended_) return 0;
    return std::nullopt;
}

MaybeResult StreamSocket::send_passing(ConstBytes from, std::span<const Fd> passed) {
    if (state_ == State::connecting) return std::nullopt;
    const auto broken = failure(std::errc::broken_pipe);
    if (is_unix()) {
        if (state_ == State::fresh) return failure(std::errc::not_connected);
        if (sending_has_ended_ || peer_ == nullptr) return broken;
    }
    if (state_ == State::fresh) return broken;
    if (error_ != 0) return take_error();
    if (sending_has_ended_) return broken;
    if (from.empty()) return 0;
    const std::size_t size = std::min(from.size(), transfer_bytes_max);
    if (peer_ == nullptr) return send_to_closed_peer(size);
    const std::size_t possible = std::min(size, peer_->incoming_.free_bytes());
    if (possible == 0) {
        wants_space_ = true;
        return std::nullopt;
    }
    PassedId under_way = 0;
    if (is_unix() && !passed.empty()) {
        const Result<PassedId> begun = network_.context().descriptors.pass(passed);
        if (!begun) return begun.error().as_result();
        under_way = *begun;
    }
    const std::size_t sent = network_.context().draw_transfer(possible);
    wants_space_ = sent < size;
    peer_->incoming_.push(from.first(sent), under_way);
    return static_cast<std::int32_t>(sent);
}

MaybeResult StreamSocket::send_to(ConstBytes from, const Address& to) {
    if (!is_unix() || to.family() == Address::Family::none) return send(from);
    return failure(state_ == State::connected ? std::errc::already_connected
                                              : std::errc::operation_not_supported);
}

// The peer is closed: the send succeeds, and a reset comes back.
MaybeResult StreamSocket::send_to_closed_peer(std::size_t size) {
    incoming_.push(Pipe::Arrival::reset);
    return static_cast<std::int32_t>(size);
}

void StreamSocket::on_arrival(Pipe::Arrival what) {
    if (is_ghost_) {
        if (what != Pipe::Arrival::reset) leave(Pipe::Arrival::reset);
        return;
    }
    if (what == Pipe::Arrival::lost) {
        if (peer_ == nullptr) return fail(std::errc::timed_out);
        StreamSocket& sender = *std::exchange(peer_, nullptr);
        sender.peer_ = nullptr;
        if (!sender.is_ghost_) sender.fail(std::errc::timed_out);
        return;
    }
    if (what == Pipe::Arrival::end) {
        receiving_has_ended_ = true;
        // A Unix socket sees at once that its peer is closed; TCP sees it at the next send.
        if (is_unix() && peer_ == nullptr) sending_has_ended_ = true;
    }
    if (what == Pipe::Arrival::reset && !is_reset_) {
        is_reset_ = true;
        const bool had_ended = receiving_has_ended_ && !is_unix();
        error_ = failure(had_ended ? std::errc::broken_pipe : std::errc::connection_reset);
        receiving_has_ended_ = true;
        sending_has_ended_ = true;
    }
    if (state_ == State::connected) changed();
}

void StreamSocket::fail(std::errc why) {
    is_reset_ = true;
    error_ = failure(why);
    receiving_has_ended_ = true;
    sending_has_ended_ = true;
    if (state_ == State::connected) changed();
}

void StreamSocket::break_both() {
    StreamSocket* const other = std::exchange(peer_, nullptr);
    if (other != nullptr) {
        other->peer_ = nullptr;
        if (!other->is_ghost_) other->fail(std::errc::connection_reset);
    }
    fail(std::errc::connection_reset);
}

bool StreamSocket::haunt() {
    withdraw();  // A connect that has not arrived yet.
    if (peer_ == nullptr || incoming_.link() == nullptr) return false;
    is_ghost_ = true;
    return true;
}

std::int32_t StreamSocket::take_error() noexcept {
    return std::exchange(error_, 0);
}

Result<Address> StreamSocket::remote_address() const {
    if (state_ != State::connected) return std::unexpected(Error(std::errc::not_connected));
    return remote_;
}

// ---- Options ----

Result<void> StreamSocket::set_stream_option(StreamOption option, int value) {
    if (is_unix() && is_for_tcp(option)) {
        return std::unexpected(Error(std::errc::operation_not_supported));
    }
    options_[static_cast<std::size_t>(option)] = value;
    return {};
}

Result<int> StreamSocket::stream_option(StreamOption option) const {
    if (is_unix() && is_for_tcp(option)) {
        return std::unexpected(Error(std::errc::operation_not_supported));
    }
    const bool is_size =
        option == StreamOption::send_buffer_bytes || option == StreamOption::receive_buffer_bytes;
    const int value = options_[static_cast<std::size_t>(option)];
    const bool is_default = is_size && value == 0;
    return is_default ? static_cast<int>(network_.context().options.stream_buffer_bytes) : value;
}

// ---- Closing ----

Result<void> StreamSocket::end_sending() {
    const bool is_over = is_reset_ || (sending_has_ended_ && receiving_has_ended_);
    const bool is_connected = state_ == State::connected && !is_over;
    if (!is_connected && !is_unix()) return std::unexpected(Error(std::errc::not_connected));
    if (!sending_has_ended_ && peer_ != nullptr) peer_->incoming_.push(Pipe::Arrival::end);
    sending_has_ended_ = true;
    changed();
    return {};
}

void StreamSocket::on_close() {
    if (state_ == State::connecting) {
        cancel_connect();
        return;
    }
    // Unread bytes are lost: the sender must get a reset.
    const bool aborts =
        !is_unix() && options_[static_cast<std::size_t>(StreamOption::linger_s)] == 0;
    const bool is_reset = incoming_.holds_bytes() || aborts;
    leave(is_reset ? Pipe::Arrival::reset : Pipe::Arrival::end);
}

void StreamSocket::abandon() {
    leave(Pipe::Arrival::reset);
}

void StreamSocket::leave(Pipe::Arrival last_word) {
    if (peer_ == nullptr) return;
    StreamSocket& other = *std::exchange(peer_, nullptr);
    other.peer_ = nullptr;
    other.incoming_.push(last_word);
    // The peer's waiting sends fail now.
    if (std::exchange(other.wants_space_, false)) other.changed();
}

}  // namespace gyre::sim
