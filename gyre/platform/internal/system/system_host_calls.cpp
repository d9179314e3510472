// SPDX-License-Identifier: Apache-2.0
#include "gyre/platform/internal/system/system_host_calls.hpp"

#include <linux/errqueue.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/random.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include "gyre/platform/internal/system/path_call.hpp"
#include "gyre/platform/internal/system/socket_calls.hpp"
#include "gyre/platform/internal/system/system_call.hpp"

namespace gyre::platform {
namespace {

std::unexpected<Error> fail(std::errc code) noexcept {
    return std::unexpected(Error(code));
}

// Of getaddrinfo and getnameinfo.
std::unexpected<Error> name_error(int code) noexcept {
    switch (code) {
        case EAI_SYSTEM:
            return last_error();
        case EAI_AGAIN:
            return fail(std::errc::resource_unavailable_try_again);
        case EAI_MEMORY:
            return fail(std::errc::not_enough_memory);
        case EAI_FAMILY:
            return fail(std::errc::address_family_not_supported);
        case EAI_OVERFLOW:
            return fail(std::errc::filename_too_long);
        case EAI_BADFLAGS:
            return fail(std::errc::invalid_argument);
        default:
            return fail(std::errc::host_unreachable);
    }
}

int family_of(Address::Family family) noexcept {
    switch (family) {
        case Address::Family::ipv4:
            return AF_INET;
        case Address::Family::ipv6:
            return AF_INET6;
        default:
            return AF_UNSPEC;
    }
}

// The part of a name before a NUL byte would be taken for the whole.
Result<void> check_name(const std::string& name) noexcept {
    if (!is_path(name)) return fail(std::errc::invalid_argument);
    if (name.size() > HostCalls::name_size_max) return fail(std::errc::filename_too_long);
    return {};
}

Address address_of(const sockaddr* from, socklen_t size) noexcept {
    SystemAddress address;
    if (size == 0 || size > *address.room()) return {};
    std::memcpy(address.data(), from, size);
    *address.room() = size;
    return address.to_address();
}

const char* or_null(const std::string& text) noexcept {
    return text.empty() ? nullptr : text.c_str();
}

struct FreeAddresses {
    void operator()(addrinfo* found) const noexcept { ::freeaddrinfo(found); }
};

template <int level, int name>
Result<void> set_errors_flag(Fd fd, bool value) noexcept {
    const int flag = value ? 1 : 0;
    if (::setsockopt(fd, level, name, &flag, sizeof flag) < 0) return last_error();
    return {};
}

}  // namespace

// ---- Names ----

Result<std::vector<Address>> SystemHostCalls::addresses_of(const AddressQuery& query) {
    if (query.host.empty() && query.service.empty()) return fail(std::errc::invalid_argument);
    for (const std::string* name : {&query.host, &query.service}) {
        if (const Result<void> fits = check_name(*name); !fits) {
            return std::unexpected(fits.error());
        }
    }
    addrinfo hints{};
    hints.ai_family = family_of(query.family);
    hints.ai_socktype = SOCK_STREAM;  // otherwise each address comes three times
    hints.ai_flags = (query.is_for_listening ? AI_PASSIVE : 0) |
                     (query.is_numeric ? AI_NUMERICHOST | AI_NUMERICSERV : 0);
    addrinfo* raw = nullptr;
    const int code = ::getaddrinfo(or_null(query.host), or_null(query.service), &hints, &raw);
    if (code != 0) return name_error(code);
    const std::unique_ptr<addrinfo, FreeAddresses> found(raw);
    std::vector<Address> addresses;
    for (const addrinfo* each = raw; each != nullptr; each = each->ai_next) {
        const Address address = address_of(each->ai_addr, each->ai_addrlen);
        if (address.family() != Address::Family::none) addresses.push_back(address);
    }
    if (addresses.empty()) return fail(std::errc::host_unreachable);
    return addresses;
}

Result<HostName> SystemHostCalls::name_of(const NameQuery& query) {
    const Result<SystemAddress> address = SystemAddress::of(query.address);
    if (!address) return std::unexpected(address.error());
    std::array<char, NI_MAXHOST> host{};
    std::array<char, NI_MAXSERV> service{};
    const int flags = query.is_numeric ? NI_NUMERICHOST | NI_NUMERICSERV : 0;
    const int code = ::getnameinfo(address->data(), address->size(), host.data(), host.size(),
                                   service.data(), service.size(), flags);
    if (code != 0) return name_error(code);
    return HostName{host.data(), service.data()};
}

// ---- Random bytes ----

Result<void> SystemHostCalls::fill_random(Bytes into) {
    while (!into.empty()) {
        const ssize_t count =
            without_interruption([&] { return ::getrandom(into.data(), into.size(), 0); });
        if (count < 0) return last_error();
        into = into.subspan(static_cast<std::size_t>(count));
    }
    return {};
}

// ---- Datagrams ----

Result<std::size_t> SystemHostCalls::receive_datagrams(Fd fd, std::span<DatagramSlot> into) {
    const std::size_t slot_count = std::min(into.size(), datagrams_at_once_max);
    std::array<mmsghdr, datagrams_at_once_max> messages{};
    std::array<iovec, datagrams_at_once_max> pieces{};
    std::array<sockaddr_storage, datagrams_at_once_max> senders{};
    for (std::size_t i = 0; i < slot_count; ++i) {
        pieces[i] = {into[i].room.data(), into[i].room.size()};
        messages[i].msg_hdr.msg_iov = &pieces[i];
        messages[i].msg_hdr.msg_iovlen = 1;
        messages[i].msg_hdr.msg_name = &senders[i];
        messages[i].msg_hdr.msg_namelen = sizeof senders[i];
    }
    const int count = without_interruption([&] {
        return ::recvmmsg(fd, messages.data(), static_cast<unsigned>(slot_count), MSG_DONTWAIT,
                          nullptr);
    });
    if (count < 0) return last_error();
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
        const msghdr& header = messages[i].msg_hdr;
        into[i].size = messages[i].msg_len;
        into[i].from =
            address_of(static_cast<const sockaddr*>(header.msg_name), header.msg_namelen);
        into[i].is_truncated = (header.msg_flags & MSG_TRUNC) != 0;
    }
    return static_cast<std::size_t>(count);
}

// An IPv6 socket sends to IPv4 addresses too, unless it was told not to.
Result<void> SystemHostCalls::queue_datagram_errors(Fd fd, bool value) {
    const Result<void> done = set_errors_flag<IPPROTO_IP, IP_RECVERR>(fd, value);
    int domain = 0;
    socklen_t size = sizeof domain;
    if (::getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) < 0) return last_error();
    return domain == AF_INET6 ? set_errors_flag<IPPROTO_IPV6, IPV6_RECVERR>(fd, value) : done;
}

Result<DatagramError> SystemHostCalls::take_datagram_error(Fd fd) {
    SystemAddress to;
    alignas(cmsghdr) std::array<std::byte, 512> control{};
    msghdr message{};
    const ssize_t count = without_interruption([&] {
        message = {};
        message.msg_name = to.data();
        message.msg_namelen = sizeof(sockaddr_storage);
        message.msg_control = control.data();
        message.msg_controllen = control.size();
        return ::recvmsg(fd, &message, MSG_ERRQUEUE | MSG_DONTWAIT);
    });
    if (count < 0) return last_error();
    DatagramError taken{.error = Error(std::errc::io_error)};
    taken.to = address_of(to.data(), message.msg_namelen);
    for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr;
         part = CMSG_NXTHDR(&message, part)) {
        const bool is_error = (part->cmsg_level == SOL_IP && part->cmsg_type == IP_RECVERR) ||
                              (part->cmsg_level == SOL_IPV6 && part->cmsg_type == IPV6_RECVERR);
        if (!is_error) continue;
        auto* told = reinterpret_cast<sock_extended_err*>(CMSG_DATA(part));
        taken.error = Error(static_cast<std::errc>(told->ee_errno));
        const sockaddr* by = SO_EE_OFFENDER(told);
        const bool is_ipv6 = by->sa_family == AF_INET6;
        if (is_ipv6 || by->sa_family == AF_INET) {
            taken.reported_by =
                address_of(by, is_ipv6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in));
        }
    }
    return taken;
}

}  // namespace gyre::platform
