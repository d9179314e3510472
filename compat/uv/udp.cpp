// SPDX-License-Identifier: Apache-2.0
// uv_udp_*: the socket, its options and groups; udp_state.cpp sends and receives.
#include <net/if.h>
#include <netinet/in.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <vector>

#include "compat/uv/internal/socket_name.hpp"
#include "compat/uv/internal/udp_state.hpp"

namespace gyre::uv {
namespace {

bool is_ip6(int fd) noexcept {
    sockaddr_storage name{};
    socklen_t size = sizeof name;
    return ::getsockname(fd, reinterpret_cast<sockaddr*>(&name), &size) == 0 &&
           name.ss_family == AF_INET6;
}

// One of two options, by the family of the socket.
struct OptionPair {
    int ip4;
    int ip6;
};
int set_by_family(const uv_udp_t* handle, OptionPair options, int value) noexcept {
    const int fd = UdpState::of(handle).fd();
    if (fd < 0) return UV_EBADF;
    return is_ip6(fd) ? set_option(fd, IPPROTO_IPV6, options.ip6, value)
                      : set_option(fd, IPPROTO_IP, options.ip4, value);
}

// The place of a datagram, against whether the socket is connected.
int check_target(const UdpState& state, const sockaddr* to) noexcept {
    if (to != nullptr && state.is_connected) return UV_EISCONN;
    if (to == nullptr && !state.is_connected) return UV_EDESTADDRREQ;
    if (to != nullptr && size_of_address(to) == 0) return UV_EINVAL;
    return 0;
}

int interface_address(const char* text, sockaddr_storage& to) noexcept {
    std::memset(&to, 0, sizeof to);
    if (uv_ip4_addr(text, 0, reinterpret_cast<sockaddr_in*>(&to)) == 0) return 0;
    if (uv_ip6_addr(text, 0, reinterpret_cast<sockaddr_in6*>(&to)) == 0) return 0;
    return UV_EINVAL;
}

int set_member4(int fd, const sockaddr_in& group, const char* interface_text,
                bool is_join) noexcept {
    ip_mreq request{};
    request.imr_multiaddr = group.sin_addr;
    request.imr_interface.s_addr = htonl(INADDR_ANY);
    if (interface_text != nullptr) {
        const int status = uv_inet_pton(AF_INET, interface_text, &request.imr_interface.s_addr);
        if (status < 0) return status;
    }
    const int option = is_join ? IP_ADD_MEMBERSHIP : IP_DROP_MEMBERSHIP;
    if (::setsockopt(fd, IPPROTO_IP, option, &request, sizeof request) == 0) return 0;
    return errno == ENXIO ? UV_ENODEV : -errno;
}

int set_member6(int fd, const sockaddr_in6& group, const char* interface_text,
                bool is_join) noexcept {
    ipv6_mreq request{};
    request.ipv6mr_multiaddr = group.sin6_addr;
    if (interface_text != nullptr) {
        sockaddr_in6 chosen{};
        const int status = uv_ip6_addr(interface_text, 0, &chosen);
        if (status < 0) return status;
        request.ipv6mr_interface = chosen.sin6_scope_id;
    }
    const int option = is_join ? IPV6_ADD_MEMBERSHIP : IPV6_DROP_MEMBERSHIP;
    if (::setsockopt(fd, IPPROTO_IPV6, option, &request, sizeof request) == 0) return 0;
    return errno == ENXIO ? UV_ENODEV : -errno;
}

int set_source4(int fd, const sockaddr_in& group, const sockaddr_in& source,
                const char* interface_text, bool is_join) noexcept {
    ip_mreq_source request{};
    request.imr_multiaddr = group.sin_addr;
    request.imr_sourceaddr = source.sin_addr;
    request.imr_interface.s_addr = htonl(INADDR_ANY);
    if (interface_text != nullptr) {
        const int status = uv_inet_pton(AF_INET, interface_text, &request.imr_interface.s_addr);
        if (status < 0) return status;
    }
    const int option = is_join ? IP_ADD_SOURCE_MEMBERSHIP : IP_DROP_SOURCE_MEMBERSHIP;
    return ::setsockopt(fd, IPPROTO_IP, option, &request, sizeof request) == 0 ? 0 : -errno;
}

int set_source6(int fd, const sockaddr_in6& group, const sockaddr_in6& source,
                const char* interface_text, bool is_join) noexcept {
    group_source_req request{};
    if (interface_text != nullptr) {
        sockaddr_in6 chosen{};
        const int status = uv_ip6_addr(interface_text, 0, &chosen);
        if (status < 0) return status;
        request.gsr_interface = chosen.sin6_scope_id;
    }
    std::memcpy(&request.gsr_group, &group, sizeof group);
    std::memcpy(&request.gsr_source, &source, sizeof source);
    const int option = is_join ? MCAST_JOIN_SOURCE_GROUP : MCAST_LEAVE_SOURCE_GROUP;
    if (::setsockopt(fd, IPPROTO_IPV6, option, &request, sizeof request) == 0) return 0;
    return errno == ENXIO ? UV_ENODEV : -errno;
}

// The options that a bind sets first.
int prepare_bind(int fd, const sockaddr* address, unsigned flags) noexcept {
    const bool has_ip6 = address->sa_family == AF_INET6;
    int status = 0;
    if ((flags & UV_UDP_LINUX_RECVERR) != 0) {
        status = has_ip6 ? set_option(fd, IPPROTO_IPV6, IPV6_RECVERR, 1)
                         : set_option(fd, IPPROTO_IP, IP_RECVERR, 1);
    }
    if (status == 0 && (flags & UV_UDP_REUSEADDR) != 0) {
        status = set_option(fd, SOL_SOCKET, SO_REUSEADDR, 1);
    }
    if (status == 0 && (flags & udp_reuse_port) != 0) {
        status = set_option(fd, SOL_SOCKET, SO_REUSEPORT, 1);
    }
    if (status == 0 && (flags & UV_UDP_IPV6ONLY) != 0) {
        status = has_ip6 ? set_option(fd, IPPROTO_IPV6, IPV6_V6ONLY, 1) : UV_EINVAL;
    }
    return status;
}

}  // namespace
}  // namespace gyre::uv

using gyre::uv::UdpState;

int uv_udp_init_ex(uv_loop_t* loop, uv_udp_t* handle, unsigned int flags) {
    const unsigned family = flags & 0xFFu;
    if (family != AF_UNSPEC && family != AF_INET && family != AF_INET6) return UV_EINVAL;
    if ((flags & ~0xFFu & ~unsigned{UV_UDP_RECVMMSG}) != 0) return UV_EINVAL;
    int fd = -1;
    if (family != AF_UNSPEC) {
        fd = gyre::uv::make_socket(static_cast<int>(family), SOCK_DGRAM);
        if (fd < 0) return fd;
    }
    gyre::uv::init_fields(loop, handle, UV_UDP);
    handle->alloc_cb = nullptr;
    handle->recv_cb = nullptr;
    handle->send_queue_size = 0;
    handle->send_queue_count = 0;
    handle->io_watcher.fd = -1;
    auto* state = new (std::nothrow) UdpState(gyre::uv::LoopState::of(loop), handle);
    if (state == nullptr) {
        if (fd >= 0) ::close(fd);
        return UV_ENOMEM;
    }
    state->receives_many = (flags & UV_UDP_RECVMMSG) != 0;
    if (state->receives_many) handle->flags |= gyre::uv::flag_receives_many;
    if (fd >= 0) state->open(fd);
    return 0;
}

int uv_udp_init(uv_loop_t* loop, uv_udp_t* handle) {
    return uv_udp_init_ex(loop, handle, AF_UNSPEC);
}

int uv_udp_open_ex(uv_udp_t* handle, uv_os_sock_t sock, unsigned int flags) {
    const unsigned known = UV_UDP_REUSEADDR | gyre::uv::udp_reuse_port;
    if ((flags & ~known) != 0) return UV_EINVAL;
    auto& state = UdpState::of(handle);
    if (state.fd() >= 0) return UV_EBUSY;
    if (state.loop().has_watcher(sock)) return UV_EEXIST;
    int status = gyre::uv::set_nonblocking(sock, true);
    if (status == 0 && (flags & UV_UDP_REUSEADDR) != 0) {
        status = gyre::uv::set_option(sock, SOL_SOCKET, SO_REUSEADDR, 1);
    }
    if (status == 0 && (flags & gyre::uv::udp_reuse_port) != 0) {
        status = gyre::uv::set_option(sock, SOL_SOCKET, SO_REUSEPORT, 1);
    }
    if (status < 0) return status;
    state.open(sock);
    sockaddr_storage peer{};
    socklen_t size = sizeof peer;
    state.is_connected = ::getpeername(sock, reinterpret_cast<sockaddr*>(&peer), &size) == 0;
    sockaddr_in6 name{};
    size = sizeof name;
    const bool is_named = ::getsockname(sock, reinterpret_cast<sockaddr*>(&name), &size) == 0;
    state.is_bound = is_named && name.sin6_port != 0;
    return 0;
}

int uv_udp_open(uv_udp_t* handle, uv_os_sock_t sock) {
    return uv_udp_open_ex(handle, sock, UV_UDP_REUSEADDR);
}

int uv_udp_bind(uv_udp_t* handle, const struct sockaddr* addr, unsigned int flags) {
    if (gyre::uv::is_closing(gyre::uv::as_handle(handle))) return UV_EINVAL;
    const unsigned known =
        UV_UDP_IPV6ONLY | UV_UDP_REUSEADDR | UV_UDP_LINUX_RECVERR | gyre::uv::udp_reuse_port;
    if ((flags & ~known) != 0 || gyre::uv::size_of_address(addr) == 0) return UV_EINVAL;
    if ((flags & UV_UDP_IPV6ONLY) != 0 && addr->sa_family != AF_INET6) return UV_EINVAL;
    auto& state = UdpState::of(handle);
    int status = state.ensure_socket(addr->sa_family);
    if (status == 0) status = gyre::uv::prepare_bind(state.fd(), addr, flags);
    if (status < 0) return status;
    if (::bind(state.fd(), addr, gyre::uv::size_of_address(addr)) != 0) {
        return errno == EAFNOSUPPORT ? UV_EINVAL : -errno;
    }
    state.is_bound = true;
    state.receives_errors = state.receives_errors || (flags & UV_UDP_LINUX_RECVERR) != 0;
    return 0;
}

int uv_udp_connect(uv_udp_t* handle, const struct sockaddr* addr) {
    auto& state = UdpState::of(handle);
    if (addr == nullptr) {
        if (!state.is_connected) return UV_ENOTCONN;
        sockaddr none{};
        none.sa_family = AF_UNSPEC;
        if (::connect(state.fd(), &none, sizeof none) != 0 && errno != EAFNOSUPPORT) return -errno;
        state.is_connected = false;
        return 0;
    }
    if (gyre::uv::size_of_address(addr) == 0) return UV_EINVAL;
    if (state.is_connected) return UV_EISCONN;
    if (const int status = state.ensure_bound(addr->sa_family); status < 0) return status;
    while (::connect(state.fd(), addr, gyre::uv::size_of_address(addr)) != 0) {
        if (errno != EINTR) return -errno;
    }
    state.is_connected = true;
    return 0;
}

int uv_udp_getpeername(const uv_udp_t* handle, struct sockaddr* name, int* namelen) {
    return gyre::uv::get_name(::getpeername, handle->io_watcher.fd, name, namelen);
}

int uv_udp_getsockname(const uv_udp_t* handle, struct sockaddr* name, int* namelen) {
    return gyre::uv::get_name(::getsockname, handle->io_watcher.fd, name, namelen);
}

int uv_udp_send(uv_udp_send_t* req, uv_udp_t* handle, const uv_buf_t bufs[], unsigned int nbufs,
                const struct sockaddr* addr, uv_udp_send_cb send_cb) {
    if (gyre::uv::is_elsewhere(handle->loop)) {
        sockaddr_storage to{};
        if (addr != nullptr) std::memcpy(&to, addr, gyre::uv::size_of_address(addr));
        const bool has_address = addr != nullptr;
        gyre::uv::post(handle->loop, [=, pieces = std::vector(bufs, bufs + nbufs)] {
            const auto* copy = has_address ? reinterpret_cast<const sockaddr*>(&to) : nullptr;
            const int status = uv_udp_send(req, handle, pieces.data(), nbufs, copy, send_cb);
            if (status < 0) gyre::uv::refuse(req, handle, send_cb, status);
        });
        return 0;
    }
    auto& state = UdpState::of(handle);
    if (const int status = gyre::uv::check_target(state, addr); status < 0) return status;
    if (nbufs == 0) return UV_EINVAL;
    if (addr != nullptr) {
        if (const int status = state.ensure_bound(addr->sa_family); status < 0) return status;
    }
    return state.send(req, bufs, nbufs, addr, send_cb);
}

int uv_udp_try_send(uv_udp_t* handle, const uv_buf_t bufs[], unsigned int nbufs,
                    const struct sockaddr* addr) {
    if (gyre::uv::is_elsewhere(handle->loop)) return UV_EAGAIN;
    auto& state = UdpState::of(handle);
    if (nbufs == 0) return UV_EINVAL;
    if (const int status = gyre::uv::check_target(state, addr); status < 0) return status;
    // It must not overtake what waits.
    if (handle->send_queue_count != 0) return UV_EAGAIN;
    if (addr != nullptr) {
        if (const int status = state.ensure_bound(addr->sa_family); status < 0) return status;
    }
    return state.try_send(bufs, nbufs, addr);
}

// The count of datagrams that were sent, or the error of the first.
int uv_udp_try_send2(uv_udp_t* handle, unsigned int count, uv_buf_t* bufs[], unsigned int nbufs[],
                     struct sockaddr* addrs[], unsigned int flags) {
    if (count == 0 || flags != 0) return UV_EINVAL;
    for (unsigned i = 0; i < count; ++i) {
        const int status = uv_udp_try_send(handle, bufs[i], nbufs[i], addrs[i]);
        if (status < 0) return i == 0 ? status : static_cast<int>(i);
    }
    return static_cast<int>(count);
}

int uv_udp_recv_start(uv_udp_t* handle, uv_alloc_cb alloc_cb, uv_udp_recv_cb recv_cb) {
    if (alloc_cb == nullptr || recv_cb == nullptr) return UV_EINVAL;
    const auto again = [=] {
        const int status = uv_udp_recv_start(handle, alloc_cb, recv_cb);
        const uv_buf_t none = uv_buf_init(nullptr, 0);
        if (status < 0) recv_cb(handle, status, &none, nullptr, 0);
    };
    if (gyre::uv::carry(handle->loop, again)) return 0;
    if (gyre::uv::is_closing(gyre::uv::as_handle(handle))) return UV_EINVAL;
    return UdpState::of(handle).start_receiving(alloc_cb, recv_cb);
}

int uv_udp_recv_stop(uv_udp_t* handle) {
    if (gyre::uv::carry(handle->loop, [=] { (void)uv_udp_recv_stop(handle); })) return 0;
    if (gyre::uv::state_of(gyre::uv::as_handle(handle)) != nullptr) {
        UdpState::of(handle).stop_receiving();
    }
    return 0;
}

int uv_udp_using_recvmmsg(const uv_udp_t* handle) {
    return (handle->flags & gyre::uv::flag_receives_many) != 0 ? 1 : 0;
}

size_t uv_udp_get_send_queue_size(const uv_udp_t* handle) {
    return handle->send_queue_size;
}

size_t uv_udp_get_send_queue_count(const uv_udp_t* handle) {
    return handle->send_queue_count;
}

int uv_udp_set_broadcast(uv_udp_t* handle, int on) {
    const int fd = UdpState::of(handle).fd();
    return fd < 0 ? UV_EBADF : gyre::uv::set_option(fd, SOL_SOCKET, SO_BROADCAST, on);
}

int uv_udp_set_ttl(uv_udp_t* handle, int ttl) {
    if (ttl < 1 || ttl > 255) return UV_EINVAL;
    return gyre::uv::set_by_family(handle, {IP_TTL, IPV6_UNICAST_HOPS}, ttl);
}

int uv_udp_set_multicast_ttl(uv_udp_t* handle, int ttl) {
    return gyre::uv::set_by_family(handle, {IP_MULTICAST_TTL, IPV6_MULTICAST_HOPS}, ttl);
}

int uv_udp_set_multicast_loop(uv_udp_t* handle, int on) {
    return gyre::uv::set_by_family(handle, {IP_MULTICAST_LOOP, IPV6_MULTICAST_LOOP}, on);
}

// Null: the system chooses.
int uv_udp_set_multicast_interface(uv_udp_t* handle, const char* interface_addr) {
    const int fd = UdpState::of(handle).fd();
    sockaddr_storage chosen{};
    if (interface_addr != nullptr) {
        if (const int status = gyre::uv::interface_address(interface_addr, chosen); status < 0) {
            return status;
        }
    } else {
        chosen.ss_family = gyre::uv::is_ip6(fd) ? AF_INET6 : AF_INET;
    }
    if (fd < 0) return UV_EBADF;
    if (chosen.ss_family == AF_INET6) {
        const auto scope = reinterpret_cast<const sockaddr_in6&>(chosen).sin6_scope_id;
        return gyre::uv::set_option(fd, IPPROTO_IPV6, IPV6_MULTICAST_IF, static_cast<int>(scope));
    }
    const in_addr address = reinterpret_cast<const sockaddr_in&>(chosen).sin_addr;
    return ::setsockopt(fd, IPPROTO_IP, IP_MULTICAST_IF, &address, sizeof address) == 0 ? 0
                                                                                        : -errno;
}

int uv_udp_set_membership(uv_udp_t* handle, const char* multicast_addr, const char* interface_addr,
                          uv_membership membership) {
    if (membership != UV_JOIN_GROUP && membership != UV_LEAVE_GROUP) return UV_EINVAL;
    auto& state = UdpState::of(handle);
    const bool is_join = membership == UV_JOIN_GROUP;
    sockaddr_in group4{};
    sockaddr_in6 group6{};
    if (uv_ip4_addr(multicast_addr, 0, &group4) == 0) {
        const int status = state.ensure_bound(AF_INET);
        if (status < 0) return status;
        return gyre::uv::set_member4(state.fd(), group4, interface_addr, is_join);
    }
    if (uv_ip6_addr(multicast_addr, 0, &group6) != 0) return UV_EINVAL;
    if (const int status = state.ensure_bound(AF_INET6); status < 0) return status;
    return gyre::uv::set_member6(state.fd(), group6, interface_addr, is_join);
}

int uv_udp_set_source_membership(uv_udp_t* handle, const char* multicast_addr,
                                 const char* interface_addr, const char* source_addr,
                                 uv_membership membership) {
    if (membership != UV_JOIN_GROUP && membership != UV_LEAVE_GROUP) return UV_EINVAL;
    auto& state = UdpState::of(handle);
    const bool is_join = membership == UV_JOIN_GROUP;
    sockaddr_storage group{};
    sockaddr_storage source{};
    if (const int status = gyre::uv::interface_address(multicast_addr, group); status < 0) {
        return status;
    }
    if (const int status = gyre::uv::interface_address(source_addr, source); status < 0) {
        return status;
    }
    if (group.ss_family != source.ss_family) return UV_EINVAL;
    if (const int status = state.ensure_bound(group.ss_family); status < 0) return status;
    if (group.ss_family == AF_INET6) {
        return gyre::uv::set_source6(state.fd(), reinterpret_cast<sockaddr_in6&>(group),
                                     reinterpret_cast<sockaddr_in6&>(source), interface_addr,
                                     is_join);
    }
    return gyre::uv::set_source4(state.fd(), reinterpret_cast<sockaddr_in&>(group),
                                 reinterpret_cast<sockaddr_in&>(source), interface_addr, is_join);
}
