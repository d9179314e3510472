// SPDX-License-Identifier: Apache-2.0
// Udp: a datagram socket over IP or a Unix address: bind or connect it, receive until stopped,
// queue sends, join multicast groups, close. Also here: UdpSend, the request of one datagram, with
// one callback ("operation canceled" when the handle is closed first).
//
//     Udp socket(loop);
//     socket.send(request, bytes_of("hello"), Address::loopback(5353),
//                 [](UdpSend&, Status status) { report(status); });
//
// Thread: any for operations that return a CallResult, else the loop's own.
// Lifetime: as Handle. The first call that needs a socket makes one, in the family of its address;
// it is closed with the handle. Requests and their data belong to the caller and stay until the
// callback; a receive buffer stays until the close callback.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gyre/handle/detail/socket_handle.hpp"
#include "gyre/handle/request.hpp"
#include "gyre/io/host_calls.hpp"
#include "gyre/io/socket_ops.hpp"

namespace gyre::handle {

class Udp;

class UdpSend final : public ActiveRequest {
public:
    using OnDone = Callback<UdpSend&, Status>;

    explicit UdpSend(const std::source_location& made_at = std::source_location::current()) noexcept
        : ActiveRequest(made_at), op_(-1, ConstBytes(), Address()) {}
    [[nodiscard]] const char* kind() const noexcept override { return "udp_send"; }
    [[nodiscard]] Udp& handle() const noexcept { return *handle_; }

private:
    friend class Udp;
    void on_done(Op& op) noexcept override;

    Udp* handle_ = nullptr;
    AnyCallback callback_;
    SendToOp op_;
};

class Udp final : public SocketHandle<ReceiveFromOp> {
public:
    // One datagram. Its data is in the buffer of receive_start, good until the callback returns.
    struct Received {
        ConstBytes data;
        Address from;  // of no family when the sender has no address
        bool is_truncated = false;
        bool is_last = true;  // in the memory of one OnAllocate, which is the caller's again
    };
    // An error is of an earlier send ("connection refused") or of the socket; receiving goes on.
    using OnReceive = Callback<Udp&, Result<Received>>;
    // Provides the memory for one or more datagrams, when there may be some: sets the Bytes. The size
    // is a suggestion. Empty: the receive callback gets the error `no_buffer_space`.
    using OnAllocate = Callback<Udp&, std::size_t, Bytes&>;
    using OnSendError = Callback<Udp&, const DatagramError&>;

    explicit Udp(PhasedLoop& loop,
                 const std::source_location& made_at = std::source_location::current()) noexcept
        : SocketHandle(loop, made_at), readable_(-1, Events::readable, Trigger::level) {}
    [[nodiscard]] const char* kind() const noexcept override { return "udp"; }

    // Adopts a datagram socket. The error `device_or_resource_busy` when there is one.
    CallResult<Status> open(Fd fd);
    CallResult<Status> bind(const Address& at, BindOptions options = {});
    // The error `already_connected`; of disconnect, `not_connected`.
    CallResult<Status> connect(const Address& to);
    CallResult<Status> disconnect();

    // Datagrams are sent in order. An address of no family means the connected peer.
    // The errors `already_connected` for an address on a connected socket, and
    // `destination_address_required` for none on an unconnected one.
    CallResult<Status> send(UdpSend& request, ConstBytes data, const Address& to,
                            UdpSend::OnDone on_done);
    // Sends without waiting: the size, or the error `resource_unavailable_try_again` when the
    // socket would block or sends are queued. From a foreign thread the data stays until the
    // result is there.
    CallResult<Result<std::size_t>> try_send(ConstBytes data, const Address& to);

    // Receives into the buffer repeatedly; a larger datagram is truncated. The buffer belongs to
    // the handle until the close callback, also after receive_stop: a datagram that arrived by then
    // is reported after the next receive_start. An unbound socket is bound to any address. The
    // error `connection_already_in_progress` when it is receiving.
    CallResult<Status> receive_start(Bytes buffer, OnReceive on_receive);
    // The same with memory that is asked for when there may be a datagram. Memory for several of
    // `datagram_size_max` bytes receives several by one system call. Each allocation is followed by
    // the callbacks of its datagrams, the last of them marked; or by one with an error, of which
    // `resource_unavailable_try_again` says that there was no datagram.
    CallResult<Status> receive_start(OnAllocate on_allocate, OnReceive on_receive,
                                     std::size_t datagram_size_max = 65'536);
    CallResult<Status> receive_stop();
    // From now on each error that the network reports for a datagram sent before is a callback with
    // the addresses, instead of the error of some later operation: while the handle receives with
    // OnAllocate. The errors `bad_file_descriptor` without a socket, `operation_not_supported` in
    // simulated time.
    CallResult<Status> report_send_errors(OnSendError on_error);

    // A handle without a socket is bound to any address first, with address reuse.
    CallResult<Status> join(const Membership& membership);
    CallResult<Status> leave(const Membership& membership);
    // The error `bad_file_descriptor` without a socket, `invalid_argument` for a value outside the
    // range of the DatagramOption.
    CallResult<Status> set_broadcast(bool value);
    CallResult<Status> set_ttl(int value);
    CallResult<Status> set_multicast_ttl(int value);
    CallResult<Status> set_multicast_loopback(bool value);
    CallResult<Status> set_multicast_interface(InterfaceIndex index);

    // Bytes and datagrams that the system has not accepted yet.
    [[nodiscard]] std::size_t send_queue_size() const noexcept { return send_queue_size_; }
    [[nodiscard]] std::size_t send_queue_count() const noexcept { return send_queue_count_; }
    [[nodiscard]] bool is_connected() const noexcept { return has_bit(connected); }
    [[nodiscard]] Result<Address> local_address() const;
    [[nodiscard]] Result<Address> peer_address() const;

private:
    friend class UdpSend;

    enum UdpBit : std::uint8_t {
        connected = first_of_derived,
        allocating = 2 * connected,  // receiving into memory of OnAllocate
    };

    Status take_over(Fd fd) noexcept;
    Status ensure_socket(Address::Family family) noexcept;
    Status ensure_bound(Address::Family family, BindOptions options) noexcept;
    Status bind_here(const Address& at, BindOptions options) noexcept;
    Status connect_here(const Address& to) noexcept;
    Status disconnect_here() noexcept;
    Status join_here(const Membership& membership) noexcept;
    CallResult<Status> set(DatagramOption option, int value);

    Status check_target(const Address& to) const noexcept;
    Status send_here(UdpSend& request, ConstBytes data, const Address& to,
                     AnyCallback on_done) noexcept;
    Result<std::size_t> try_send_here(ConstBytes data, const Address& to) noexcept;
    void on_sent(UdpSend& request, std::int32_t result) noexcept;

    Status receive_here(Bytes buffer, AnyCallback on_receive) noexcept;

    // udp_batches.cpp
    Status receive_allocating(AnyCallback on_allocate, AnyCallback on_receive,
                              std::size_t datagram_size_max) noexcept;
    Status report_errors_here(AnyCallback on_error);
    void watch_readable() noexcept;
    [[nodiscard]] bool is_allocating() const noexcept {
        return !is_closing() && has_bit(receiving) && has_bit(allocating);
    }
    [[nodiscard]] bool receive_batch() noexcept;
    [[nodiscard]] Result<std::size_t> fill(Bytes room);
    void tell_batch(std::size_t count) noexcept;
    void tell_errors() noexcept;
    void on_done(Op& op) noexcept override;
    void on_rung(StandingOp& op) noexcept override;

    void tell() noexcept override;
    [[nodiscard]] bool may_finish() const noexcept override;

    std::size_t send_queue_size_ = 0;
    std::size_t send_queue_count_ = 0;
    ReadinessOp readable_;
    AnyCallback allocate_;
    AnyCallback send_error_;
    std::size_t datagram_size_max_ = 0;
    std::vector<DatagramSlot> slots_;
};

}  // namespace gyre::handle
