// SPDX-License-Identifier: Apache-2.0
#include "compat/uv/internal/socket_name.hpp"

#include <netinet/in.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>

#include "compat/uv/internal/loop_state.hpp"

namespace gyre::uv {

socklen_t size_of_address(const sockaddr* address) noexcept {
    switch (address->sa_family) {
        case AF_INET:
            return sizeof(sockaddr_in);
        case AF_INET6:
            return sizeof(sockaddr_in6);
        case AF_UNIX:
            return sizeof(sockaddr_un);
        default:
            return 0;
    }
}

int get_name(AskName ask, int fd, sockaddr* name, int* size) noexcept {
    if (fd < 0) return UV_EBADF;
    auto length = static_cast<socklen_t>(*size);
    if (ask(fd, name, &length) != 0) return -errno;
    *size = static_cast<int>(length);
    return 0;
}

int set_option(int fd, int level, int option, int value) noexcept {
    return ::setsockopt(fd, level, option, &value, sizeof value) == 0 ? 0 : -errno;
}

}  // namespace gyre::uv

int uv_fileno(const uv_handle_t* handle, uv_os_fd_t* fd) {
    int found = -1;
    switch (handle->type) {
        case UV_TCP:
        case UV_NAMED_PIPE:
        case UV_TTY:
            found = reinterpret_cast<const uv_stream_t*>(handle)->io_watcher.fd;
            break;
        case UV_UDP:
            found = reinterpret_cast<const uv_udp_t*>(handle)->io_watcher.fd;
            break;
        case UV_POLL:
            found = reinterpret_cast<const uv_poll_t*>(handle)->io_watcher.fd;
            break;
        default:
            return UV_EINVAL;
    }
    if (gyre::uv::is_closing(handle) || found < 0) return UV_EBADF;
    *fd = found;
    return 0;
}

uv_handle_type uv_guess_handle(uv_file file) {
    if (file < 0) return UV_UNKNOWN_HANDLE;
    if (::isatty(file) == 1) return UV_TTY;
    struct stat found{};
    if (::fstat(file, &found) != 0) return UV_UNKNOWN_HANDLE;
    if (S_ISREG(found.st_mode) || S_ISCHR(found.st_mode)) return UV_FILE;
    if (S_ISFIFO(found.st_mode)) return UV_NAMED_PIPE;
    if (!S_ISSOCK(found.st_mode)) return UV_UNKNOWN_HANDLE;
    sockaddr_storage name{};
    socklen_t size = sizeof name;
    int type = 0;
    socklen_t type_size = sizeof type;
    if (::getsockname(file, reinterpret_cast<sockaddr*>(&name), &size) != 0 ||
        ::getsockopt(file, SOL_SOCKET, SO_TYPE, &type, &type_size) != 0) {
        return UV_UNKNOWN_HANDLE;
    }
    const bool is_internet = name.ss_family == AF_INET || name.ss_family == AF_INET6;
    if (type == SOCK_DGRAM && is_internet) return UV_UDP;
    if (type == SOCK_STREAM && is_internet) return UV_TCP;
    if (type == SOCK_STREAM && name.ss_family == AF_UNIX) return UV_NAMED_PIPE;
    return UV_UNKNOWN_HANDLE;
}
