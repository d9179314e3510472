// SPDX-License-Identifier: Apache-2.0
// This process: its program, folder, time, libraries, and descriptors that are no handles.
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>
#include <ctime>
#include <string>

#include "compat/uv/internal/memory.hpp"

namespace gyre::uv {
namespace {

constexpr std::uint64_t second_ns = 1'000'000'000;

int set_flag(int fd, int get, int set, int flag) noexcept {
    const int flags = ::fcntl(fd, get);
    if (flags < 0) return -errno;
    if ((flags & flag) != 0) return 0;
    return ::fcntl(fd, set, flags | flag) == 0 ? 0 : -errno;
}

// Closes both when one of them cannot be set up.
int set_nonblocking_ends(int (&fds)[2], bool first, bool second) noexcept {
    int status = 0;
    if (first) status = set_flag(fds[0], F_GETFL, F_SETFL, O_NONBLOCK);
    if (status == 0 && second) status = set_flag(fds[1], F_GETFL, F_SETFL, O_NONBLOCK);
    if (status < 0) {
        ::close(fds[0]);
        ::close(fds[1]);
    }
    return status;
}

}  // namespace
}  // namespace gyre::uv

int uv_exepath(char* buffer, size_t* size) {
    if (buffer == nullptr || size == nullptr || *size == 0) return UV_EINVAL;
    ssize_t length = static_cast<ssize_t>(*size) - 1;
    if (length > 0) length = ::readlink("/proc/self/exe", buffer, static_cast<std::size_t>(length));
    if (length < 0) return -errno;
    buffer[length] = '\0';
    *size = static_cast<std::size_t>(length);
    return 0;
}

int uv_cwd(char* buffer, size_t* size) {
    if (buffer == nullptr || size == nullptr || *size == 0) return UV_EINVAL;
    char path[PATH_MAX + 1];
    if (::getcwd(path, sizeof path) == nullptr) return -errno;
    std::string_view folder(path);
    if (folder.size() > 1 && folder.back() == '/') folder.remove_suffix(1);
    return gyre::uv::put_text(folder, buffer, size);
}

int uv_chdir(const char* dir) {
    return ::chdir(dir) == 0 ? 0 : -errno;
}

int uv_kill(int pid, int signum) {
    return ::kill(pid, signum) == 0 ? 0 : -errno;
}

uint64_t uv_hrtime(void) {
    timespec time{};
    ::clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * gyre::uv::second_ns +
           static_cast<std::uint64_t>(time.tv_nsec);
}

int uv_clock_gettime(uv_clock_id clock_id, uv_timespec64_t* ts) {
    if (ts == nullptr) return UV_EFAULT;
    if (clock_id != UV_CLOCK_MONOTONIC && clock_id != UV_CLOCK_REALTIME) return UV_EINVAL;
    timespec time{};
    const clockid_t clock = clock_id == UV_CLOCK_MONOTONIC ? CLOCK_MONOTONIC : CLOCK_REALTIME;
    if (::clock_gettime(clock, &time) != 0) return -errno;
    ts->tv_sec = time.tv_sec;
    ts->tv_nsec = static_cast<std::int32_t>(time.tv_nsec);
    return 0;
}

int uv_gettimeofday(uv_timeval64_t* tv) {
    if (tv == nullptr) return UV_EINVAL;
    timeval time{};
    if (::gettimeofday(&time, nullptr) != 0) return -errno;
    tv->tv_sec = time.tv_sec;
    tv->tv_usec = static_cast<std::int32_t>(time.tv_usec);
    return 0;
}

int uv_uptime(double* uptime) {
    timespec time{};
    if (::clock_gettime(CLOCK_BOOTTIME, &time) != 0) return -errno;
    *uptime = static_cast<double>(time.tv_sec);
    return 0;
}

void uv_sleep(unsigned int msec) {
    timespec left{};
    left.tv_sec = msec / 1000;
    left.tv_nsec = static_cast<long>(msec % 1000) * 1'000'000;
    while (::nanosleep(&left, &left) != 0 && errno == EINTR) {
    }
}

int uv_dlopen(const char* filename, uv_lib_t* lib) {
    ::dlerror();
    lib->errmsg = nullptr;
    lib->handle = ::dlopen(filename, RTLD_LAZY);
    if (lib->handle != nullptr) return 0;
    const char* message = ::dlerror();
    lib->errmsg = gyre::uv::copy_text(message == nullptr ? "no message" : message);
    return -1;
}

void uv_dlclose(uv_lib_t* lib) {
    gyre::uv::release(lib->errmsg);
    lib->errmsg = nullptr;
    if (lib->handle != nullptr) ::dlclose(lib->handle);
    lib->handle = nullptr;
}

// An address may be null: the message says whether there was an error.
int uv_dlsym(uv_lib_t* lib, const char* name, void** ptr) {
    ::dlerror();
    *ptr = ::dlsym(lib->handle, name);
    const char* message = *ptr == nullptr ? ::dlerror() : nullptr;
    if (message == nullptr) return 0;
    gyre::uv::release(lib->errmsg);
    lib->errmsg = gyre::uv::copy_text(message);
    return -1;
}

const char* uv_dlerror(const uv_lib_t* lib) {
    return lib->errmsg == nullptr ? "no error" : lib->errmsg;
}

uv_buf_t uv_buf_init(char* base, unsigned int len) {
    uv_buf_t buffer{};
    buffer.base = base;
    buffer.len = len;
    return buffer;
}

int uv_pipe(uv_file fds[2], int read_flags, int write_flags) {
    int made[2];
    if (::pipe2(made, O_CLOEXEC) != 0) return -errno;
    const int status = gyre::uv::set_nonblocking_ends(made, (read_flags & UV_NONBLOCK_PIPE) != 0,
                                                      (write_flags & UV_NONBLOCK_PIPE) != 0);
    if (status < 0) return status;
    fds[0] = made[0];
    fds[1] = made[1];
    return 0;
}

int uv_socketpair(int type, int protocol, uv_os_sock_t socket_vector[2], int flags0, int flags1) {
    int made[2];
    if (::socketpair(AF_UNIX, type | SOCK_CLOEXEC, protocol, made) != 0) return -errno;
    const int status = gyre::uv::set_nonblocking_ends(made, (flags0 & UV_NONBLOCK_PIPE) != 0,
                                                      (flags1 & UV_NONBLOCK_PIPE) != 0);
    if (status < 0) return status;
    socket_vector[0] = made[0];
    socket_vector[1] = made[1];
    return 0;
}

uv_os_fd_t uv_get_osfhandle(int fd) {
    return fd;
}

int uv_open_osfhandle(uv_os_fd_t os_fd) {
    return os_fd;
}

// The descriptors that the process inherited: the first that is closed, above the usual ones, is
// taken for the end.
void uv_disable_stdio_inheritance(void) {
    constexpr int tried_anyway = 15;
    for (int fd = 0;; ++fd) {
        const int status = gyre::uv::set_flag(fd, F_GETFD, F_SETFD, FD_CLOEXEC);
        if (status < 0 && fd > tried_anyway) return;
    }
}
