// SPDX-License-Identifier: Apache-2.0
// DatagramSocket: a simulated UDP or Unix datagram socket, with the error numbers that Linux has
// for each of the two. One thread; owned by the descriptor table.
//
//   unbound ──bind, or the first send──▶ bound
//
// Whether it is connected is independent of that. UDP datagrams to a full receive queue are
// dropped; a sender over a Unix socket waits instead. An error is reported once, by the next send
// or receive.
//
//   datagram_socket.cpp   binding, connecting, options
//   datagram_socket_transfer.cpp sending and receiving
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "gyre/sim/internal/net/ip.hpp"
#include "gyre/sim/internal/net/network.hpp"

namespace gyre::sim {

class DatagramSocket : public Descriptor {
public:
    DatagramSocket(Network& network, Address::Family family);
    ~DatagramSocket() override;

    [[nodiscard]] Events events() const noexcept override;
    void on_close() override;
    [[nodiscard]] MaybeResult accept(Address& peer) override;
    [[nodiscard]] MaybeResult connect(const Address& to) override;
    [[nodiscard]] MaybeResult receive(Bytes into) override;
    [[nodiscard]] MaybeResult send(ConstBytes from) override;
    [[nodiscard]] MaybeResult receive_from(Bytes into, Address& from, bool& is_truncated) override;
    [[nodiscard]] MaybeResult send_to(ConstBytes from, const Address& to) override;
    [[nodiscard]] DatagramSocket* as_datagram() noexcept override { return this; }
    [[nodiscard]] Result<Address> local_address() const override { return local_; }
    [[nodiscard]] Result<Address> remote_address() const override;
    [[nodiscard]] Result<void> end_sending() override;

    // These return 0 or a negative error number.
    [[nodiscard]] std::int32_t bind(const Address& at, BindOptions options);
    [[nodiscard]] std::int32_t disconnect();
    [[nodiscard]] std::int32_t set_option(DatagramOption option, int value);
    [[nodiscard]] std::int32_t join(const Membership& membership);
    [[nodiscard]] std::int32_t leave(const Membership& membership);

    // For Datagrams.
    [[nodiscard]] Address::Family family() const noexcept { return family_; }
    [[nodiscard]] const Address& local() const noexcept { return local_; }
    [[nodiscard]] const Address& remote() const noexcept { return remote_; }
    [[nodiscard]] const BindOptions& options() const noexcept { return options_; }
    [[nodiscard]] bool is_connected() const noexcept { return is_connected_; }
    // Whether it receives datagrams to this address; only an IPv6 socket may exclude IPv4.
    [[nodiscard]] bool takes(const Ipv6& to) const noexcept {
        return !options_.only_ipv6 || !is_mapped(to);
    }
    // Whether the datagram matches its address and peer; is_member checks its multicast groups.
    [[nodiscard]] bool matches(const Datagram& datagram) const noexcept;
    [[nodiscard]] bool is_member(const Datagram& datagram) const noexcept;
    void arrive(const Datagram& datagram);
    void fail(std::int32_t error);

private:
    // The senders allowed in a group that it has joined; empty: all.
    using Sources = std::set<Ipv6>;
    using Group = std::pair<Ipv6, InterfaceIndex>;

    [[nodiscard]] std::int32_t bind_ip(Address at);
    [[nodiscard]] std::int32_t ensure_bound();
    [[nodiscard]] std::int32_t check_target(const Address& to) noexcept;
    [[nodiscard]] std::int32_t check_group(const Membership& membership) const noexcept;
    [[nodiscard]] std::int32_t connect_unix(const Address& to);
    [[nodiscard]] MaybeResult send_ip(ConstBytes from, const Address& to);
    [[nodiscard]] MaybeResult send_unix(ConstBytes from, const Address& to);
    [[nodiscard]] std::int32_t find_unix_receiver(const Address& to, DatagramSocket*& receiver);
    [[nodiscard]] DatagramSocket* unix_peer() const noexcept;
    [[nodiscard]] bool is_full() const noexcept;
    void release_waiters();
    [[nodiscard]] bool is_unix() const noexcept { return family_ == Address::Family::unix_path; }
    [[nodiscard]] SimContext& context() const noexcept { return network_.context(); }
    void changed() { context().descriptors.changed(*this); }

    Network& network_;
    const Address::Family family_;
    Address bound_;   // the address given to bind, with the assigned port
    Address local_;   // bound_, with the interface that connect chose
    Address remote_;  // while it is connected
    BindOptions options_;
    bool is_bound_ = false;
    bool has_ephemeral_port_ = false;
    bool is_connected_ = false;
    bool may_broadcast_ = false;
    bool sending_has_ended_ = false;
    std::int32_t error_ = 0;
    std::uint64_t number_;  // distinguishes a Unix peer from a later socket of the same name
    std::uint64_t peer_number_ = 0;
    std::map<Group, Sources> groups_;

    std::deque<Datagram> arrived_;
    std::size_t arrived_bytes_ = 0;
    Instant last_arrival_;     // of the datagrams it sent over IP: preserves their order
    std::vector<Fd> waiters_;  // Unix sockets whose send waits for room here
};

}  // namespace gyre::sim
