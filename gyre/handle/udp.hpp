// SPDX-License-Identifier: Apache-2.0
// Udp: a datagram socket, of IP or of the Unix kind: bind or connect it, receive until told to
// stop, queue sends, join groups, close. The socket is made by the first call that needs one, in
// the family of the address it names, and is closed with the handle. For the loop's own thread
// only, beside those of Handle: send_queue_size, send_queue_count, is_connected, local_address,
// peer_address, fd.
//
//   udp.cpp       the socket, its addresses, options and groups
//   udp_data.cpp  sending, receiving, closing
#pragma once

#include <cstddef>
#include <cstdint>

#include "gyre/handle/socket_handle.hpp"
#include "gyre/handle/udp_send.hpp"

namespace gyre::handle {

class Udp final : public SocketHandle<ReceiveFromOp> {
public:
    // One datagram. Its data is in the buffer of receive_start, good until the callback returns.
    struct Received {
        ConstBytes data;
        Address from;  // of no family where the sender has no address
        bool is_truncated = false;
    };
    // An error is about an earlier send ("connection refused") or the socket; it stops nothing.
    using OnReceive = Callback<Udp&, Result<Received>>;

    explicit Udp(PhasedLoop& loop,
                 const std::source_location& made_at = std::source_location::current()) noexcept
        : SocketHandle(loop, made_at) {}
    [[nodiscard]] const char* kind() const noexcept override { return "udp"; }

    // Takes over a datagram socket. The error `device_or_resource_busy` when there is one.
    Carried<Status> open(Fd fd);
    Carried<Status> bind(const Address& at, BindOptions options = {});
    // The error `already_connected` or `not_connected` where that is so.
    Carried<Status> connect(const Address& to);
    Carried<Status> disconnect();

    // Datagrams go out in their order, whole or not at all. An address of no family: to the peer.
    // The errors `already_connected` for an address although it is connected, and
    // `destination_address_required` for none although it is not.
    Carried<Status> send(UdpSend& request, ConstBytes data, const Address& to,
                         UdpSend::OnDone on_done);
    // At once or not at all: the size, or the error `resource_unavailable_try_again` when it would
    // have to wait, also for sends that are queued. From a foreign thread the data stays until the
    // result has come.
    Carried<Result<std::size_t>> try_send(ConstBytes data, const Address& to);

    // Receives into the buffer again and again; what does not fit is cut off. The buffer belongs to
    // the handle until the close callback, also after receive_stop: a datagram that had arrived by
    // then is told after the next receive_start. A socket without an address is bound to any. The
    // error `connection_already_in_progress` when it receives already.
    Carried<Status> receive_start(Bytes buffer, OnReceive on_receive);
    Carried<Status> receive_stop();

    // A handle without a socket is bound to any address first, one that others may share.
    Carried<Status> join(const Membership& membership);
    Carried<Status> leave(const Membership& membership);
    // The error `bad_file_descriptor` without a socket, `invalid_argument` for a value beyond what
    // DatagramOption says.
    Carried<Status> set_broadcast(bool value);
    Carried<Status> set_ttl(int value);
    Carried<Status> set_multicast_ttl(int value);
    Carried<Status> set_multicast_loopback(bool value);
    Carried<Status> set_multicast_interface(InterfaceIndex index);

    // Bytes and datagrams that the system has not taken yet.
    [[nodiscard]] std::size_t send_queue_size() const noexcept { return send_queue_size_; }
    [[nodiscard]] std::size_t send_queue_count() const noexcept { return send_queue_count_; }
    [[nodiscard]] bool is_connected() const noexcept { return has_bit(connected); }
    [[nodiscard]] Result<Address> local_address() const;
    [[nodiscard]] Result<Address> peer_address() const;

private:
    friend class UdpSend;

    enum UdpBit : std::uint8_t { connected = first_of_derived };

    Status take_over(Fd fd) noexcept;
    Status ensure_socket(Address::Family family) noexcept;
    Status ensure_bound(Address::Family family, BindOptions options) noexcept;
    Status bind_here(const Address& at, BindOptions options) noexcept;
    Status connect_here(const Address& to) noexcept;
    Status disconnect_here() noexcept;
    Status join_here(const Membership& membership) noexcept;
    Carried<Status> set(DatagramOption option, int value);

    Status check_target(const Address& to) const noexcept;
    Status send_here(UdpSend& request, ConstBytes data, const Address& to,
                     AnyCallback on_done) noexcept;
    Result<std::size_t> try_send_here(ConstBytes data, const Address& to) noexcept;
    void on_sent(UdpSend& request, std::int32_t result) noexcept;

    Status receive_here(Bytes buffer, AnyCallback on_receive) noexcept;

    void tell() noexcept override;
    [[nodiscard]] bool may_finish() const noexcept override;

    std::size_t send_queue_size_ = 0;
    std::size_t send_queue_count_ = 0;
};

}  // namespace gyre::handle
