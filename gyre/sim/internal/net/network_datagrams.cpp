// SPDX-License-Identifier: Apache-2.0
// Datagram sockets of Network.
#include <memory>

#include "gyre/sim/host_memory.hpp"
#include "gyre/sim/internal/limits.hpp"
#include "gyre/sim/internal/net/datagram_socket.hpp"
#include "gyre/sim/internal/net/network.hpp"

namespace gyre::sim {
namespace {

Result<void> result_of(std::int32_t status) noexcept {
    if (status < 0) return std::unexpected(Error::of_result(status));
    return {};
}

}  // namespace

Result<DatagramSocket*> Network::find_datagram(Fd fd) {
    Descriptor* descriptor = context_.descriptors.find(fd);
    if (descriptor == nullptr) return error(std::errc::bad_file_descriptor);
    DatagramSocket* socket = descriptor->as_datagram();
    if (socket == nullptr) return error(std::errc::not_a_socket);
    return socket;
}

Result<Fd> Network::datagram(Address::Family family) {
    const OutsideHost outside;
    if (family == Address::Family::none) return error(std::errc::address_family_not_supported);
    return context_.descriptors.add(std::make_unique<DatagramSocket>(*this, family));
}

Result<void> Network::bind(Fd fd, const Address& at, BindOptions options) {
    const OutsideHost outside;
    if (at.family() == Address::Family::none) {
        return error(std::errc::address_family_not_supported);
    }
    const Result<DatagramSocket*> socket = find_datagram(fd);
    if (!socket) return std::unexpected(socket.error());
    return result_of((*socket)->bind(at, options));
}

Result<void> Network::connect_datagram(Fd fd, const Address& to) {
    const OutsideHost outside;
    const Result<DatagramSocket*> socket = find_datagram(fd);
    if (!socket) return std::unexpected(socket.error());
    const bool disconnects = to.family() == Address::Family::none;
    return result_of(disconnects ? (*socket)->disconnect() : *(*socket)->connect(to));
}

Result<void> Network::set_option(Fd fd, DatagramOption option, int value) {
    const OutsideHost outside;
    const Result<DatagramSocket*> socket = find_datagram(fd);
    if (!socket) return std::unexpected(socket.error());
    return result_of((*socket)->set_option(option, value));
}

Result<void> Network::join(Fd fd, const Membership& membership) {
    const OutsideHost outside;
    const Result<DatagramSocket*> socket = find_datagram(fd);
    if (!socket) return std::unexpected(socket.error());
    return result_of((*socket)->join(membership));
}

Result<void> Network::leave(Fd fd, const Membership& membership) {
    const OutsideHost outside;
    const Result<DatagramSocket*> socket = find_datagram(fd);
    if (!socket) return std::unexpected(socket.error());
    return result_of((*socket)->leave(membership));
}

Result<InterfaceIndex> Network::interface_named(std::string_view name) {
    if (name != "lo") return error(std::errc::no_such_device);
    return InterfaceIndex{1};
}

// The transfers of streams without waiting.
Result<ReceivedNow> Network::try_receive(Fd fd, Bytes into, std::span<Fd> room) {
    const OutsideHost outside;
    Descriptor* descriptor = context_.descriptors.find(fd);
    if (descriptor == nullptr) return error(std::errc::bad_file_descriptor);
    ReceivedFds arrived{.room = room};
    const MaybeResult got =
        room.empty() ? descriptor->receive(into) : descriptor->receive_passed(into, arrived);
    if (!got) return error(std::errc::resource_unavailable_try_again);
    if (*got < 0) return std::unexpected(Error::of_result(*got));
    return ReceivedNow{.size = static_cast<std::size_t>(*got),
                       .passed_count = arrived.count,
                       .is_cut_off = arrived.is_cut_off};
}

Result<std::size_t> Network::try_send(Fd fd, std::span<const ConstBytes> pieces,
                                      std::span<const Fd> passed) {
    const OutsideHost outside;
    Descriptor* descriptor = context_.descriptors.find(fd);
    if (descriptor == nullptr) return error(std::errc::bad_file_descriptor);
    std::size_t sent = 0;
    for (const ConstBytes piece : pieces) {
        if (piece.empty()) continue;
        const bool is_first = sent == 0;
        const MaybeResult done = is_first && !passed.empty()
                                     ? descriptor->send_passing(piece, passed)
                                     : descriptor->send(piece);
        const std::int32_t result =
            done.value_or(failure(std::errc::resource_unavailable_try_again));
        if (result < 0 && is_first) return std::unexpected(Error::of_result(result));
        if (result < 0) break;
        sent += static_cast<std::size_t>(result);
        if (static_cast<std::size_t>(result) < piece.size()) break;
    }
    return sent;
}

Result<std::size_t> Network::try_send_to(Fd fd, ConstBytes data, const Address& to) {
    const OutsideHost outside;
    Descriptor* descriptor = context_.descriptors.find(fd);
    if (descriptor == nullptr) return error(std::errc::bad_file_descriptor);
    const MaybeResult sent = descriptor->send_to(data, to);
    if (!sent) return error(std::errc::resource_unavailable_try_again);
    if (*sent < 0) return std::unexpected(Error::of_result(*sent));
    return static_cast<std::size_t>(*sent);
}

}  // namespace gyre::sim
