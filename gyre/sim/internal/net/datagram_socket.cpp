// SPDX-License-Identifier: Apache-2.0
// Binding, connecting and options of DatagramSocket.
#include "gyre/sim/internal/net/datagram_socket.hpp"

namespace gyre::sim {
namespace {

using Family = Address::Family;

// The one interface of the simulated computer.
constexpr InterfaceIndex loopback_interface = 1;

InterfaceIndex chosen(InterfaceIndex index) noexcept {
    return index == 0 ? loopback_interface : index;
}

}  // namespace

DatagramSocket::DatagramSocket(Network& network, Family family)
    : network_(network),
      family_(family),
      bound_(Network::unbound(family)),
      local_(bound_),
      number_(network.datagrams().next_number()) {}

DatagramSocket::~DatagramSocket() {
    network_.datagrams().remove(*this);
}

Events DatagramSocket::events() const noexcept {
    const DatagramSocket* peer = unix_peer();
    Events events = peer != nullptr && peer->is_full() ? Events::none : Events::writable;
    if (!arrived_.empty()) events = events | Events::readable;
    if (error_ != 0) events = events | Events::error;
    return events;
}

void DatagramSocket::on_close() {
    network_.datagrams().remove(*this);
    is_bound_ = false;
    release_waiters();
}

MaybeResult DatagramSocket::accept(Address& /*peer*/) {
    return failure(std::errc::operation_not_supported);
}

// ---- Binding ----

std::int32_t DatagramSocket::bind(const Address& at, BindOptions options) {
    if (options.only_ipv6 && family_ != Family::ipv6) return failure(std::errc::invalid_argument);
    if (at.family() != family_) {
        // Linux checks the length first: an IPv4 address is too short for an IPv6 socket.
        return failure(family_ == Family::ipv4 ? std::errc::address_family_not_supported
                                               : std::errc::invalid_argument);
    }
    if (is_bound_) return failure(std::errc::invalid_argument);
    options_ = options;
    if (!is_unix()) return bind_ip(at);
    const bool is_taken = network_.datagrams().find_unix(at) != nullptr;
    if (is_taken || !network_.take_path(at)) return failure(std::errc::address_in_use);
    bound_ = at;
    local_ = at;
    is_bound_ = true;
    network_.datagrams().add(*this);
    return 0;
}

std::int32_t DatagramSocket::bind_ip(Address at) {
    const Ipv6 ip = common_form(at);
    const bool is_here = is_any(ip) || is_loopback(ip) || network_.is_own(ip);
    if (!is_here && !is_multicast(ip) && !is_broadcast(ip)) {
        return failure(std::errc::address_not_available);
    }
    Datagrams& datagrams = network_.datagrams();
    const std::uint16_t port = at.port() != 0 ? at.port() : datagrams.find_free_port(at, *this);
    if (port == 0 || datagrams.is_taken(at.with_port(port), *this)) {
        return failure(std::errc::address_in_use);
    }
    bound_ = at.with_port(port);
    local_ = bound_;
    is_bound_ = true;
    has_ephemeral_port_ = at.port() == 0;
    datagrams.add(*this);
    return 0;
}

// A send or a connect binds an unbound socket to an ephemeral port.
std::int32_t DatagramSocket::ensure_bound() {
    if (is_bound_) return 0;
    const std::int32_t status = bind_ip(bound_);
    return status < 0 ? failure(std::errc::resource_unavailable_try_again) : 0;
}

// ---- Connecting ----

MaybeResult DatagramSocket::connect(const Address& to) {
    if (to.family() == Family::none) return failure(std::errc::address_family_not_supported);
    if (is_unix()) return connect_unix(to);
    if (const std::int32_t why = ensure_bound(); why < 0) return why;
    if (const std::int32_t why = check_target(to); why < 0) return why;
    remote_ = Network::in_family(family_, Network::resolved(to));
    is_connected_ = true;
    if (is_any(common_form(bound_))) local_ = network_.source(family_, to, bound_.port());
    return 0;
}

std::int32_t DatagramSocket::connect_unix(const Address& to) {
    DatagramSocket* peer = nullptr;
    if (const std::int32_t why = find_unix_receiver(to, peer); why < 0) return why;
    remote_ = to;
    peer_number_ = peer->number_;
    is_connected_ = true;
    return 0;
}

std::int32_t DatagramSocket::disconnect() {
    is_connected_ = false;
    remote_ = Address();
    peer_number_ = 0;
    if (is_unix()) return 0;
    if (has_ephemeral_port_) {  // As on Linux: the next send gets a new port.
        network_.datagrams().remove(*this);
        is_bound_ = false;
        has_ephemeral_port_ = false;
        bound_ = bound_.with_port(0);
    }
    local_ = bound_;
    return 0;
}

Result<Address> DatagramSocket::remote_address() const {
    if (!is_connected_) return std::unexpected(Error(std::errc::not_connected));
    return remote_;
}

Result<void> DatagramSocket::end_sending() {
    if (!is_unix() && !is_connected_) return std::unexpected(Error(std::errc::not_connected));
    sending_has_ended_ = true;
    return {};
}

// ---- Options ----

std::int32_t DatagramSocket::set_option(DatagramOption option, int value) {
    if (!is_valid(option, value)) return failure(std::errc::invalid_argument);
    if (option == DatagramOption::broadcast) {
        may_broadcast_ = value == 1;
        return 0;
    }
    if (is_unix()) return failure(std::errc::operation_not_supported);
    const auto index = static_cast<InterfaceIndex>(value);
    if (option == DatagramOption::multicast_interface && chosen(index) != loopback_interface) {
        return failure(family_ == Family::ipv4 ? std::errc::address_not_available
                                               : std::errc::no_such_device);
    }
    // The other options have no effect on the loopback interface.
    return 0;
}

std::int32_t DatagramSocket::check_group(const Membership& membership) const noexcept {
    const Family family = membership.group.family();
    const Family source = membership.source.family();
    if (family != Family::ipv4 && family != Family::ipv6) {
        return failure(std::errc::invalid_argument);
    }
    if (source != Family::none && source != family) return failure(std::errc::invalid_argument);
    if (is_unix()) return failure(std::errc::operation_not_supported);
    if (family == Family::ipv6 && family_ == Family::ipv4) {
        return failure(std::errc::no_protocol_option);
    }
    return 0;
}

std::int32_t DatagramSocket::join(const Membership& membership) {
    if (const std::int32_t why = check_group(membership); why < 0) return why;
    if (!is_multicast(common_form(membership.group))) return failure(std::errc::invalid_argument);
    if (chosen(membership.interface) != loopback_interface) {
        return failure(std::errc::no_such_device);
    }
    const Group group(common_form(membership.group), loopback_interface);
    const auto [entry, is_new] = groups_.try_emplace(group);
    if (membership.source.family() == Family::none) {
        return is_new ? 0 : failure(std::errc::address_in_use);
    }
    const bool is_new_source = entry->second.insert(common_form(membership.source)).second;
    return is_new_source ? 0 : failure(std::errc::address_not_available);
}

std::int32_t DatagramSocket::leave(const Membership& membership) {
    if (const std::int32_t why = check_group(membership); why < 0) return why;
    const bool names_source = membership.source.family() != Family::none;
    const auto entry =
        groups_.find(Group(common_form(membership.group), chosen(membership.interface)));
    if (entry == groups_.end()) {
        return failure(names_source ? std::errc::invalid_argument
                                    : std::errc::address_not_available);
    }
    if (names_source) {
        Sources& sources = entry->second;
        if (sources.erase(common_form(membership.source)) == 0) {
            return failure(std::errc::address_not_available);
        }
        if (!sources.empty()) return 0;
    }
    groups_.erase(entry);
    return 0;
}

}  // namespace gyre::sim
