// SPDX-License-Identifier: Apache-2.0
// StreamSocket: a simulated socket of TCP or of the Unix kind. It belongs to the descriptor table,
// and while nobody has accepted it, to its listener. Error numbers are those
// of Linux, also where TCP and Unix sockets differ. One thread.
//
// Life of a stream socket:
//
//   fresh ──connect──▶ connecting ──answer──▶ connected       (an answer that says no: fresh again)
//
// A connected one has two ends that close apart: its receiving ends by what arrives (an end or a
// reset), its sending by itself or by a reset. An error is told once, to whoever asks next.
//
//   stream_connecting.cpp  how it gets connected
//   stream_socket.cpp      all the rest
#pragma once

#include <cstdint>
#include <optional>

#include "gyre/sim/network.hpp"
#include "gyre/sim/pipe.hpp"

namespace gyre::sim {

class Listener;

class StreamSocket : public Descriptor, private Happening {
public:
    StreamSocket(Network& network, Address::Family family);
    ~StreamSocket() override;

    // Two sockets that are connected from the start.
    static void join(StreamSocket& a, StreamSocket& b) noexcept;

    [[nodiscard]] Events events() const noexcept override;
    void on_close() override;
    [[nodiscard]] Attempt accept(Address& peer) override;
    [[nodiscard]] Attempt connect(const Address& to) override;
    [[nodiscard]] Attempt connect_outcome() override;
    void cancel_connect() override;
    [[nodiscard]] Attempt receive(Bytes into) override;
    [[nodiscard]] Attempt receive_passed(Bytes into, Arrived& arrived) override;
    [[nodiscard]] Attempt send(ConstBytes from) override { return send_passing(from, {}); }
    [[nodiscard]] Attempt send_passing(ConstBytes from, std::span<const Fd> passed) override;
    [[nodiscard]] Attempt send_to(ConstBytes from, const Address& to) override;
    [[nodiscard]] Result<Address> local_address() const override { return local_; }
    [[nodiscard]] Result<Address> remote_address() const override;
    [[nodiscard]] Result<void> end_sending() override;
    // Kept and told; of all of them only a linger of 0 changes what happens.
    [[nodiscard]] Result<void> set_stream_option(StreamOption option, int value) override;
    [[nodiscard]] Result<int> stream_option(StreamOption option) const override;

    [[nodiscard]] const Address& peer_address() const noexcept { return remote_; }
    // For its listener: the backlog has room again, or nobody listens any more.
    void try_again();
    // Gives the connection up: the other side gets a reset.
    void abandon();

private:
    enum class State { fresh, connecting, connected };

    // One step of connecting: the request arrives, or the answer does.
    void happen() noexcept override;
    void arrive_at_listener();
    void wait_for_room(Listener& listener);
    void answer(std::int32_t outcome);

    void on_arrival(Pipe::Arrival what);
    void leave(Pipe::Arrival last_word);
    [[nodiscard]] Attempt send_to_nobody(std::size_t size);
    [[nodiscard]] std::int32_t take_error() noexcept;
    [[nodiscard]] bool is_unix() const noexcept { return family_ == Address::Family::unix_path; }
    void changed() { network_.medium().descriptors.changed(*this); }

    Network& network_;
    const Address::Family family_;
    State state_ = State::fresh;
    Address local_;
    Address remote_;
    bool has_client_port_ = false;
    std::array<int, stream_option_count> options_ = {0, 0, 7200, 75, 9, -1, 0, 0};

    // While connecting.
    std::optional<std::int32_t> answer_;   // decided, and on its way back
    std::optional<std::int32_t> outcome_;  // arrived, and not yet told
    unsigned retries_ = 0;
    Listener* full_listener_ = nullptr;

    // While connected.
    StreamSocket* peer_ = nullptr;  // null once it is closed
    Pipe incoming_;
    bool wants_space_ = false;  // a send found the other's pipe full
    bool receiving_has_ended_ = false;
    bool sending_has_ended_ = false;
    bool is_reset_ = false;
    std::int32_t error_ = 0;
};

}  // namespace gyre::sim
