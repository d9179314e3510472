// SPDX-License-Identifier: Apache-2.0
// StreamSocket: a simulated TCP or Unix stream socket, with the error numbers that Linux has for
// each of the two. One thread; owned by the descriptor table, before accept by its listening
// socket.
//
//   fresh ──connect──▶ connecting ──answer──▶ connected        (refused: fresh again)
//
// The two directions of a connection end independently: receiving by an end or a reset that
// arrives, sending by end_sending or by a reset. An error is reported once, by the next call.
//
//   stream_socket_connect.cpp  connecting
//   stream_socket.cpp          bytes, options, closing
#pragma once

#include <cstdint>
#include <optional>

#include "gyre/sim/internal/net/network.hpp"
#include "gyre/sim/internal/net/pipe.hpp"

namespace gyre::sim {

class ListeningSocket;

class StreamSocket : public Descriptor, private TimelineEvent {
public:
    StreamSocket(Network& network, Address::Family family);
    ~StreamSocket() override;

    // Connects the two sockets of a socket pair.
    static void join(StreamSocket& a, StreamSocket& b) noexcept;

    [[nodiscard]] Events events() const noexcept override;
    void on_close() override;
    [[nodiscard]] MaybeResult accept(Address& peer) override;
    [[nodiscard]] MaybeResult connect(const Address& to) override;
    [[nodiscard]] MaybeResult connect_outcome() override;
    void cancel_connect() override;
    [[nodiscard]] MaybeResult receive(Bytes into) override;
    [[nodiscard]] MaybeResult receive_passed(Bytes into, ReceivedFds& arrived) override;
    [[nodiscard]] MaybeResult send(ConstBytes from) override { return send_passing(from, {}); }
    [[nodiscard]] MaybeResult send_passing(ConstBytes from, std::span<const Fd> passed) override;
    [[nodiscard]] MaybeResult send_to(ConstBytes from, const Address& to) override;
    [[nodiscard]] Result<Address> local_address() const override { return local_; }
    [[nodiscard]] Result<Address> remote_address() const override;
    [[nodiscard]] Result<void> end_sending() override;
    // Options are stored and returned; only a linger of 0 has an effect.
    [[nodiscard]] Result<void> set_stream_option(StreamOption option, int value) override;
    [[nodiscard]] Result<int> stream_option(StreamOption option) const override;

    [[nodiscard]] const Address& peer_address() const noexcept { return remote_; }
    // Called by the listening socket: the backlog has room again, or the listener was closed.
    void try_again();
    // Drops the connection: the peer gets a reset.
    void abandon();

    [[nodiscard]] StreamSocket* as_stream() noexcept override { return this; }
    [[nodiscard]] const Link* incoming_link() const noexcept { return incoming_.link(); }
    // Its machine has crashed: it says nothing, and answers what arrives later with a reset. False
    // if no other host knows of it.
    [[nodiscard]] bool haunt();
    // No other host knows of it any more.
    [[nodiscard]] bool is_over() const noexcept { return peer_ == nullptr; }
    // Both ends get a reset now.
    void break_both();

private:
    enum class State { fresh, connecting, connected };

    // One step of connecting: the request arrives at the peer, or the answer arrives here.
    void fire() noexcept override;
    void arrive_at_listener();
    void wait_for_room(ListeningSocket& listener);
    void send_request_again();
    void answer(std::int32_t outcome, Link* over);
    [[nodiscard]] Instant arrival_over(Link* link);

    void on_arrival(Pipe::Arrival what);
    // The connection fails with this error.
    void fail(std::errc why);
    void leave(Pipe::Arrival last_word);
    [[nodiscard]] MaybeResult send_to_closed_peer(std::size_t size);
    [[nodiscard]] std::int32_t take_error() noexcept;
    [[nodiscard]] bool is_unix() const noexcept { return family_ == Address::Family::unix_path; }
    void changed() { network_.context().descriptors.changed(*this); }

    Network& network_;
    const Address::Family family_;
    State state_ = State::fresh;
    Address local_;
    Address remote_;
    bool has_client_port_ = false;
    std::array<int, stream_option_count> options_ = {0, 0, 7200, 75, 9, -1, 0, 0};

    // While connecting.
    std::optional<std::int32_t> answer_;   // in flight
    std::optional<std::int32_t> outcome_;  // arrived, not reported yet
    unsigned retries_ = 0;
    ListeningSocket* full_listener_ = nullptr;

    // While connected.
    StreamSocket* peer_ = nullptr;  // null when the peer is closed
    Pipe incoming_;
    bool wants_space_ = false;  // a send waits for room in the peer's pipe
    bool receiving_has_ended_ = false;
    bool sending_has_ended_ = false;
    bool is_reset_ = false;
    bool is_ghost_ = false;
    std::int32_t error_ = 0;
};

}  // namespace gyre::sim
