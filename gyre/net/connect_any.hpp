// SPDX-License-Identifier: Apache-2.0
// Connecting to a host that has several addresses, some of which may be dead (RFC 8305, "happy
// eyeballs"): they are tried in their order, the next as soon as one fails or has been silent for a
// moment, and the first that answers is taken; the others are given up. Only on the loop's thread.
//
//     net::Stream stream = co_await timeout(net::connect(resolver, "example.org", 80), 10s);
//
// A name's addresses of IPv6 and of IPv4 are asked for side by side, and tried as they come: those
// of IPv4 wait a moment for the others, which are preferred. Where no address answers,
// std::system_error has the code of the last and names them all; where the name has none, it is a
// NameError. Cancel class: did nothing, no connection is left behind.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "gyre/net/resolver.hpp"
#include "gyre/net/stream.hpp"

namespace gyre::net {

struct ConnectOptions {
    // How long an address may be silent before the next is tried too.
    Duration attempt_delay = std::chrono::milliseconds(250);
    // How long addresses of IPv4 that came first wait for those of IPv6.
    Duration resolution_delay = std::chrono::milliseconds(50);
};

[[nodiscard]] Future<Stream> connect_any(std::vector<Address> addresses,
                                         ConnectOptions options = {});
[[nodiscard]] Future<Stream> connect(Resolver& resolver, std::string host, std::uint16_t port,
                                     ConnectOptions options = {});

}  // namespace gyre::net
