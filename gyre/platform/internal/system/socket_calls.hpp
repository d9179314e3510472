// SPDX-License-Identifier: Apache-2.0
// SystemSockets: creates the system's sockets, all of them non-blocking and close-on-exec. Part of
// a platform, for its loop's thread. SystemAddress is an Address as a sockaddr.
//
//   socket_calls.cpp      addresses, streams and listeners
//   stream_calls.cpp      receiving and sending without waiting
//   stream_options.cpp    options of streams
//   datagram_sockets.cpp  datagrams
#pragma once

#include <sys/socket.h>

#include "gyre/io/sockets.hpp"

namespace gyre::platform {

class SystemAddress {
public:
    // Empty, to be filled in by the system.
    SystemAddress() noexcept : size_(sizeof storage_) {}
    // The error `address_family_not_supported` for an address without a family.
    static Result<SystemAddress> of(const Address& address) noexcept;

    [[nodiscard]] Address to_address() const noexcept;

    [[nodiscard]] sockaddr* data() noexcept { return reinterpret_cast<sockaddr*>(&storage_); }
    [[nodiscard]] const sockaddr* data() const noexcept {
        return reinterpret_cast<const sockaddr*>(&storage_);
    }
    [[nodiscard]] socklen_t size() const noexcept { return size_; }
    [[nodiscard]] socklen_t* room() noexcept { return &size_; }

private:
    sockaddr_storage storage_{};
    socklen_t size_;
};

class SystemSockets : public Sockets {
public:
    [[nodiscard]] Result<Fd> listen(const Address& at, ListenOptions options) override;
    [[nodiscard]] Result<void> end_listening(Fd listener) override;
    [[nodiscard]] Result<Fd> stream(Address::Family family) override;
    [[nodiscard]] Result<std::array<Fd, 2>> connection_pair() override;
    [[nodiscard]] Result<Address> local_address(Fd fd) override;
    [[nodiscard]] Result<void> end_sending(Fd fd) override;
    [[nodiscard]] Result<void> set_stream_option(Fd fd, StreamOption option, int value) override;
    [[nodiscard]] Result<int> stream_option(Fd fd, StreamOption option) override;
    [[nodiscard]] Result<Address> peer_address(Fd fd) override;
    void close_now(Fd fd) noexcept override;
    [[nodiscard]] Result<ReceivedNow> try_receive(Fd fd, Bytes into, std::span<Fd> room) override;
    [[nodiscard]] Result<std::size_t> try_send(Fd fd, std::span<const ConstBytes> pieces,
                                               std::span<const Fd> passed) override;

    [[nodiscard]] Result<Fd> datagram(Address::Family family) override;
    [[nodiscard]] Result<void> bind(Fd fd, const Address& at, BindOptions options) override;
    [[nodiscard]] Result<void> connect_datagram(Fd fd, const Address& to) override;
    [[nodiscard]] Result<void> set_option(Fd fd, DatagramOption option, int value) override;
    [[nodiscard]] Result<void> join(Fd fd, const Membership& membership) override;
    [[nodiscard]] Result<void> leave(Fd fd, const Membership& membership) override;
    [[nodiscard]] Result<InterfaceIndex> interface_named(std::string_view name) override;
    [[nodiscard]] Result<std::size_t> try_send_to(Fd fd, ConstBytes data,
                                                  const Address& to) override;

protected:
    // The number is about to be closed, or was reused for a new descriptor: cached state of it is
    // stale.
    virtual void forget(Fd fd) noexcept = 0;

private:
    [[nodiscard]] Result<Fd> make_socket(Address::Family family, int type);
};

}  // namespace gyre::platform
