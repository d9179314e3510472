// SPDX-License-Identifier: Apache-2.0
// Ephemeral ports, and classes and comparison of IP addresses, for simulated sockets. Pure
// functions; any thread.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "gyre/base/random.hpp"
#include "gyre/io/address.hpp"

namespace gyre::sim {

using Ipv4 = std::array<std::uint8_t, 4>;
using Ipv6 = std::array<std::uint8_t, 16>;

inline constexpr Ipv6 ipv6_any = {};
inline constexpr Ipv6 ipv6_loopback = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
inline constexpr Ipv4 ipv4_any = {};
inline constexpr Ipv4 ipv4_loopback = {127, 0, 0, 1};
inline constexpr Ipv4 ipv4_broadcast = {255, 255, 255, 255};

// The ephemeral ports of Linux.
inline constexpr std::uint16_t ephemeral_first = 32768;
inline constexpr std::uint16_t ephemeral_count = 60999 - ephemeral_first + 1;

// The first free port from a random one on; 0 when none is free.
template <class IsFree>
std::uint16_t find_ephemeral_port(Random& random, IsFree is_free) {
    const std::uint64_t start = random.below(ephemeral_count);
    for (std::uint64_t i = 0; i < ephemeral_count; ++i) {
        const auto port =
            static_cast<std::uint16_t>(ephemeral_first + (start + i) % ephemeral_count);
        if (is_free(port)) return port;
    }
    return 0;
}

inline Ipv6 mapped(const Ipv4& ip) noexcept {
    return {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, ip[0], ip[1], ip[2], ip[3]};
}

// Every address as IPv6, IPv4 as IPv4-mapped, so that the two can be compared.
inline Ipv6 common_form(const Address& address) noexcept {
    const auto& ip = address.ip();
    if (address.family() == Address::Family::ipv6) return ip;
    return mapped({ip[0], ip[1], ip[2], ip[3]});
}

inline bool is_mapped(const Ipv6& ip) noexcept {
    return std::all_of(ip.begin(), ip.begin() + 10, [](std::uint8_t byte) { return byte == 0; }) &&
           ip[10] == 0xff && ip[11] == 0xff;
}

inline bool is_any(const Ipv6& ip) noexcept {
    return ip == ipv6_any || ip == mapped(ipv4_any);
}

inline bool is_loopback(const Ipv6& ip) noexcept {
    return ip == ipv6_loopback || (is_mapped(ip) && ip[12] == 127);
}

// The networks reserved for documentation: in the simulation nothing answers there.
inline bool is_silent(const Ipv6& ip) noexcept {
    if (ip[0] == 0x20 && ip[1] == 0x01 && ip[2] == 0x0d && ip[3] == 0xb8) return true;
    const auto is_of = [&ip](Ipv4 net) {
        return is_mapped(ip) && ip[12] == net[0] && ip[13] == net[1] && ip[14] == net[2];
    };
    return is_of({192, 0, 2, 0}) || is_of({198, 51, 100, 0}) || is_of({203, 0, 113, 0});
}

inline bool is_multicast(const Ipv6& ip) noexcept {
    return ip[0] == 0xff || (is_mapped(ip) && ip[12] >= 224 && ip[12] < 240);
}

inline bool is_broadcast(const Ipv6& ip) noexcept {
    return ip == mapped(ipv4_broadcast);
}

// Whether a socket bound to `at` receives packets to `to`. IPv6 "any" includes IPv4.
inline bool covers(const Ipv6& at, const Ipv6& to) noexcept {
    return at == to || at == ipv6_any || (at == mapped(ipv4_any) && is_mapped(to));
}

// The same address and port, in either family.
inline bool is_same_endpoint(const Address& a, const Address& b) noexcept {
    return a.port() == b.port() && common_form(a) == common_form(b);
}

}  // namespace gyre::sim
