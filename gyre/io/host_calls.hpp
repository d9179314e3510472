// SPDX-License-Identifier: Apache-2.0
// HostCalls: calls of the operating system that are neither ops nor files: names of hosts, random
// bytes, several datagrams by one call, and the errors that the network reports for datagrams.
//
//     HostCalls* calls = loop.platform().environment()->host_calls();
//     Result<std::vector<Address>> found = calls->addresses_of({.host = "localhost"});
//
// Thread: any for names and random bytes, which may block: call them on a thread of the Offload. The
// calls for datagrams do not block and are for the loop's thread.
// Lifetime: part of a Platform.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gyre/base/bytes.hpp"
#include "gyre/base/result.hpp"
#include "gyre/io/address.hpp"
#include "gyre/io/sockets.hpp"

namespace gyre {

// A host, a service ("http", "80"), or both.
struct AddressQuery {
    std::string host = {};                           // empty: this host
    std::string service = {};                        // empty: port 0
    Address::Family family = Address::Family::none;  // of the answers; none: any
    bool is_numeric = false;                         // no name is looked up
    bool is_for_listening = false;  // without a host: any address instead of the loopback one
};

struct NameQuery {
    Address address;
    bool is_numeric = false;
};

// A host and a service, as names or as numbers.
struct HostName {
    std::string host;
    std::string service;
};

// Room for one datagram, and what arrived in it.
struct DatagramSlot {
    Bytes room;
    std::size_t size = 0;
    Address from = {};  // of no family when the sender has no address
    bool is_truncated = false;
};

// An error that the network reported for a datagram sent before.
struct DatagramError {
    Error error{std::errc{}};
    Address reported_by = {};  // the host that reported it; of no family when it is this one
    Address to = {};           // where the datagram was sent
};

class HostCalls {
public:
    // Longer names of hosts and services are the error `filename_too_long`.
    static constexpr std::size_t name_size_max = 255;
    static constexpr std::size_t datagrams_at_once_max = 32;

    // Whether it knows the names of other hosts without a name server: in a simulated world.
    [[nodiscard]] virtual bool knows_hosts() const noexcept { return false; }
    // At least one address. The errors `host_unreachable` when the name or service is unknown or has
    // no address, `resource_unavailable_try_again` when the name service did not answer,
    // `invalid_argument` for a query without a host and a service.
    [[nodiscard]] virtual Result<std::vector<Address>> addresses_of(const AddressQuery& query) = 0;
    // An address without a name is returned as numbers. Only IP addresses have names.
    [[nodiscard]] virtual Result<HostName> name_of(const NameQuery& query) = 0;

    // Fills the whole buffer. In a simulation the seed decides the bytes.
    [[nodiscard]] virtual Result<void> fill_random(Bytes into) = 0;

    // Receives as many datagrams as there are, at most one in each slot and datagrams_at_once_max of
    // them: their number, or the error `resource_unavailable_try_again` when there is none.
    [[nodiscard]] virtual Result<std::size_t> receive_datagrams(Fd fd,
                                                                std::span<DatagramSlot> into) = 0;
    // Whether errors of datagrams are queued for take_datagram_error, also on a socket that is not
    // connected. The error `operation_not_supported` in a simulation, whose networks report none.
    [[nodiscard]] virtual Result<void> queue_datagram_errors(Fd fd, bool value) = 0;
    // The oldest, or the error `resource_unavailable_try_again` when there is none.
    [[nodiscard]] virtual Result<DatagramError> take_datagram_error(Fd fd) = 0;

protected:
    ~HostCalls() = default;
};

}  // namespace gyre
