// SPDX-License-Identifier: Apache-2.0
#include "gyre/platform/internal/system/system_children.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "gyre/platform/internal/system/system_call.hpp"

namespace gyre::platform {

// Through syscall(): older C libraries have no wrapper.
Result<Fd> SystemChildren::watch(int pid) {
    const long fd = ::syscall(SYS_pidfd_open, pid, 0);
    if (fd < 0) return last_error();
    return static_cast<Fd>(fd);
}

Result<std::array<Fd, 2>> SystemChildren::stream_pair() {
    std::array<Fd, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) < 0) return last_error();
    if (const Result<void> made = take_inherited(ends[0]); !made) {
        for (const Fd fd : ends) ::close(fd);
        return std::unexpected(made.error());
    }
    return ends;
}

Result<void> SystemChildren::take_inherited(Fd socket) {
    sockaddr_storage address{};
    socklen_t size = sizeof(address);
    if (::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) < 0) {
        return last_error();
    }
    const int flags = ::fcntl(socket, F_GETFL);
    if (flags < 0 || ::fcntl(socket, F_SETFL, flags | O_NONBLOCK) < 0) return last_error();
    if (::fcntl(socket, F_SETFD, FD_CLOEXEC) < 0) return last_error();
    return {};
}

Result<void> SystemChildren::signal(int pid, int number, bool to_group) {
    if (::kill(to_group ? -pid : pid, number) < 0) return last_error();
    return {};
}

Result<ChildEnd> SystemChildren::reap(int pid) {
    siginfo_t info{};
    int status = 0;
    do {
        status = ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG);
    } while (status < 0 && errno == EINTR);
    if (status < 0) return last_error();
    if (info.si_pid == 0) return std::unexpected(Error(std::errc::resource_unavailable_try_again));
    if (info.si_code == CLD_EXITED) return ChildEnd{.code = info.si_status, .signal = 0};
    return ChildEnd{.code = 0, .signal = info.si_status};
}

}  // namespace gyre::platform
