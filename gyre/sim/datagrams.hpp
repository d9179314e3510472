// SPDX-License-Identifier: Apache-2.0
// Datagrams: what is between the datagram sockets of a simulated computer: who is bound where, and
// what is under way. What one socket sends arrives in its order, unless the options say otherwise.
// One thread; part of the Network.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "gyre/kernel/sockets.hpp"
#include "gyre/sim/medium.hpp"

namespace gyre::sim {

class DatagramSocket;

struct Datagram {
    Address from;
    Address to;
    std::vector<std::byte> data;
};

class Datagrams : private Happening {
public:
    explicit Datagrams(Medium& medium) : Happening(medium.timeline), medium_(medium) {}

    // Tells one socket from another that has its address later.
    [[nodiscard]] std::uint64_t next_number() noexcept { return ++last_number_; }

    // Sockets that have an address, in the order in which they took it.
    void add(DatagramSocket& socket) { sockets_.push_back(&socket); }
    void remove(DatagramSocket& socket) noexcept { std::erase(sockets_, &socket); }

    // Whether another IP socket stands in the way of this one at `at`.
    [[nodiscard]] bool is_taken(const Address& at, const DatagramSocket& by) const;
    // 0 when all are taken.
    [[nodiscard]] std::uint16_t find_free_port(const Address& at, const DatagramSocket& by);
    // Null when nobody has this name.
    [[nodiscard]] DatagramSocket* find_unix(const Address& at) const noexcept;

    // Over IP: it arrives later, at whoever is there by then. `not_before` is the sender's own.
    void send(Datagram datagram, Instant& not_before);

private:
    void happen() noexcept override;
    void arrive(const Datagram& datagram);
    void arrive_at_all(const Datagram& datagram);
    void refuse(const Datagram& datagram);
    [[nodiscard]] DatagramSocket* find_receiver(const Datagram& datagram) const;

    Medium& medium_;
    std::uint64_t last_number_ = 0;
    std::vector<DatagramSocket*> sockets_;
    std::multimap<Instant, Datagram> under_way_;
};

}  // namespace gyre::sim
