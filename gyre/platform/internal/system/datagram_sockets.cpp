// SPDX-License-Identifier: Apache-2.0
// The datagram sockets of SystemSockets.
#include <net/if.h>
#include <netinet/in.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "gyre/platform/internal/system/message.hpp"
#include "gyre/platform/internal/system/socket_calls.hpp"
#include "gyre/platform/internal/system/system_call.hpp"

namespace gyre::platform {
namespace {

std::unexpected<Error> error(std::errc code) noexcept {
    return std::unexpected(Error(code));
}

template <class Value>
Result<void> set(Fd fd, int level, int name, const Value& value) noexcept {
    if (::setsockopt(fd, level, name, &value, sizeof value) < 0) return last_error();
    return {};
}

Result<bool> is_ipv6(Fd fd) noexcept {
    int domain = 0;
    socklen_t size = sizeof domain;
    if (::getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) < 0) return last_error();
    return domain == AF_INET6;
}

// Copies an address into the structs of the calls that change a membership.
Result<void> put(sockaddr_storage& into, const Address& address) noexcept {
    const Result<SystemAddress> form = SystemAddress::of(address);
    if (!form) return std::unexpected(form.error());
    std::memcpy(&into, form->data(), form->size());
    return {};
}

struct MembershipCalls {
    int all;     // for everything sent to the group
    int source;  // for one source only
};

Result<void> change(Fd fd, const Membership& membership, MembershipCalls calls) noexcept {
    const Address::Family family = membership.group.family();
    if (family != Address::Family::ipv4 && family != Address::Family::ipv6) {
        return error(std::errc::invalid_argument);
    }
    const int level = family == Address::Family::ipv6 ? IPPROTO_IPV6 : IPPROTO_IP;
    if (membership.source.family() == Address::Family::none) {
        group_req request{};
        request.gr_interface = membership.interface;
        if (const auto made = put(request.gr_group, membership.group); !made) return made;
        return set(fd, level, calls.all, request);
    }
    if (membership.source.family() != family) return error(std::errc::invalid_argument);
    group_source_req request{};
    request.gsr_interface = membership.interface;
    if (const auto made = put(request.gsr_group, membership.group); !made) return made;
    if (const auto made = put(request.gsr_source, membership.source); !made) return made;
    return set(fd, level, calls.source, request);
}

}  // namespace

Result<Fd> SystemSockets::datagram(Address::Family family) {
    const Result<Fd> fd = make_socket(family, SOCK_DGRAM);
    if (!fd) return fd;
    // Receive only groups that this socket has joined. Older systems lack the option for IPv6:
    // there the socket receives every group that any socket of the host has joined.
    if (family == Address::Family::ipv4) (void)set(*fd, IPPROTO_IP, IP_MULTICAST_ALL, 0);
    if (family == Address::Family::ipv6) (void)set(*fd, IPPROTO_IPV6, IPV6_MULTICAST_ALL, 0);
    return fd;
}

Result<void> SystemSockets::bind(Fd fd, const Address& at, BindOptions options) {
    const Result<SystemAddress> where = SystemAddress::of(at);
    if (!where) return std::unexpected(where.error());
    const Result<bool> has_ipv6 = is_ipv6(fd);
    if (!has_ipv6) return std::unexpected(has_ipv6.error());
    if (options.only_ipv6 && !*has_ipv6) return error(std::errc::invalid_argument);
    if (*has_ipv6) {
        const auto done = set(fd, IPPROTO_IPV6, IPV6_V6ONLY, options.only_ipv6 ? 1 : 0);
        if (!done) return done;
    }
    if (options.share_address) {
        if (const auto done = set(fd, SOL_SOCKET, SO_REUSEADDR, 1); !done) return done;
    }
    if (options.share_port) {
        if (const auto done = set(fd, SOL_SOCKET, SO_REUSEPORT, 1); !done) return done;
    }
    if (::bind(fd, where->data(), where->size()) < 0) return last_error();
    return {};
}

Result<void> SystemSockets::connect_datagram(Fd fd, const Address& to) {
    sockaddr nobody{};
    nobody.sa_family = AF_UNSPEC;
    const bool disconnects = to.family() == Address::Family::none;
    const Result<SystemAddress> where = SystemAddress::of(to);
    const int status = disconnects ? ::connect(fd, &nobody, sizeof nobody)
                                   : ::connect(fd, where->data(), where->size());
    if (status < 0) return last_error();
    return {};
}

Result<void> SystemSockets::set_option(Fd fd, DatagramOption option, int value) {
    if (!is_valid(option, value)) return error(std::errc::invalid_argument);
    const Result<bool> has_ipv6 = is_ipv6(fd);
    if (!has_ipv6) return std::unexpected(has_ipv6.error());
    const int level = *has_ipv6 ? IPPROTO_IPV6 : IPPROTO_IP;
    switch (option) {
        case DatagramOption::broadcast:
            return set(fd, SOL_SOCKET, SO_BROADCAST, value);
        case DatagramOption::ttl:
            return set(fd, level, *has_ipv6 ? IPV6_UNICAST_HOPS : IP_TTL, value);
        case DatagramOption::multicast_ttl:
            return set(fd, level, *has_ipv6 ? IPV6_MULTICAST_HOPS : IP_MULTICAST_TTL, value);
        case DatagramOption::multicast_loopback:
            return set(fd, level, *has_ipv6 ? IPV6_MULTICAST_LOOP : IP_MULTICAST_LOOP, value);
        case DatagramOption::multicast_interface: {
            if (*has_ipv6) return set(fd, level, IPV6_MULTICAST_IF, value);
            ip_mreqn request{};
            request.imr_ifindex = value;
            return set(fd, level, IP_MULTICAST_IF, request);
        }
    }
    return error(std::errc::invalid_argument);
}

Result<void> SystemSockets::join(Fd fd, const Membership& membership) {
    return change(fd, membership, {.all = MCAST_JOIN_GROUP, .source = MCAST_JOIN_SOURCE_GROUP});
}

Result<void> SystemSockets::leave(Fd fd, const Membership& membership) {
    return change(fd, membership, {.all = MCAST_LEAVE_GROUP, .source = MCAST_LEAVE_SOURCE_GROUP});
}

Result<InterfaceIndex> SystemSockets::interface_named(std::string_view name) {
    const unsigned index = ::if_nametoindex(std::string(name).c_str());
    if (index == 0) return error(std::errc::no_such_device);
    return index;
}

Result<std::size_t> SystemSockets::try_send_to(Fd fd, ConstBytes data, const Address& to) {
    Message message;
    if (const std::int32_t status = message.prepare(data, to); status < 0) {
        return std::unexpected(Error::of_result(status));
    }
    const ssize_t count = without_interruption(
        [&] { return ::sendmsg(fd, message.header(), MSG_DONTWAIT | MSG_NOSIGNAL); });
    if (count < 0) return last_error();
    return static_cast<std::size_t>(count);
}

}  // namespace gyre::platform
