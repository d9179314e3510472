// SPDX-License-Identifier: Apache-2.0
// DatagramSocket: a simulated socket of UDP or of the Unix datagram kind. It belongs to the
// descriptor table. Error numbers are those of Linux, also where UDP and Unix sockets differ. One
// thread.
//
//   unbound ──bind, or the first send──▶ bound
//
// Connected or not is apart from that. UDP drops what finds the queue full; over a Unix socket the
// sender waits. An error is told once, to whoever asks next.
//
//   datagram_socket.cpp   binding, connecting, options
//   datagram_transfer.cpp sending and receiving
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "gyre/sim/internal/ip.hpp"
#include "gyre/sim/network.hpp"

namespace gyre::sim {

class DatagramSocket : public Descriptor {
public:
    DatagramSocket(Network& network, Address::Family family);
    ~DatagramSocket() override;

    [[nodiscard]] Events events() const noexcept override;
    void on_close() override;
    [[nodiscard]] Attempt accept(Address& peer) override;
    [[nodiscard]] Attempt connect(const Address& to) override;
    [[nodiscard]] Attempt receive(Bytes into) override;
    [[nodiscard]] Attempt send(ConstBytes from) override;
    [[nodiscard]] Attempt receive_from(Bytes into, Address& from, bool& is_truncated) override;
    [[nodiscard]] Attempt send_to(ConstBytes from, const Address& to) override;
    [[nodiscard]] DatagramSocket* as_datagram() noexcept override { return this; }
    [[nodiscard]] Result<Address> local_address() const override { return local_; }
    [[nodiscard]] Result<Address> remote_address() const override;
    [[nodiscard]] Result<void> end_sending() override;

    // Each 0, or an error's number.
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
    // Whether it takes what is for this address at all; only IPv6 sockets may refuse IPv4.
    [[nodiscard]] bool takes(const Ipv6& to) const noexcept {
        return !options_.only_ipv6 || !is_mapped(to);
    }
    // Whether its own address and its peer let it have this; is_member says the same of groups.
    [[nodiscard]] bool hears(const Datagram& datagram) const noexcept;
    [[nodiscard]] bool is_member(const Datagram& datagram) const noexcept;
    void arrive(const Datagram& datagram);
    void fail(std::int32_t error);

private:
    // Who may send to a group that it has joined: nobody in particular means everybody.
    using Sources = std::set<Ipv6>;
    using Group = std::pair<Ipv6, InterfaceIndex>;

    [[nodiscard]] std::int32_t bind_ip(Address at);
    [[nodiscard]] std::int32_t ensure_bound();
    [[nodiscard]] std::int32_t check_target(const Address& to) const noexcept;
    [[nodiscard]] std::int32_t check_group(const Membership& membership) const noexcept;
    [[nodiscard]] std::int32_t connect_unix(const Address& to);
    [[nodiscard]] Attempt send_ip(ConstBytes from, const Address& to);
    [[nodiscard]] Attempt send_unix(ConstBytes from, const Address& to);
    [[nodiscard]] std::int32_t find_unix_receiver(const Address& to, DatagramSocket*& receiver);
    [[nodiscard]] DatagramSocket* unix_peer() const noexcept;
    [[nodiscard]] bool is_full() const noexcept;
    void release_waiters();
    [[nodiscard]] bool is_unix() const noexcept { return family_ == Address::Family::unix_path; }
    [[nodiscard]] Medium& medium() const noexcept { return network_.medium(); }
    void changed() { medium().descriptors.changed(*this); }

    Network& network_;
    const Address::Family family_;
    Address bound_;   // as it was asked for; the port may be one that it got by itself
    Address local_;   // with the interface that a connect has chosen
    Address remote_;  // while it is connected
    BindOptions options_;
    bool is_bound_ = false;
    bool has_chosen_port_ = false;  // not asked for by its number
    bool is_connected_ = false;
    bool may_broadcast_ = false;
    bool sending_has_ended_ = false;
    std::int32_t error_ = 0;
    std::uint64_t number_;  // tells a Unix peer from a later one of its name
    std::uint64_t peer_number_ = 0;
    std::map<Group, Sources> groups_;

    std::deque<Datagram> arrived_;
    std::size_t arrived_bytes_ = 0;
    Instant last_arrival_;     // of what it has sent over IP
    std::vector<Fd> waiters_;  // Unix sockets that found it full
};

}  // namespace gyre::sim
