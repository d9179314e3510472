// SPDX-License-Identifier: Apache-2.0
// Datagrams: the bound datagram sockets of a simulated computer, and the IP datagrams in flight
// between them. Datagrams of one socket arrive in order, unless SimOptions says otherwise. One
// thread; part of the Network.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "gyre/io/sockets.hpp"
#include "gyre/sim/internal/sim_context.hpp"

namespace gyre::sim {

class DatagramSocket;
class Network;

struct Datagram {
    Address from;
    Address to;
    std::vector<std::byte> data;
};

class Datagrams : private TimelineEvent {
public:
    Datagrams(Network& network, SimContext& context)
        : TimelineEvent(context.timeline), network_(network), context_(context) {}

    // Unique in the network: distinguishes a socket from a later one at the same address.
    [[nodiscard]] std::uint64_t next_number() noexcept { return ++last_number_; }

    // Bound sockets, in the order in which they were bound.
    void add(DatagramSocket& socket) { sockets_.push_back(&socket); }
    void remove(DatagramSocket& socket) noexcept { std::erase(sockets_, &socket); }

    // Whether another IP socket prevents this one from binding to `at`.
    [[nodiscard]] bool is_taken(const Address& at, const DatagramSocket& by) const;
    // 0 if all ports are in use.
    [[nodiscard]] std::uint16_t find_free_port(const Address& at, const DatagramSocket& by);
    [[nodiscard]] bool has_chosen_port() const noexcept;
    // Null if no socket is bound to this name.
    [[nodiscard]] DatagramSocket* find_unix(const Address& at) const noexcept;

    // Sends over IP. The receiver is looked up on arrival. `not_before` preserves the order of one
    // sender.
    void send(Datagram datagram, Instant& not_before);
    // A datagram of another host, at the time of its arrival.
    void deliver_at(Instant when, Datagram datagram);
    // No socket at its target: the sender gets an error if it is connected to it.
    void refuse(const Datagram& datagram);

private:
    void fire() noexcept override;
    void arrive(const Datagram& datagram);
    void arrive_at_all(const Datagram& datagram);
    [[nodiscard]] DatagramSocket* find_receiver(const Datagram& datagram) const;

    Network& network_;
    SimContext& context_;
    std::uint64_t last_number_ = 0;
    std::vector<DatagramSocket*> sockets_;
    std::multimap<Instant, Datagram> in_flight_;
};

}  // namespace gyre::sim
