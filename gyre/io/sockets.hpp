// SPDX-License-Identifier: Apache-2.0
// Sockets: creates and describes the descriptors that I/O ops work on. No call blocks.
//
//     Result<Fd> listener = sockets.listen(Address::loopback(0), {});
//
// Thread: its loop's thread.
// Lifetime: part of a Platform. A descriptor belongs to the caller, who closes it with a CloseOp,
// or with close_now if no loop runs any more.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "gyre/base/bytes.hpp"
#include "gyre/base/result.hpp"
#include "gyre/io/address.hpp"

namespace gyre {

// A descriptor of this platform: of the system, or of the simulation.
using Fd = int;

struct ListenOptions {
    int backlog = 1024;
    bool share_port = false;  // SO_REUSEPORT: several listeners on one port, one a loop
    // For the first listener of a shared port: fails if the port has a listener, though both share.
    // Without it, another process of the same user can join the port.
    bool opens_port = false;
};

// Options of bind for a datagram socket.
struct BindOptions {
    // SO_REUSEADDR: sockets that all set it may bind the same address. Each receives datagrams to a
    // multicast group; the last one bound receives all others.
    bool share_address = false;
    bool share_port = false;  // SO_REUSEPORT: each datagram goes to one of the sockets
    bool only_ipv6 = false;   // IPV6_V6ONLY
};

// Options of a connection, as numbers. The system may round sizes, and adds its own overhead to
// them.
enum class StreamOption : std::uint8_t {
    no_delay,               // 0 or 1: TCP_NODELAY, no Nagle delay for small sends
    keep_alive,             // 0 or 1: SO_KEEPALIVE, probe an idle peer; TCP
    keep_alive_idle_s,      // idle seconds before the first probe
    keep_alive_interval_s,  // seconds between probes
    keep_alive_count,       // unanswered probes before the connection is dropped
    linger_s,               // -1: close returns at once, and unsent data is still sent. 0: close
                            // discards it, and the peer sees a reset
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

// The index of a network interface of this host; 0 lets the system choose.
using InterfaceIndex = std::uint32_t;

enum class DatagramOption : std::uint8_t {
    broadcast,            // 0 or 1: whether sending to broadcast addresses is allowed
    ttl,                  // 1 to 255
    multicast_ttl,        // 0 to 255
    multicast_loopback,   // 0 or 1: whether this host receives its own multicasts
    multicast_interface,  // an InterfaceIndex: the interface for outgoing multicast
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

// A multicast group that a socket has joined: the socket receives datagrams to this group, and none
// of groups that only other sockets have joined.
struct Membership {
    Address group;
    Address source = {};  // accept only this sender; without a family: any sender
    InterfaceIndex interface = 0;
};

// What Sockets::try_receive has got.
struct ReceivedNow {
    std::size_t size = 0;
    std::size_t passed_count = 0;
    bool is_cut_off = false;  // more descriptors were sent than there was room for: they are closed
};

class Sockets {
public:
    virtual ~Sockets() = default;

    [[nodiscard]] virtual Result<Fd> listen(const Address& at, ListenOptions options) = 0;
    // The listener completes no further connection: attempts wait until it is closed and are then
    // refused, while those in its backlog can still be accepted. The error
    // `operation_not_supported` for a Unix socket, whose connects complete without the listener.
    [[nodiscard]] virtual Result<void> end_listening(Fd listener) = 0;
    // Creates a socket for a ConnectOp to an address of this family.
    [[nodiscard]] virtual Result<Fd> stream(Address::Family family) = 0;
    [[nodiscard]] virtual Result<std::array<Fd, 2>> connection_pair() = 0;
    [[nodiscard]] virtual Result<Address> local_address(Fd fd) = 0;
    // The error `not_connected` if there is no peer.
    [[nodiscard]] virtual Result<Address> peer_address(Fd fd) = 0;
    // Shuts down the sending side: the peer reads the data sent before, then the end.
    [[nodiscard]] virtual Result<void> end_sending(Fd fd) = 0;
    // The error `operation_not_supported` for a TCP option on a Unix socket.
    [[nodiscard]] virtual Result<void> set_stream_option(Fd fd, StreamOption option, int value) = 0;
    [[nodiscard]] virtual Result<int> stream_option(Fd fd, StreamOption option) = 0;
    virtual void close_now(Fd fd) noexcept = 0;
    // Receive and send without waiting, on a socket, a pipe or a terminal, in whatever mode it is:
    // the error `resource_unavailable_try_again` if they would block. They overtake ops that wait.
    // Descriptors that come with the bytes are put into `room`, for a Unix socket only; they belong
    // to the caller then. A size of 0 is the end of the stream.
    [[nodiscard]] virtual Result<ReceivedNow> try_receive(Fd fd, Bytes into,
                                                          std::span<Fd> room = {}) = 0;
    // The number of bytes that the system accepted, of one piece at least. Without any bytes nothing
    // is sent. Passes descriptors along with the first byte, over a Unix socket only.
    [[nodiscard]] virtual Result<std::size_t> try_send(Fd fd, std::span<const ConstBytes> pieces,
                                                       std::span<const Fd> passed = {}) = 0;

    // ---- Datagrams ----

    // For SendToOps and ReceiveFromOps. An IP socket that sends before it is bound gets an
    // ephemeral port; a Unix socket stays unnamed.
    [[nodiscard]] virtual Result<Fd> datagram(Address::Family family) = 0;
    [[nodiscard]] virtual Result<void> bind(Fd fd, const Address& at, BindOptions options) = 0;
    // From now on the socket sends to this peer and receives from this peer only, and errors of the
    // peer are reported. An address without a family undoes the connect; an ephemeral port is
    // released with it, and the next send gets another.
    [[nodiscard]] virtual Result<void> connect_datagram(Fd fd, const Address& to) = 0;
    [[nodiscard]] virtual Result<void> set_option(Fd fd, DatagramOption option, int value) = 0;
    [[nodiscard]] virtual Result<void> join(Fd fd, const Membership& membership) = 0;
    [[nodiscard]] virtual Result<void> leave(Fd fd, const Membership& membership) = 0;
    // The error `no_such_device` if no interface has this name.
    [[nodiscard]] virtual Result<InterfaceIndex> interface_named(std::string_view name) = 0;
    // Sends like a SendToOp, but without waiting: the error `resource_unavailable_try_again` if it
    // would block. It overtakes SendToOps that wait.
    [[nodiscard]] virtual Result<std::size_t> try_send_to(Fd fd, ConstBytes data,
                                                          const Address& to) = 0;
};

}  // namespace gyre
