// SPDX-License-Identifier: Apache-2.0
// Sending and receiving of DatagramSocket.
#include <algorithm>
#include <utility>

#include "gyre/sim/internal/net/datagram_socket.hpp"

namespace gyre::sim {
namespace {

using Family = Address::Family;

// A packet has 65535 bytes with its headers; a Unix datagram must fit its sender's buffer.
constexpr std::size_t ipv4_bytes_max = 65535 - 20 - 8;
constexpr std::size_t ipv6_bytes_max = 65535 - 8;
constexpr std::size_t unix_bytes_max = std::size_t{208} * 1024 - 32;

// The overhead that Linux counts for each datagram in a receive buffer.
constexpr std::size_t overhead_bytes = 768;

}  // namespace

// ---- Sending ----

MaybeResult DatagramSocket::send(ConstBytes from) {
    return send_to(from, Address());
}

MaybeResult DatagramSocket::send_to(ConstBytes from, const Address& to) {
    return is_unix() ? send_unix(from, to) : send_ip(from, to);
}

std::int32_t DatagramSocket::check_target(const Address& to) noexcept {
    if (to.family() != family_) {
        // An IPv6 socket reaches IPv4 addresses too, unless IPV6_V6ONLY is set.
        if (to.family() != Family::ipv4) return failure(std::errc::address_family_not_supported);
        if (options_.only_ipv6) return failure(std::errc::network_unreachable);
    }
    const Ipv6 ip = common_form(to);
    if (is_broadcast(ip)) return may_broadcast_ ? 0 : failure(std::errc::permission_denied);
    if (is_any(ip) || is_loopback(ip) || is_multicast(ip) || network_.can_reach(ip)) return 0;
    return failure(std::errc::network_unreachable);
}

MaybeResult DatagramSocket::send_ip(ConstBytes from, const Address& to) {
    const bool is_to_peer = to.family() == Family::none;
    if (const std::int32_t why = ensure_bound(); why < 0) return why;
    if (from.size() > ipv6_bytes_max) return failure(std::errc::message_size);
    if (is_to_peer && !is_connected_) return failure(std::errc::destination_address_required);
    if (family_ == Family::ipv6 && to.family() == Family::unix_path) {
        return failure(std::errc::invalid_argument);
    }
    const Address target = is_to_peer ? remote_ : Network::resolved(to);
    if (const std::int32_t why = check_target(target); why < 0) return why;
    if (!is_to_peer && to.port() == 0) return failure(std::errc::invalid_argument);
    if (error_ != 0) return std::exchange(error_, 0);
    if (sending_has_ended_) return failure(std::errc::broken_pipe);
    const bool is_ipv4 = is_mapped(common_form(target));
    if (is_ipv4 && from.size() > ipv4_bytes_max) return failure(std::errc::message_size);
    // A socket that is bound to "any" sends from the address of the interface.
    const Ipv6 own = common_form(local_);
    const bool has_own_ip = is_loopback(own) || network_.is_own(own);
    const Address sender = has_own_ip ? local_ : network_.source(family_, target, local_.port());
    network_.send_datagram({sender, target, {from.begin(), from.end()}}, last_arrival_);
    return static_cast<std::int32_t>(from.size());
}

// 0 and the receiver, or an error.
std::int32_t DatagramSocket::find_unix_receiver(const Address& to, DatagramSocket*& receiver) {
    if (to.family() != Family::unix_path) return failure(std::errc::invalid_argument);
    receiver = network_.datagrams().find_unix(to);
    if (receiver == nullptr) {
        if (network_.is_missing_path(to.path())) {
            return failure(std::errc::no_such_file_or_directory);
        }
        const bool is_on_disk = !to.path().starts_with('\0');
        const bool has_listener = is_on_disk && network_.find_listener(to) != nullptr;
        return failure(has_listener ? std::errc::wrong_protocol_type
                                    : std::errc::connection_refused);
    }
    const bool has_other_peer = receiver->is_connected_ && receiver->unix_peer() != this;
    return has_other_peer ? failure(std::errc::operation_not_permitted) : 0;
}

// Null if it is not connected, or its peer is closed.
DatagramSocket* DatagramSocket::unix_peer() const noexcept {
    if (!is_unix() || !is_connected_) return nullptr;
    DatagramSocket* peer = network_.datagrams().find_unix(remote_);
    return peer != nullptr && peer->number_ == peer_number_ ? peer : nullptr;
}

MaybeResult DatagramSocket::send_unix(ConstBytes from, const Address& to) {
    const bool is_to_peer = to.family() == Family::none;
    if (!is_to_peer && to.family() != Family::unix_path) {
        return failure(std::errc::invalid_argument);
    }
    if (is_to_peer && !is_connected_) return failure(std::errc::not_connected);
    if (from.size() > unix_bytes_max) return failure(std::errc::message_size);
    if (sending_has_ended_) return failure(std::errc::broken_pipe);
    DatagramSocket* receiver = nullptr;
    if (!is_to_peer) {
        if (const std::int32_t why = find_unix_receiver(to, receiver); why < 0) return why;
    } else if (receiver = unix_peer(); receiver == nullptr) {
        (void)disconnect();
        return failure(std::errc::connection_refused);
    } else if (receiver->is_connected_ && receiver->unix_peer() != this) {
        return failure(std::errc::operation_not_permitted);
    }
    if (receiver->is_full()) {
        receiver->waiters_.insert(receiver->waiters_.end(), numbers().begin(), numbers().end());
        return std::nullopt;
    }
    const Address sender = is_bound_ ? local_ : Address();
    receiver->arrive({sender, to, {from.begin(), from.end()}});
    return static_cast<std::int32_t>(from.size());
}

// ---- Receiving ----

bool DatagramSocket::matches(const Datagram& datagram) const noexcept {
    const Ipv6 to = common_form(datagram.to);
    if (local_.port() != datagram.to.port() || !takes(to)) return false;
    if (!covers(common_form(local_), to)) return false;
    return !is_connected_ || is_same_endpoint(remote_, datagram.from);
}

bool DatagramSocket::is_member(const Datagram& datagram) const noexcept {
    const Ipv6 from = common_form(datagram.from);
    return std::any_of(groups_.begin(), groups_.end(), [&](const auto& entry) {
        const auto& [group, sources] = entry;
        return group.first == common_form(datagram.to) &&
               (sources.empty() || sources.contains(from));
    });
}

bool DatagramSocket::is_full() const noexcept {
    const SimOptions& options = context().options;
    return is_unix() ? arrived_.size() >= options.unix_datagram_count_max
                     : arrived_bytes_ >= options.datagram_buffer_bytes;
}

void DatagramSocket::arrive(const Datagram& datagram) {
    if (is_full()) return;
    arrived_bytes_ += datagram.data.size() + overhead_bytes;
    arrived_.push_back(datagram);
    if (!is_unix()) arrived_.back().from = Network::in_family(family_, datagram.from);
    changed();
}

void DatagramSocket::fail(std::int32_t error) {
    error_ = error;
    changed();
}

MaybeResult DatagramSocket::receive(Bytes into) {
    Address from;
    bool is_truncated = false;
    return receive_from(into, from, is_truncated);
}

MaybeResult DatagramSocket::receive_from(Bytes into, Address& from, bool& is_truncated) {
    if (error_ != 0) return std::exchange(error_, 0);
    if (arrived_.empty()) return std::nullopt;
    const Datagram datagram = std::move(arrived_.front());
    arrived_.pop_front();
    arrived_bytes_ -= datagram.data.size() + overhead_bytes;
    const std::size_t size = std::min(into.size(), datagram.data.size());
    std::copy_n(datagram.data.begin(), size, into.begin());
    from = datagram.from;
    is_truncated = size < datagram.data.size();
    release_waiters();
    return static_cast<std::int32_t>(size);
}

// Each waiter tries again, and waits again if the queue is full.
void DatagramSocket::release_waiters() {
    for (const Fd fd : std::exchange(waiters_, {})) {
        const Descriptor* waiter = context().descriptors.find(fd);
        if (waiter != nullptr) context().descriptors.changed(*waiter);
    }
}

}  // namespace gyre::sim
