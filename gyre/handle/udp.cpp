// SPDX-License-Identifier: Apache-2.0
// The socket of Udp, its addresses, options and groups.
#include "gyre/handle/udp.hpp"

#include "gyre/handle/phased_loop.hpp"

namespace gyre::handle {
namespace {

Address any_address(Address::Family family) noexcept {
    return family == Address::Family::ipv6 ? Address::ipv6({}, 0) : Address::ipv4({}, 0);
}

}  // namespace

// ---- The socket ----

CallResult<Status> Udp::open(Fd fd) {
    return call_on_loop([this, fd] { return take_over(fd); });
}

Status Udp::take_over(Fd fd) noexcept {
    if (const Status opened = check_open(); !opened) return opened;
    if (fd_ >= 0) return error(std::errc::device_or_resource_busy);
    if (fd < 0) return error(std::errc::bad_file_descriptor);
    fd_ = fd;
    set_bit(connected, loop().sockets().peer_address(fd).has_value());
    enlist();
    return {};
}

Status Udp::ensure_socket(Address::Family family) noexcept {
    if (fd_ >= 0) return {};
    const Result<Fd> made = loop().sockets().datagram(family);
    if (!made) return std::unexpected(made.error());
    fd_ = *made;
    enlist();
    return {};
}

Status Udp::ensure_bound(Address::Family family, BindOptions options) noexcept {
    return fd_ >= 0 ? Status() : bind_here(any_address(family), options);
}

CallResult<Status> Udp::bind(const Address& at, BindOptions options) {
    return call_on_loop([this, at, options] { return bind_here(at, options); });
}

// A new socket whose bind fails is closed, so that the next attempt can choose another family.
Status Udp::bind_here(const Address& at, BindOptions options) noexcept {
    if (const Status opened = check_open(); !opened) return opened;
    const bool is_new = fd_ < 0;
    if (const Status made = ensure_socket(at.family()); !made) return made;
    const Status bound = loop().sockets().bind(fd_, at, options);
    if (!bound && is_new) loop().sockets().close_now(std::exchange(fd_, -1));
    return bound;
}

CallResult<Status> Udp::connect(const Address& to) {
    return call_on_loop([this, to] { return connect_here(to); });
}

Status Udp::connect_here(const Address& to) noexcept {
    if (const Status opened = check_open(); !opened) return opened;
    if (has_bit(connected)) return error(std::errc::already_connected);
    if (to.family() == Address::Family::none) {
        return error(std::errc::address_family_not_supported);
    }
    if (const Status made = ensure_socket(to.family()); !made) return made;
    const Status done = loop().sockets().connect_datagram(fd_, to);
    if (done) set_bit(connected, true);
    return done;
}

CallResult<Status> Udp::disconnect() {
    return call_on_loop([this] { return disconnect_here(); });
}

Status Udp::disconnect_here() noexcept {
    if (const Status opened = check_open(); !opened) return opened;
    if (!has_bit(connected)) return error(std::errc::not_connected);
    const Status done = loop().sockets().connect_datagram(fd_, Address());
    if (done) set_bit(connected, false);
    return done;
}

Result<Address> Udp::local_address() const {
    if (fd_ < 0) return std::unexpected(Error(std::errc::bad_file_descriptor));
    return loop().sockets().local_address(fd_);
}

Result<Address> Udp::peer_address() const {
    if (fd_ < 0) return std::unexpected(Error(std::errc::bad_file_descriptor));
    return loop().sockets().peer_address(fd_);
}

// ---- Groups and options ----

CallResult<Status> Udp::join(const Membership& membership) {
    return call_on_loop([this, membership] { return join_here(membership); });
}

Status Udp::join_here(const Membership& membership) noexcept {
    if (const Status opened = check_open(); !opened) return opened;
    const BindOptions shared{.share_address = true};
    const Status bound = ensure_bound(membership.group.family(), shared);
    return bound ? loop().sockets().join(fd_, membership) : bound;
}

CallResult<Status> Udp::leave(const Membership& membership) {
    return call_on_loop([this, membership]() -> Status {
        if (fd_ < 0) return error(std::errc::bad_file_descriptor);
        return loop().sockets().leave(fd_, membership);
    });
}

CallResult<Status> Udp::set(DatagramOption option, int value) {
    return call_on_loop([this, option, value]() -> Status {
        if (fd_ < 0) return error(std::errc::bad_file_descriptor);
        return loop().sockets().set_option(fd_, option, value);
    });
}

CallResult<Status> Udp::set_broadcast(bool value) {
    return set(DatagramOption::broadcast, value ? 1 : 0);
}

CallResult<Status> Udp::set_ttl(int value) {
    return set(DatagramOption::ttl, value);
}

CallResult<Status> Udp::set_multicast_ttl(int value) {
    return set(DatagramOption::multicast_ttl, value);
}

CallResult<Status> Udp::set_multicast_loopback(bool value) {
    return set(DatagramOption::multicast_loopback, value ? 1 : 0);
}

CallResult<Status> Udp::set_multicast_interface(InterfaceIndex index) {
    return set(DatagramOption::multicast_interface, static_cast<int>(index));
}

}  // namespace gyre::handle
