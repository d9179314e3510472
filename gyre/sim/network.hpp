// SPDX-License-Identifier: Apache-2.0
// Network: the sockets of a simulated process on one computer: listeners by address, connections
// over the loopback, and pairs. Results and error numbers are those of Linux. A connect to an
// address that is set aside for documentation (192.0.2.1, 2001:db8::1) meets silence. One thread;
// it outlives the loops that use it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "gyre/kernel/sockets.hpp"
#include "gyre/sim/datagrams.hpp"
#include "gyre/sim/medium.hpp"

namespace gyre::sim {

class Listener;

class Network : public Sockets {
public:
    explicit Network(Medium& medium) : medium_(medium), datagrams_(medium) {}

    [[nodiscard]] Result<Fd> listen(const Address& at, ListenOptions options) override;
    [[nodiscard]] Result<Fd> stream(Address::Family family) override;
    [[nodiscard]] Result<std::array<Fd, 2>> stream_pair() override;
    [[nodiscard]] Result<Address> local_address(Fd fd) override;
    [[nodiscard]] Result<Address> peer_address(Fd fd) override;
    [[nodiscard]] Result<void> end_sending(Fd fd) override;
    [[nodiscard]] Result<void> set_stream_option(Fd fd, StreamOption option, int value) override;
    [[nodiscard]] Result<int> stream_option(Fd fd, StreamOption option) override;
    void close_now(Fd fd) noexcept override { medium_.descriptors.close(fd); }

    // network_datagrams.cpp
    [[nodiscard]] Result<Fd> datagram(Address::Family family) override;
    [[nodiscard]] Result<void> bind(Fd fd, const Address& at, BindOptions options) override;
    [[nodiscard]] Result<void> connect_datagram(Fd fd, const Address& to) override;
    [[nodiscard]] Result<void> set_option(Fd fd, DatagramOption option, int value) override;
    [[nodiscard]] Result<void> join(Fd fd, const Membership& membership) override;
    [[nodiscard]] Result<void> leave(Fd fd, const Membership& membership) override;
    [[nodiscard]] Result<InterfaceIndex> interface_named(std::string_view name) override;
    [[nodiscard]] Result<std::size_t> try_send_to(Fd fd, ConstBytes data,
                                                  const Address& to) override;

    // The rest is for the sockets themselves.
    [[nodiscard]] Medium& medium() noexcept { return medium_; }
    [[nodiscard]] Datagrams& datagrams() noexcept { return datagrams_; }

    // 0, or why a socket of this family cannot reach the address, whoever listens there.
    [[nodiscard]] std::int32_t check_target(Address::Family family, const Address& to) const;
    // Who gets a connection to the address, where several share it by the seed; null when nobody.
    [[nodiscard]] Listener* find_listener(const Address& to);
    void forget(Listener& listener) noexcept { std::erase(listeners_, &listener); }
    // False when a path of this name is on the disk. An abstract name is not, and each kind of
    // socket has its own.
    [[nodiscard]] bool take_path(const Address& at);
    // A path stays on the disk after its listener; an abstract name was never there.
    [[nodiscard]] bool is_missing_path(std::string_view path) const {
        return !path.starts_with('\0') && !bound_paths_.contains(path);
    }

    // 0 when all are taken.
    [[nodiscard]] std::uint16_t take_client_port();
    void give_back_port(std::uint16_t port) noexcept { client_ports_.erase(port); }

    // What a socket says of itself before it is connected.
    static Address unbound(Address::Family family) noexcept;
    // Sent to "any" means to this computer.
    static Address resolved(const Address& to) noexcept;
    // Its own address once it connects to `to`.
    static Address loopback(Address::Family family, const Address& to, std::uint16_t port) noexcept;
    // An IP address as sockets of this family write it.
    static Address as_seen_by(Address::Family family, const Address& address) noexcept;

private:
    [[nodiscard]] bool is_taken(const Address& at, bool may_share) const;
    // 0 when all are taken.
    [[nodiscard]] std::uint16_t find_free_port(const Address& at, bool may_share);

    [[nodiscard]] Result<DatagramSocket*> find_datagram(Fd fd);

    Medium& medium_;
    Datagrams datagrams_;
    std::vector<Listener*> listeners_;
    std::set<std::string, std::less<>> bound_paths_;
    std::set<std::uint16_t> client_ports_;
};

}  // namespace gyre::sim
