// SPDX-License-Identifier: Apache-2.0
// connect, connect_any: connect to a host by name, or to the first of several addresses that
// accepts ("happy eyeballs", RFC 8305).
//
//     net::Resolver resolver;
//     net::Stream stream = co_await timeout(net::connect(resolver, "example.org", 80), 10s);
//
// Thread: the loop's thread.
// Lifetime: the resolver outlives the future.
// Cancel: did nothing; no connection is left behind.
//
// Addresses are tried in their order; the next attempt starts when the previous one fails or after
// attempt_delay. The first connection wins, the others are cancelled. IPv6 and IPv4 addresses are
// queried concurrently and tried as they arrive; IPv4 addresses that arrive first wait for
// resolution_delay. If every attempt fails, std::system_error has the code of the last and lists
// them all; if the name has no address, NameError is thrown.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "gyre/net/resolver.hpp"
#include "gyre/net/stream.hpp"

namespace gyre::net {

struct ConnectOptions {
    // How long an attempt may be pending before the next address is tried in parallel.
    Duration attempt_delay = std::chrono::milliseconds(250);
    // How long IPv4 addresses that arrived first wait for the IPv6 addresses.
    Duration resolution_delay = std::chrono::milliseconds(50);
};

[[nodiscard]] Future<Stream> connect_any(std::vector<Address> addresses,
                                         ConnectOptions options = {});
[[nodiscard]] Future<Stream> connect(Resolver& resolver, std::string host, std::uint16_t port,
                                     ConnectOptions options = {});

}  // namespace gyre::net
