// SPDX-License-Identifier: Apache-2.0
#include "compat/uv/internal/descriptor.hpp"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "compat/uv/internal/loop_state.hpp"

namespace gyre::uv {

Watched& Watched::of(LoopState& loop) noexcept {
    return loop.watched;
}

int set_nonblocking(int fd, bool value) noexcept {
    const int flags = ::fcntl(fd, F_GETFL);
    if (flags < 0) return -errno;
    const int wanted = value ? flags | O_NONBLOCK : flags & ~O_NONBLOCK;
    if (wanted == flags) return 0;
    return ::fcntl(fd, F_SETFL, wanted) == 0 ? 0 : -errno;
}

int set_close_on_exec(int fd) noexcept {
    return ::fcntl(fd, F_SETFD, FD_CLOEXEC) == 0 ? 0 : -errno;
}

// Asked of an epoll set of its own: the loop's may know the descriptor.
int check_pollable(int /*backend_fd*/, int fd) noexcept {
    const int set = ::epoll_create1(EPOLL_CLOEXEC);
    if (set < 0) return -errno;
    epoll_event interest{};
    interest.events = EPOLLIN;
    const int status = ::epoll_ctl(set, EPOLL_CTL_ADD, fd, &interest) == 0 ? 0 : -errno;
    ::close(set);
    return status;
}

int make_socket(int domain, int type) noexcept {
    const int fd = ::socket(domain, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    return fd < 0 ? -errno : fd;
}

}  // namespace gyre::uv
