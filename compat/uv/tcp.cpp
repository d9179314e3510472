// SPDX-License-Identifier: Apache-2.0
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <ifaddrs.h>
#include <cerrno>
#include <cstring>
#include <new>

#include "compat/uv/internal/socket_name.hpp"
#include "compat/uv/internal/stream_state.hpp"

namespace gyre::uv {
namespace {

int set_keep_alive(int fd, bool is_on, int idle, int interval, int count) noexcept {
    if (!is_on) return set_option(fd, SOL_SOCKET, SO_KEEPALIVE, 0);
    int status = set_option(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
    if (status == 0) status = set_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, idle);
    if (status == 0) status = set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, interval);
    if (status == 0) status = set_option(fd, IPPROTO_TCP, TCP_KEEPCNT, count);
    return status;
}

int ensure_socket(StreamState& state, int family) noexcept {
    if (state.fd() >= 0) return 0;
    const int fd = make_socket(family, SOCK_STREAM);
    if (fd < 0) return fd;
    if (const int status = apply_tcp_options(state, fd); status < 0) {
        ::close(fd);
        return status;
    }
    state.keep(fd);
    return 0;
}

// The scope of a link-local address that names none: that of the first interface with such an
// address.
sockaddr_in6 with_scope(const sockaddr* address) noexcept {
    sockaddr_in6 scoped{};
    std::memcpy(&scoped, address, sizeof scoped);
    ifaddrs* all = nullptr;
    if (scoped.sin6_scope_id != 0 || ::getifaddrs(&all) != 0) return scoped;
    for (const ifaddrs* entry = all; entry != nullptr; entry = entry->ifa_next) {
        if (entry->ifa_addr == nullptr || entry->ifa_addr->sa_family != AF_INET6) continue;
        const auto* found = reinterpret_cast<const sockaddr_in6*>(entry->ifa_addr);
        if (!IN6_IS_ADDR_LINKLOCAL(&found->sin6_addr)) continue;
        scoped.sin6_scope_id = found->sin6_scope_id;
        break;
    }
    ::freeifaddrs(all);
    return scoped;
}

int connect_to(int fd, const sockaddr* address, socklen_t size) noexcept {
    sockaddr_in6 scoped{};
    if (address->sa_family == AF_INET6 &&
        IN6_IS_ADDR_LINKLOCAL(&reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr)) {
        scoped = with_scope(address);
        address = reinterpret_cast<const sockaddr*>(&scoped);
    }
    while (::connect(fd, address, size) != 0) {
        if (errno == EINPROGRESS) return 0;
        if (errno != EINTR) return -errno;
    }
    return 0;
}

}  // namespace

int apply_tcp_options(StreamState& state, int fd) noexcept {
    if (state.wants_no_delay) {
        if (const int status = set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1); status < 0) {
            return status;
        }
    }
    if (state.keep_alive_idle == 0) return 0;
    return set_keep_alive(fd, true, state.keep_alive_idle, state.keep_alive_interval,
                          state.keep_alive_count);
}

int listen_tcp(uv_tcp_t* handle, int backlog) noexcept {
    if (handle->delayed_error != 0) return handle->delayed_error;
    auto& state = StreamState::of(handle);
    if (const int status = ensure_socket(state, AF_INET); status < 0) return status;
    if (::listen(state.fd(), backlog) != 0) return -errno;
    state.is_bound = true;
    return 0;
}

}  // namespace gyre::uv

using gyre::uv::StreamState;

int uv_tcp_init_ex(uv_loop_t* loop, uv_tcp_t* handle, unsigned int flags) {
    const unsigned family = flags & 0xFFu;
    if (family != AF_UNSPEC && family != AF_INET && family != AF_INET6) return UV_EINVAL;
    if ((flags & ~0xFFu) != 0) return UV_EINVAL;
    int fd = -1;
    if (family != AF_UNSPEC) {
        fd = gyre::uv::make_socket(static_cast<int>(family), SOCK_STREAM);
        if (fd < 0) return fd;
    }
    const int status = gyre::uv::init_stream(loop, handle, UV_TCP);
    if (fd >= 0 && status == 0) StreamState::of(handle).keep(fd);
    if (fd >= 0 && status < 0) ::close(fd);
    return status;
}

int uv_tcp_init(uv_loop_t* loop, uv_tcp_t* handle) {
    return uv_tcp_init_ex(loop, handle, AF_UNSPEC);
}

int uv_tcp_open(uv_tcp_t* handle, uv_os_sock_t sock) {
    auto& state = StreamState::of(handle);
    if (state.loop().has_watcher(sock)) return UV_EEXIST;
    if (const int status = gyre::uv::set_nonblocking(sock, true); status < 0) return status;
    return state.open(sock, {});
}

int uv_tcp_bind(uv_tcp_t* handle, const struct sockaddr* addr, unsigned int flags) {
    if (gyre::uv::is_closing(gyre::uv::as_handle(handle))) return UV_EINVAL;
    const bool is_ip6 = addr->sa_family == AF_INET6;
    if (addr->sa_family != AF_INET && !is_ip6) return UV_EINVAL;
    if ((flags & UV_TCP_IPV6ONLY) != 0 && !is_ip6) return UV_EINVAL;
    auto& state = StreamState::of(handle);
    int status = gyre::uv::ensure_socket(state, addr->sa_family);
    const int fd = state.fd();
    if (status == 0) status = gyre::uv::set_option(fd, SOL_SOCKET, SO_REUSEADDR, 1);
    if (status == 0 && (flags & gyre::uv::tcp_reuse_port) != 0) {
        status = gyre::uv::set_option(fd, SOL_SOCKET, SO_REUSEPORT, 1);
    }
    if (status == 0 && is_ip6) {
        const int only = (flags & UV_TCP_IPV6ONLY) != 0 ? 1 : 0;
        status = gyre::uv::set_option(fd, IPPROTO_IPV6, IPV6_V6ONLY, only);
    }
    if (status < 0) return status;
    handle->delayed_error = 0;
    if (::bind(fd, addr, gyre::uv::size_of_address(addr)) != 0) {
        // A port that is taken is told of by the listen or the connect.
        if (errno != EADDRINUSE) return errno == EAFNOSUPPORT ? UV_EINVAL : -errno;
        handle->delayed_error = UV_EADDRINUSE;
    }
    state.is_bound = true;
    return 0;
}

int uv_tcp_connect(uv_connect_t* req, uv_tcp_t* handle, const struct sockaddr* addr,
                   uv_connect_cb cb) {
    if (addr->sa_family != AF_INET && addr->sa_family != AF_INET6) return UV_EINVAL;
    if (gyre::uv::is_elsewhere(handle->loop)) {
        sockaddr_storage to{};
        std::memcpy(&to, addr, gyre::uv::size_of_address(addr));
        gyre::uv::post(handle->loop, [=] {
            const auto* copy = reinterpret_cast<const sockaddr*>(&to);
            const int status = uv_tcp_connect(req, handle, copy, cb);
            auto* stream = reinterpret_cast<uv_stream_t*>(handle);
            if (status < 0) gyre::uv::refuse(req, stream, cb, status);
        });
        return 0;
    }
    if (gyre::uv::is_closing(gyre::uv::as_handle(handle))) return UV_EINVAL;
    if (handle->connect_req != nullptr) return UV_EALREADY;
    auto& state = StreamState::of(handle);
    int error = handle->delayed_error;
    if (error == 0) {
        const int status = gyre::uv::ensure_socket(state, addr->sa_family);
        if (status < 0) return status;
        error = gyre::uv::connect_to(state.fd(), addr, gyre::uv::size_of_address(addr));
        if (error < 0 && error != UV_ECONNREFUSED) return error;
    }
    state.begin_connect(req, cb, error);
    return 0;
}

int uv_tcp_getsockname(const uv_tcp_t* handle, struct sockaddr* name, int* namelen) {
    if (handle->delayed_error != 0) return handle->delayed_error;
    return gyre::uv::get_name(::getsockname, handle->io_watcher.fd, name, namelen);
}

int uv_tcp_getpeername(const uv_tcp_t* handle, struct sockaddr* name, int* namelen) {
    if (handle->delayed_error != 0) return handle->delayed_error;
    return gyre::uv::get_name(::getpeername, handle->io_watcher.fd, name, namelen);
}

// The peer sees a reset instead of an end.
int uv_tcp_close_reset(uv_tcp_t* handle, uv_close_cb close_cb) {
    const auto again = [=] { (void)uv_tcp_close_reset(handle, close_cb); };
    if (gyre::uv::carry(handle->loop, again)) return 0;
    auto& state = StreamState::of(handle);
    if (state.is_shutting_down()) return UV_EINVAL;
    const linger none{1, 0};
    if (::setsockopt(state.fd(), SOL_SOCKET, SO_LINGER, &none, sizeof none) != 0) {
        // There is no connection to reset any more.
        if (errno != EINVAL) return -errno;
    }
    uv_close(gyre::uv::as_handle(handle), close_cb);
    return 0;
}

int uv_tcp_nodelay(uv_tcp_t* handle, int enable) {
    auto& state = StreamState::of(handle);
    if (state.fd() >= 0) {
        const int value = enable != 0 ? 1 : 0;
        const int status = gyre::uv::set_option(state.fd(), IPPROTO_TCP, TCP_NODELAY, value);
        if (status < 0) return status;
    }
    state.wants_no_delay = enable != 0;
    return 0;
}

int uv_tcp_keepalive_ex(uv_tcp_t* handle, int on, unsigned int idle, unsigned int intvl,
                        unsigned int cnt) {
    if (on != 0 && (idle < 1 || intvl < 1 || cnt < 1)) return UV_EINVAL;
    auto& state = StreamState::of(handle);
    const auto number = [](unsigned value) { return static_cast<int>(value); };
    if (state.fd() >= 0) {
        const int status =
            gyre::uv::set_keep_alive(state.fd(), on != 0, number(idle), number(intvl), number(cnt));
        if (status < 0) return status;
    }
    state.keep_alive_idle = on != 0 ? number(idle) : 0;
    state.keep_alive_interval = number(intvl);
    state.keep_alive_count = number(cnt);
    return 0;
}

int uv_tcp_keepalive(uv_tcp_t* handle, int enable, unsigned int delay) {
    return uv_tcp_keepalive_ex(handle, enable, delay, 1, 10);
}

// Of Windows alone.
int uv_tcp_simultaneous_accepts(uv_tcp_t* /*handle*/, int /*enable*/) {
    return 0;
}
