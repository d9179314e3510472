// SPDX-License-Identifier: Apache-2.0
// Internet addresses as text, and interfaces by number.
#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>

#include <cerrno>
#include <cstring>
#include <string_view>

#include "compat/uv/internal/memory.hpp"

namespace {

// The longest IPv6 address with an IPv4 tail, and its end.
constexpr std::size_t ip6_text_max = 46;

}  // namespace

int uv_inet_ntop(int af, const void* src, char* dst, size_t size) {
    if (af != AF_INET && af != AF_INET6) return UV_EAFNOSUPPORT;
    if (::inet_ntop(af, src, dst, static_cast<socklen_t>(size)) == nullptr) return -errno;
    return 0;
}

// The zone of an IPv6 address ("%eth0") is not part of what is converted.
int uv_inet_pton(int af, const char* src, void* dst) {
    if (src == nullptr || dst == nullptr) return UV_EINVAL;
    if (af != AF_INET && af != AF_INET6) return UV_EAFNOSUPPORT;
    char text[ip6_text_max];
    if (af == AF_INET6) {
        if (const char* zone = std::strchr(src, '%'); zone != nullptr) {
            const auto length = static_cast<std::size_t>(zone - src);
            if (length >= sizeof text) return UV_EINVAL;
            std::memcpy(text, src, length);
            text[length] = '\0';
            src = text;
        }
    }
    return ::inet_pton(af, src, dst) == 1 ? 0 : UV_EINVAL;
}

int uv_ip4_addr(const char* ip, int port, struct sockaddr_in* addr) {
    std::memset(addr, 0, sizeof *addr);
    addr->sin_family = AF_INET;
    addr->sin_port = htons(static_cast<std::uint16_t>(port));
    return uv_inet_pton(AF_INET, ip, &addr->sin_addr.s_addr);
}

int uv_ip6_addr(const char* ip, int port, struct sockaddr_in6* addr) {
    std::memset(addr, 0, sizeof *addr);
    addr->sin6_family = AF_INET6;
    addr->sin6_port = htons(static_cast<std::uint16_t>(port));
    if (ip == nullptr) return UV_EINVAL;
    if (const char* zone = std::strchr(ip, '%'); zone != nullptr) {
        addr->sin6_scope_id = ::if_nametoindex(zone + 1);
    }
    return uv_inet_pton(AF_INET6, ip, &addr->sin6_addr);
}

int uv_ip4_name(const struct sockaddr_in* src, char* dst, size_t size) {
    return uv_inet_ntop(AF_INET, &src->sin_addr, dst, size);
}

int uv_ip6_name(const struct sockaddr_in6* src, char* dst, size_t size) {
    return uv_inet_ntop(AF_INET6, &src->sin6_addr, dst, size);
}

int uv_ip_name(const struct sockaddr* src, char* dst, size_t size) {
    switch (src->sa_family) {
        case AF_INET:
            return uv_ip4_name(reinterpret_cast<const sockaddr_in*>(src), dst, size);
        case AF_INET6:
            return uv_ip6_name(reinterpret_cast<const sockaddr_in6*>(src), dst, size);
        default:
            return UV_EAFNOSUPPORT;
    }
}

int uv_if_indextoname(unsigned int ifindex, char* buffer, size_t* size) {
    if (buffer == nullptr || size == nullptr || *size == 0) return UV_EINVAL;
    char name[IF_NAMESIZE + 1];
    if (::if_indextoname(ifindex, name) == nullptr) return -errno;
    return gyre::uv::put_text(name, buffer, size);
}

int uv_if_indextoiid(unsigned int ifindex, char* buffer, size_t* size) {
    return uv_if_indextoname(ifindex, buffer, size);
}
