// SPDX-License-Identifier: Apache-2.0
#include "gyre/sim/internal/net/network.hpp"

#include <algorithm>
#include <memory>
#include <optional>

#include "gyre/sim/host_memory.hpp"
#include "gyre/sim/internal/limits.hpp"
#include "gyre/sim/internal/net/ip.hpp"
#include "gyre/sim/internal/net/listening_socket.hpp"
#include "gyre/sim/internal/net/stream_socket.hpp"

namespace gyre::sim {
namespace {

using Family = Address::Family;

}  // namespace

Result<Fd> Network::listen(const Address& at, ListenOptions options) {
    const OutsideHost outside;
    if (at.family() == Family::none) return error(std::errc::address_family_not_supported);
    if (!context_.descriptors.has_room()) return error(std::errc::too_many_files_open);
    Address place = at;
    if (at.family() == Family::unix_path) {
        if (is_taken(at, false) || !take_path(at)) return error(std::errc::address_in_use);
    } else {
        const Ipv6 ip = common_form(at);
        if (!is_any(ip) && !is_loopback(ip) && !is_own(ip)) {
            return error(std::errc::address_not_available);
        }
        const std::uint16_t port =
            at.port() != 0 ? at.port() : find_free_port(at, options.share_port);
        place = at.with_port(port);
        const bool joins_port = options.share_port && !options.opens_port;
        if (port == 0 || is_taken(place, joins_port)) {
            return error(std::errc::address_in_use);
        }
    }
    auto listener = std::make_unique<ListeningSocket>(*this, place, options);
    listeners_.push_back(listener.get());
    return context_.descriptors.add(std::move(listener));
}

Result<Fd> Network::stream(Address::Family family) {
    const OutsideHost outside;
    if (family == Family::none) return error(std::errc::address_family_not_supported);
    return context_.descriptors.add(std::make_unique<StreamSocket>(*this, family));
}

Result<std::array<Fd, 2>> Network::connection_pair() {
    const OutsideHost outside;
    if (!context_.descriptors.has_room(2)) return error(std::errc::too_many_files_open);
    auto first = std::make_unique<StreamSocket>(*this, Family::unix_path);
    auto second = std::make_unique<StreamSocket>(*this, Family::unix_path);
    StreamSocket::join(*first, *second);
    const Result<Fd> first_fd = context_.descriptors.add(std::move(first));
    const Result<Fd> second_fd = context_.descriptors.add(std::move(second));
    return std::array<Fd, 2>{*first_fd, *second_fd};
}

Result<Address> Network::local_address(Fd fd) {
    const Descriptor* descriptor = context_.descriptors.find(fd);
    if (descriptor == nullptr) return error(std::errc::bad_file_descriptor);
    return descriptor->local_address();
}

Result<Address> Network::peer_address(Fd fd) {
    const Descriptor* descriptor = context_.descriptors.find(fd);
    if (descriptor == nullptr) return error(std::errc::bad_file_descriptor);
    return descriptor->remote_address();
}

Result<void> Network::end_listening(Fd listener) {
    const OutsideHost outside;
    Descriptor* descriptor = context_.descriptors.find(listener);
    if (descriptor == nullptr) return error(std::errc::bad_file_descriptor);
    return descriptor->end_listening();
}

Result<void> Network::end_sending(Fd fd) {
    const OutsideHost outside;
    Descriptor* descriptor = context_.descriptors.find(fd);
    if (descriptor == nullptr) return error(std::errc::bad_file_descriptor);
    return descriptor->end_sending();
}

Result<void> Network::set_stream_option(Fd fd, StreamOption option, int value) {
    const OutsideHost outside;
    if (!is_valid(option, value)) return error(std::errc::invalid_argument);
    Descriptor* descriptor = context_.descriptors.find(fd);
    if (descriptor == nullptr) return error(std::errc::bad_file_descriptor);
    return descriptor->set_stream_option(option, value);
}

Result<int> Network::stream_option(Fd fd, StreamOption option) {
    const Descriptor* descriptor = context_.descriptors.find(fd);
    if (descriptor == nullptr) return error(std::errc::bad_file_descriptor);
    return descriptor->stream_option(option);
}

void Network::close_now(Fd fd) noexcept {
    const OutsideHost outside;
    context_.descriptors.close(fd);
}

std::int32_t Network::check_target(Address::Family family, const Address& to) {
    if (to.family() == Family::none) return failure(std::errc::address_family_not_supported);
    if (to.family() != family) {
        // Linux checks the length first: an IPv4 address is too short for an IPv6 socket.
        const bool is_other_ip = family == Family::ipv4;
        return failure(is_other_ip ? std::errc::address_family_not_supported
                                   : std::errc::invalid_argument);
    }
    if (family == Family::unix_path) return 0;
    const Ipv6 ip = common_form(to);
    const bool is_reached = is_any(ip) || is_loopback(ip) || can_reach(ip);
    return is_reached ? 0 : failure(std::errc::network_unreachable);
}

ListeningSocket* Network::find_listener(const Address& to) {
    std::vector<ListeningSocket*> found;
    for (ListeningSocket* listener : listeners_) {
        const Address& at = listener->address();
        if (to.family() == Family::unix_path || at.family() == Family::unix_path) {
            if (at == to) found.push_back(listener);
            continue;
        }
        const bool is_there = covers(common_form(at), common_form(to));
        if (at.port() == to.port() && is_there) found.push_back(listener);
    }
    return found.empty() ? nullptr : found[context_.random.below(found.size())];
}

bool Network::take_path(const Address& at) {
    return at.path().starts_with('\0') || bound_paths_.emplace(at.path()).second;
}

bool Network::is_taken(const Address& at, bool may_share) const {
    if (at.family() == Family::unix_path && bound_paths_.contains(at.path())) return true;
    return std::any_of(listeners_.begin(), listeners_.end(), [&](const ListeningSocket* other) {
        const Address& there = other->address();
        if (at.family() == Family::unix_path || there.family() == Family::unix_path) {
            return there == at;
        }
        const bool overlaps =
            there.port() == at.port() && (covers(common_form(there), common_form(at)) ||
                                          covers(common_form(at), common_form(there)));
        return overlaps && !(may_share && other->options().share_port);
    });
}

std::uint16_t Network::find_free_port(const Address& at, bool may_share) {
    return find_ephemeral_port(context_.random, [&](std::uint16_t port) {
        return !client_ports_.contains(port) && !is_taken(at.with_port(port), may_share);
    });
}

std::uint16_t Network::take_client_port() {
    const std::uint16_t port = find_free_port(Address::ipv6(ipv6_any, 0), false);
    if (port != 0) client_ports_.insert(port);
    return port;
}

Address Network::unbound(Address::Family family) noexcept {
    switch (family) {
        case Family::ipv4:
            return Address::ipv4(ipv4_any, 0);
        case Family::ipv6:
            return Address::ipv6(ipv6_any, 0);
        default:
            return Address::unix_path({}).value_or(Address());
    }
}

Address Network::loopback(Address::Family family, const Address& to, std::uint16_t port) noexcept {
    if (family == Family::ipv4) return Address::ipv4(ipv4_loopback, port);
    const bool is_v4_inside = is_mapped(common_form(to));
    return Address::ipv6(is_v4_inside ? mapped(ipv4_loopback) : ipv6_loopback, port);
}

Address Network::source(Address::Family family, const Address& to,
                        std::uint16_t port) const noexcept {
    const Ipv6 ip = common_form(to);
    if (wire_ == nullptr || is_any(ip) || is_loopback(ip)) return loopback(family, to, port);
    return in_family(family, Address::ipv6(ip_, port));
}

Address Network::resolved(const Address& to) noexcept {
    if (to.family() == Family::unix_path || !is_any(common_form(to))) return to;
    return loopback(to.family(), to, to.port());
}

Address Network::in_family(Family family, const Address& address) noexcept {
    const Ipv6 ip = common_form(address);
    if (family == Family::ipv6) return Address::ipv6(ip, address.port());
    return Address::ipv4({ip[12], ip[13], ip[14], ip[15]}, address.port());
}

}  // namespace gyre::sim
