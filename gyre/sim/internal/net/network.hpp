// SPDX-License-Identifier: Apache-2.0
// Network: the sockets of a simulated process: listening sockets by address, connections over the
// loopback interface, and socket pairs. Results and error numbers are those of Linux. A connect to
// an address reserved for documentation (192.0.2.1, 2001:db8::1) gets no answer and times out. One
// thread; part of a SimHost.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "gyre/io/sockets.hpp"
#include "gyre/sim/internal/net/datagrams.hpp"
#include "gyre/sim/internal/sim_context.hpp"

namespace gyre::sim {

class ListeningSocket;

class Network : public Sockets {
public:
    explicit Network(SimContext& context) : context_(context), datagrams_(context) {}

    [[nodiscard]] Result<Fd> listen(const Address& at, ListenOptions options) override;
    [[nodiscard]] Result<void> end_listening(Fd listener) override;
    [[nodiscard]] Result<Fd> stream(Address::Family family) override;
    [[nodiscard]] Result<std::array<Fd, 2>> connection_pair() override;
    [[nodiscard]] Result<Address> local_address(Fd fd) override;
    [[nodiscard]] Result<Address> peer_address(Fd fd) override;
    [[nodiscard]] Result<void> end_sending(Fd fd) override;
    [[nodiscard]] Result<void> set_stream_option(Fd fd, StreamOption option, int value) override;
    [[nodiscard]] Result<int> stream_option(Fd fd, StreamOption option) override;
    void close_now(Fd fd) noexcept override { context_.descriptors.close(fd); }
    [[nodiscard]] Result<ReceivedNow> try_receive(Fd fd, Bytes into, std::span<Fd> room) override;
    [[nodiscard]] Result<std::size_t> try_send(Fd fd, std::span<const ConstBytes> pieces,
                                               std::span<const Fd> passed) override;

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

    // The rest is for the sockets.
    [[nodiscard]] SimContext& context() noexcept { return context_; }
    [[nodiscard]] Datagrams& datagrams() noexcept { return datagrams_; }

    // 0, or the error if a socket of this family cannot reach the address at all.
    [[nodiscard]] std::int32_t check_target(Address::Family family, const Address& to) const;
    // The listening socket at the address; if several share it, the seed chooses. Null: none.
    [[nodiscard]] ListeningSocket* find_listener(const Address& to);
    void forget(ListeningSocket& listener) noexcept { std::erase(listeners_, &listener); }
    // False if the path exists on the disk already. Abstract names are not on the disk, and streams
    // and datagrams have separate name spaces.
    [[nodiscard]] bool take_path(const Address& at);
    // A path stays on the disk after its socket is closed.
    [[nodiscard]] bool is_missing_path(std::string_view path) const {
        return !path.starts_with('\0') && !bound_paths_.contains(path);
    }

    // An ephemeral port; 0 if all are in use.
    [[nodiscard]] std::uint16_t take_client_port();
    void give_back_port(std::uint16_t port) noexcept { client_ports_.erase(port); }

    // The local address of a socket that is not bound.
    static Address unbound(Address::Family family) noexcept;
    // The destination "any" means the loopback address.
    static Address resolved(const Address& to) noexcept;
    // The local address of a socket that connects to `to`.
    static Address loopback(Address::Family family, const Address& to, std::uint16_t port) noexcept;
    // The address as one of this family: IPv4, or IPv4-mapped IPv6.
    static Address in_family(Address::Family family, const Address& address) noexcept;

private:
    [[nodiscard]] bool is_taken(const Address& at, bool may_share) const;
    // 0 if all ports are in use.
    [[nodiscard]] std::uint16_t find_free_port(const Address& at, bool may_share);

    [[nodiscard]] Result<DatagramSocket*> find_datagram(Fd fd);

    SimContext& context_;
    Datagrams datagrams_;
    std::vector<ListeningSocket*> listeners_;
    std::set<std::string, std::less<>> bound_paths_;
    std::set<std::uint16_t> client_ports_;
};

}  // namespace gyre::sim
