// SPDX-License-Identifier: Apache-2.0
#include "gyre/platform/internal/system/socket_calls.hpp"

#include <linux/filter.h>
#include <netinet/in.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include "gyre/platform/internal/system/system_call.hpp"

namespace gyre::platform {
namespace {

constexpr int modes = SOCK_NONBLOCK | SOCK_CLOEXEC;

int domain_of(Address::Family family) noexcept {
    switch (family) {
        case Address::Family::ipv4:
            return AF_INET;
        case Address::Family::ipv6:
            return AF_INET6;
        case Address::Family::unix_path:
            return AF_UNIX;
        case Address::Family::none:
            break;
    }
    return AF_UNSPEC;
}

bool set_flag(Fd fd, int option) noexcept {
    const int on = 1;
    return ::setsockopt(fd, SOL_SOCKET, option, &on, sizeof on) == 0;
}

bool prepare_listener(Fd fd, const SystemAddress& at, ListenOptions options, bool is_ip) noexcept {
    // A restarted server must be able to bind its port although old connections are in TIME_WAIT.
    if (is_ip && !set_flag(fd, SO_REUSEADDR)) return false;
    const bool joins_port = options.share_port && !options.opens_port;
    if (joins_port && !set_flag(fd, SO_REUSEPORT)) return false;
    if (::bind(fd, at.data(), at.size()) < 0) return false;
    if (::listen(fd, options.backlog) < 0) return false;
    // After listen, which fails if another process listens since the bind.
    return !options.share_port || joins_port || set_flag(fd, SO_REUSEPORT);
}

}  // namespace

Result<SystemAddress> SystemAddress::of(const Address& address) noexcept {
    SystemAddress out;
    switch (address.family()) {
        case Address::Family::ipv4: {
            sockaddr_in ip{};
            ip.sin_family = AF_INET;
            ip.sin_port = htons(address.port());
            std::memcpy(&ip.sin_addr, address.ip().data(), sizeof ip.sin_addr);
            std::memcpy(&out.storage_, &ip, sizeof ip);
            out.size_ = sizeof ip;
            return out;
        }
        case Address::Family::ipv6: {
            sockaddr_in6 ip{};
            ip.sin6_family = AF_INET6;
            ip.sin6_port = htons(address.port());
            std::memcpy(&ip.sin6_addr, address.ip().data(), sizeof ip.sin6_addr);
            std::memcpy(&out.storage_, &ip, sizeof ip);
            out.size_ = sizeof ip;
            return out;
        }
        case Address::Family::unix_path: {
            // One byte stays 0: the terminator of the longest path.
            sockaddr_un local{};
            static_assert(sizeof local.sun_path > Address::path_size_max);
            local.sun_family = AF_UNIX;
            const std::string_view path = address.path();
            std::copy(path.begin(), path.end(), local.sun_path);
            std::memcpy(&out.storage_, &local, sizeof local);
            // An abstract name starts with a NUL byte and has no terminator; a path has one.
            const std::size_t end_mark = path.starts_with('\0') ? 0 : 1;
            out.size_ =
                static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size() + end_mark);
            return out;
        }
        case Address::Family::none:
            break;
    }
    return std::unexpected(Error(std::errc::address_family_not_supported));
}

Address SystemAddress::to_address() const noexcept {
    if (storage_.ss_family == AF_INET) {
        sockaddr_in ip{};
        std::memcpy(&ip, &storage_, sizeof ip);
        std::array<std::uint8_t, 4> bytes{};
        std::memcpy(bytes.data(), &ip.sin_addr, bytes.size());
        return Address::ipv4(bytes, ntohs(ip.sin_port));
    }
    if (storage_.ss_family == AF_INET6) {
        sockaddr_in6 ip{};
        std::memcpy(&ip, &storage_, sizeof ip);
        std::array<std::uint8_t, 16> bytes{};
        std::memcpy(bytes.data(), &ip.sin6_addr, bytes.size());
        return Address::ipv6(bytes, ntohs(ip.sin6_port));
    }
    if (storage_.ss_family == AF_UNIX) {
        sockaddr_un local{};
        std::memcpy(&local, &storage_, sizeof local);
        const std::size_t start = offsetof(sockaddr_un, sun_path);
        std::size_t size = size_ > start ? std::min(size_ - start, sizeof local.sun_path) : 0;
        const bool is_abstract = size > 0 && local.sun_path[0] == '\0';
        if (!is_abstract) size = ::strnlen(local.sun_path, size);
        return Address::unix_path({local.sun_path, std::min(size, Address::path_size_max)})
            .value_or(Address());
    }
    return {};
}

Result<Fd> SystemSockets::listen(const Address& at, ListenOptions options) {
    const Result<SystemAddress> where = SystemAddress::of(at);
    if (!where) return std::unexpected(where.error());
    const Result<Fd> fd = stream(at.family());
    if (!fd) return fd;
    const bool is_ip = at.family() != Address::Family::unix_path;
    if (!prepare_listener(*fd, *where, options, is_ip)) {
        const std::unexpected<Error> why = last_error();
        ::close(*fd);
        return why;
    }
    return fd;
}

// A classic BPF filter, which needs no privilege: the kernel runs it on each segment for the
// listener, from the TCP header on, and drops those that it takes 0 bytes of. The third segment of a
// handshake that has begun passes.
Result<void> SystemSockets::end_listening(Fd listener) {
    const Result<Address> at = local_address(listener);
    if (!at) return std::unexpected(at.error());
    if (at->family() == Address::Family::unix_path) {
        return std::unexpected(Error(std::errc::operation_not_supported));
    }
    constexpr std::uint32_t flags_offset = 13;
    constexpr std::uint32_t syn_and_ack = 0x12;
    constexpr std::uint32_t syn = 0x02;
    std::array<sock_filter, 5> code = {{
        {BPF_LD | BPF_B | BPF_ABS, 0, 0, flags_offset},
        {BPF_ALU | BPF_AND | BPF_K, 0, 0, syn_and_ack},
        {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, syn},
        {BPF_RET | BPF_K, 0, 0, 0},
        {BPF_RET | BPF_K, 0, 0, 0xffffffff},
    }};
    const sock_fprog program{.len = code.size(), .filter = code.data()};
    if (::setsockopt(listener, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program) < 0) {
        return last_error();
    }
    return {};
}

Result<Fd> SystemSockets::stream(Address::Family family) {
    return make_socket(family, SOCK_STREAM);
}

Result<Fd> SystemSockets::make_socket(Address::Family family, int type) {
    if (family == Address::Family::none) {
        return std::unexpected(Error(std::errc::address_family_not_supported));
    }
    const Fd fd = ::socket(domain_of(family), type | modes, 0);
    if (fd < 0) return last_error();
    forget(fd);
    return fd;
}

Result<std::array<Fd, 2>> SystemSockets::connection_pair() {
    std::array<Fd, 2> pair{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | modes, 0, pair.data()) < 0) return last_error();
    for (const Fd fd : pair) forget(fd);
    return pair;
}

Result<Address> SystemSockets::local_address(Fd fd) {
    SystemAddress address;
    if (::getsockname(fd, address.data(), address.room()) < 0) return last_error();
    return address.to_address();
}

Result<Address> SystemSockets::peer_address(Fd fd) {
    SystemAddress address;
    if (::getpeername(fd, address.data(), address.room()) < 0) return last_error();
    return address.to_address();
}

Result<void> SystemSockets::end_sending(Fd fd) {
    if (::shutdown(fd, SHUT_WR) < 0) return last_error();
    return {};
}

void SystemSockets::close_now(Fd fd) noexcept {
    forget(fd);
    ::close(fd);
}

}  // namespace gyre::platform
