// SPDX-License-Identifier: Apache-2.0
// Sockets: creates and describes the descriptors that I/O ops work on. No call blocks.
//
//     Result<Fd> listener = sockets.listen(Address::loopback(0), {});
//
// Thread: its loop's thread.
// Lifetime: part of a Platform. A descriptor belongs to the caller, who closes it with a CloseOp,
// or with close_now when no loop runs any more.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "gyre/base/bytes.hpp"
#include "gyre/base/result.hpp"
#include "gyre/io/address.hpp"

namespace gyre {

// A descriptor of this platform: the system's, or the simulation's.
using Fd = int;

struct ListenOptions {
    int backlog = 1024;
    bool share_port = false;  // several listeners on one port, one a loop
};

// How a datagram socket takes its address.
struct BindOptions {
    // Others that say so too may have the same one: each gets what is sent to a group, the last to
    // bind gets the rest.
    bool share_address = false;
    bool share_port = false;  // the same, but what is sent to one goes to any of them
    bool only_ipv6 = false;   // an IPv6 socket that takes no IPv4
};

// What a connection can be told, as numbers. The system may round sizes, and counts its own needs
// in.
enum class StreamOption : std::uint8_t {
    no_delay,               // 0 or 1: small sends do not wait for each other; TCP
    keep_alive,             // 0 or 1: whether a silent peer is asked for signs of life; TCP
    keep_alive_idle_s,      // after so many silent seconds
    keep_alive_interval_s,  // and again after so many
    keep_alive_count,       // and given up after so many without an answer
    linger_s,               // -1: a close returns at once, what was sent still goes out. 0: a close
                            // throws that away, and the peer sees a reset
    send_buffer_bytes,
    receive_buffer_bytes,
};
inline constexpr std::size_t stream_option_count = 8;
[[nodiscard]] constexpr bool is_valid(StreamOption option, int value) noexcept {
    switch (option) {
        case StreamOption::no_delay:
        case StreamOption::keep_alive:
            return value == 0 || value == 1;
        case StreamOption::linger_s:
            return value >= -1;
        default:
            return value >= 1;
    }
}

// A network interface of this computer; 0 lets the system choose.
using InterfaceIndex = std::uint32_t;

enum class DatagramOption : std::uint8_t {
    broadcast,            // 0 or 1: whether it may send to everybody
    ttl,                  // 1 to 255
    multicast_ttl,        // 0 to 255
    multicast_loopback,   // 0 or 1: whether this computer hears what it sends to a group
    multicast_interface,  // an InterfaceIndex: the way out to a group
};
[[nodiscard]] constexpr bool is_valid(DatagramOption option, int value) noexcept {
    switch (option) {
        case DatagramOption::broadcast:
        case DatagramOption::multicast_loopback:
            return value == 0 || value == 1;
        case DatagramOption::ttl:
            return value >= 1 && value <= 255;
        case DatagramOption::multicast_ttl:
            return value >= 0 && value <= 255;
        case DatagramOption::multicast_interface:
            return value >= 0;
    }
    return false;
}

// A group that a socket belongs to: it gets what is sent there, and nothing of groups that only
// other sockets have joined.
struct Membership {
    Address group;
    Address source = {};  // only what this one sends; of no family: whoever sends
    InterfaceIndex interface = 0;
};

class Sockets {
public:
    virtual ~Sockets() = default;

    [[nodiscard]] virtual Result<Fd> listen(const Address& at, ListenOptions options) = 0;
    // For a ConnectOp to an address of this family.
    [[nodiscard]] virtual Result<Fd> stream(Address::Family family) = 0;
    [[nodiscard]] virtual Result<std::array<Fd, 2>> stream_pair() = 0;
    [[nodiscard]] virtual Result<Address> local_address(Fd fd) = 0;
    // The error `not_connected` where there is no peer.
    [[nodiscard]] virtual Result<Address> peer_address(Fd fd) = 0;
    // Ends the sending side: the peer reads what was sent, then the end.
    [[nodiscard]] virtual Result<void> end_sending(Fd fd) = 0;
    // The error `operation_not_supported` for an option of TCP on a Unix socket.
    [[nodiscard]] virtual Result<void> set_stream_option(Fd fd, StreamOption option, int value) = 0;
    [[nodiscard]] virtual Result<int> stream_option(Fd fd, StreamOption option) = 0;
    virtual void close_now(Fd fd) noexcept = 0;

    // ---- Datagrams ----

    // For SendToOps and ReceiveFromOps. An IP socket that sends before it is bound gets a port by
    // itself; a Unix one stays without a name.
    [[nodiscard]] virtual Result<Fd> datagram(Address::Family family) = 0;
    [[nodiscard]] virtual Result<void> bind(Fd fd, const Address& at, BindOptions options) = 0;
    // From now on it sends to this peer and hears this peer only, and an error of the other side is
    // told; an address of no family: as before the first connect. A port that the system had chosen
    // is lost with that, and the next send gets another.
    [[nodiscard]] virtual Result<void> connect_datagram(Fd fd, const Address& to) = 0;
    [[nodiscard]] virtual Result<void> set_option(Fd fd, DatagramOption option, int value) = 0;
    [[nodiscard]] virtual Result<void> join(Fd fd, const Membership& membership) = 0;
    [[nodiscard]] virtual Result<void> leave(Fd fd, const Membership& membership) = 0;
    // The error `no_such_device` when there is none of this name.
    [[nodiscard]] virtual Result<InterfaceIndex> interface_named(std::string_view name) = 0;
    // What a SendToOp does, at once or not at all: the error `resource_unavailable_try_again` when
    // it would have to wait. It overtakes ops that do.
    [[nodiscard]] virtual Result<std::size_t> try_send_to(Fd fd, ConstBytes data,
                                                          const Address& to) = 0;
};

}  // namespace gyre
