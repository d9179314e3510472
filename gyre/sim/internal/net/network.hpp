// SPDX-License-Identifier: Apache-2.0
// Network: the sockets of a simulated computer: listening sockets by address, connections over the
// loopback interface and to other hosts of its world, and socket pairs. Results and error numbers are
// those of Linux. A connect to an address reserved for documentation (192.0.2.1, 2001:db8::1) gets no
// answer and times out. One thread; part of a SimHost.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "gyre/io/sockets.hpp"
#include "gyre/sim/internal/net/datagrams.hpp"
#include "gyre/sim/internal/net/wire.hpp"
#include "gyre/sim/internal/sim_context.hpp"

namespace gyre::sim {

class ListeningSocket;
class StreamSocket;

class Network : public Sockets {
public:
    explicit Network(SimContext& context) : context_(context), datagrams_(*this, context) {}

    [[nodiscard]] Result<Fd> listen(const Address& at, ListenOptions options) override;
    [[nodiscard]] Result<void> end_listening(Fd listener) override;
    [[nodiscard]] Result<Fd> stream(Address::Family family) override;
    [[nodiscard]] Result<std::array<Fd, 2>> connection_pair() override;
    [[nodiscard]] Result<Address> local_address(Fd fd) override;
    [[nodiscard]] Result<Address> peer_address(Fd fd) override;
    [[nodiscard]] Result<void> end_sending(Fd fd) override;
    [[nodiscard]] Result<void> set_stream_option(Fd fd, StreamOption option, int value) override;
    [[nodiscard]] Result<int> stream_option(Fd fd, StreamOption option) override;
    void close_now(Fd fd) noexcept override;
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

    // ---- Of a host ----

    // The host's own address, besides the loopback interface.
    void join_wire(Wire& wire, const Ipv6& ip);
    [[nodiscard]] const Ipv6& ip() const noexcept { return ip_; }
    [[nodiscard]] bool is_up() const noexcept { return is_up_; }
    void set_up(bool is_up);
    // The machine has stopped: no socket says goodbye. Its connections are remembered until their
    // peers know: bytes that arrive when the machine has started again are answered with a reset.
    void lose_sockets();
    void forget_lost_sockets() noexcept { ghosts_.clear(); }
    // Resets every connection with the other host, at both ends.
    void reset_connections(Network& other);

    // A stream socket listens, or a datagram socket has a port that it has chosen.
    [[nodiscard]] bool serves() const noexcept {
        return !listeners_.empty() || datagrams_.has_chosen_port();
    }

    // The address is of this computer, though not on the loopback interface.
    [[nodiscard]] bool is_own(const Ipv6& ip) const noexcept {
        return wire_ != nullptr && ip == ip_;
    }
    // The computer that has the address; this one for its own addresses. Null: none.
    [[nodiscard]] Network* route(const Ipv6& to) noexcept;
    [[nodiscard]] bool can_reach(const Ipv6& to) noexcept { return route(to) != nullptr; }
    // The link from this host; null inside one computer.
    [[nodiscard]] Link* link_to(Network& other) noexcept {
        return &other == this || wire_ == nullptr ? nullptr : &wire_->link(*this, other);
    }
    // To a socket of this computer or of another host.
    void send_datagram(Datagram datagram, Instant& not_before);
    void refuse_datagram(const Datagram& datagram);
    void add_connection(StreamSocket& socket) { connections_.push_back(&socket); }
    void remove_connection(StreamSocket& socket) noexcept { std::erase(connections_, &socket); }

    // ---- Addresses ----

    // 0, or the error if a socket of this family cannot reach the address at all.
    [[nodiscard]] std::int32_t check_target(Address::Family family, const Address& to);
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
    // The local address of a socket that sends to `to`.
    [[nodiscard]] Address source(Address::Family family, const Address& to,
                                 std::uint16_t port) const noexcept;
    // The address as one of this family: IPv4, or IPv4-mapped IPv6.
    static Address in_family(Address::Family family, const Address& address) noexcept;

private:
    [[nodiscard]] bool is_taken(const Address& at, bool may_share) const;
    // 0 if all ports are in use.
    [[nodiscard]] std::uint16_t find_free_port(const Address& at, bool may_share);

    [[nodiscard]] Result<DatagramSocket*> find_datagram(Fd fd);
    static Address loopback(Address::Family family, const Address& to, std::uint16_t port) noexcept;

    SimContext& context_;
    Wire* wire_ = nullptr;  // null: only the loopback interface
    Ipv6 ip_{};
    bool is_up_ = true;
    std::vector<StreamSocket*> connections_;           // with other hosts
    std::vector<std::shared_ptr<Descriptor>> ghosts_;  // of the machine before it crashed
    Datagrams datagrams_;
    std::vector<ListeningSocket*> listeners_;
    std::set<std::string, std::less<>> bound_paths_;
    std::set<std::uint16_t> client_ports_;
};

}  // namespace gyre::sim
