// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <new>
#include <string>

#include "compat/uv/internal/socket_name.hpp"
#include "compat/uv/internal/stream_state.hpp"

namespace gyre::uv {
namespace {

struct UnixAddress {
    sockaddr_un address{};
    socklen_t size = 0;
};

// A name that begins with a zero is in the abstract namespace. Without the flag, a name that is too
// long is cut.
int make_address(const char* name, std::size_t length, unsigned flags, UnixAddress& made) noexcept {
    if ((flags & ~pipe_no_truncate) != 0 || name == nullptr) return UV_EINVAL;
    const bool is_abstract = length > 0 && *name == '\0';
    if (!is_abstract && std::memchr(name, '\0', length) != nullptr) return UV_EINVAL;
    constexpr std::size_t most = sizeof made.address.sun_path;
    if (length > most && (flags & pipe_no_truncate) != 0) return UV_EINVAL;
    length = std::min(length, most);
    made.address.sun_family = AF_UNIX;
    std::memcpy(made.address.sun_path, name, length);
    // Without a name, the system gives one.
    const bool is_exact = is_abstract || length == 0;
    made.size = is_exact ? static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + length)
                         : static_cast<socklen_t>(sizeof made.address);
    return 0;
}

int name_of(AskName ask, const uv_pipe_t* handle, char* buffer, std::size_t* size) noexcept {
    if (buffer == nullptr || size == nullptr || *size == 0) return UV_EINVAL;
    sockaddr_un found{};
    int length = sizeof found;
    const int status =
        get_name(ask, handle->io_watcher.fd, reinterpret_cast<sockaddr*>(&found), &length);
    if (status < 0) {
        *size = 0;
        return status;
    }
    const std::size_t path_size =
        static_cast<std::size_t>(length) > offsetof(sockaddr_un, sun_path)
            ? static_cast<std::size_t>(length) - offsetof(sockaddr_un, sun_path)
            : 0;
    const bool is_abstract = path_size > 0 && found.sun_path[0] == '\0';
    const std::size_t text_size =
        is_abstract ? path_size : ::strnlen(found.sun_path, sizeof found.sun_path);
    const std::size_t needed = text_size + (is_abstract ? 0 : 1);
    if (needed > *size) {
        *size = needed;
        return UV_ENOBUFS;
    }
    std::memcpy(buffer, found.sun_path, text_size);
    *size = text_size;
    if (!is_abstract) buffer[text_size] = '\0';
    return 0;
}

int connect_pipe(StreamState& state, const UnixAddress& to) noexcept {
    if (state.fd() < 0) {
        const int fd = make_socket(AF_UNIX, SOCK_STREAM);
        if (fd < 0) return fd;
        state.keep(fd);
    }
    const auto* address = reinterpret_cast<const sockaddr*>(&to.address);
    while (::connect(state.fd(), address, to.size) != 0) {
        if (errno == EINPROGRESS) return 0;
        if (errno != EINTR) return -errno;
    }
    return 0;
}

}  // namespace

int listen_pipe(uv_pipe_t* handle, int backlog) noexcept {
    auto& state = StreamState::of(handle);
    if (state.fd() < 0) return UV_EINVAL;
    // Descriptors are passed over connections, not over a listener.
    if (handle->ipc != 0) return UV_EINVAL;
    return ::listen(state.fd(), backlog) == 0 ? 0 : -errno;
}

}  // namespace gyre::uv

using gyre::uv::StreamState;

int uv_pipe_init(uv_loop_t* loop, uv_pipe_t* handle, int ipc) {
    handle->ipc = ipc;
    handle->pipe_fname = nullptr;
    return gyre::uv::init_stream(loop, handle, UV_NAMED_PIPE);
}

int uv_pipe_open(uv_pipe_t* handle, uv_file file) {
    auto& state = StreamState::of(handle);
    if (state.loop().has_watcher(file)) return UV_EEXIST;
    const int flags = ::fcntl(file, F_GETFL);
    if (flags < 0) return -errno;
    if (const int status = gyre::uv::set_nonblocking(file, true); status < 0) return status;
    const int mode = flags & O_ACCMODE;
    return state.open(file, {.readable = mode != O_WRONLY, .writable = mode != O_RDONLY});
}

int uv_pipe_bind2(uv_pipe_t* handle, const char* name, size_t namelen, unsigned int flags) {
    gyre::uv::UnixAddress at;
    if (const int status = gyre::uv::make_address(name, namelen, flags, at); status < 0) {
        return status;
    }
    if (gyre::uv::is_closing(gyre::uv::as_handle(handle))) return UV_EINVAL;
    auto& state = StreamState::of(handle);
    if (state.fd() >= 0) return UV_EINVAL;
    const int fd = gyre::uv::make_socket(AF_UNIX, SOCK_STREAM);
    if (fd < 0) return fd;
    if (::bind(fd, reinterpret_cast<const sockaddr*>(&at.address), at.size) != 0) {
        const int error = -errno;
        ::close(fd);
        // As on Windows, for programs that run on both.
        return error == UV_ENOENT ? UV_EACCES : error;
    }
    state.keep(fd);
    state.is_bound = true;
    state.pipe_path.assign(at.address.sun_path,
                           ::strnlen(at.address.sun_path, sizeof at.address.sun_path));
    // Programs read the name in the struct. A name of the abstract namespace is none there.
    if (!state.pipe_path.empty()) handle->pipe_fname = state.pipe_path.c_str();
    return 0;
}

int uv_pipe_bind(uv_pipe_t* handle, const char* name) {
    if (name == nullptr) return UV_EINVAL;
    return uv_pipe_bind2(handle, name, std::strlen(name), 0);
}

int uv_pipe_connect2(uv_connect_t* req, uv_pipe_t* handle, const char* name, size_t namelen,
                     unsigned int flags, uv_connect_cb cb) {
    gyre::uv::UnixAddress to;
    if (namelen == 0) return UV_EINVAL;
    if (gyre::uv::is_elsewhere(handle->loop)) {
        gyre::uv::post(handle->loop, [=, copy = std::string(name, namelen)] {
            const int status = uv_pipe_connect2(req, handle, copy.data(), namelen, flags, cb);
            auto* stream = reinterpret_cast<uv_stream_t*>(handle);
            if (status < 0) gyre::uv::refuse(req, stream, cb, status);
        });
        return 0;
    }
    if (const int status = gyre::uv::make_address(name, namelen, flags, to); status < 0) {
        return status;
    }
    auto& state = StreamState::of(handle);
    state.begin_connect(req, cb, gyre::uv::connect_pipe(state, to));
    return 0;
}

// It returns nothing: what is wrong with the name is told by the callback.
void uv_pipe_connect(uv_connect_t* req, uv_pipe_t* handle, const char* name, uv_connect_cb cb) {
    const int status = uv_pipe_connect2(req, handle, name, std::strlen(name), 0, cb);
    if (status < 0) StreamState::of(handle).begin_connect(req, cb, status);
}

int uv_pipe_getsockname(const uv_pipe_t* handle, char* buffer, size_t* size) {
    return gyre::uv::name_of(::getsockname, handle, buffer, size);
}

int uv_pipe_getpeername(const uv_pipe_t* handle, char* buffer, size_t* size) {
    return gyre::uv::name_of(::getpeername, handle, buffer, size);
}

// Of Windows alone.
void uv_pipe_pending_instances(uv_pipe_t* /*handle*/, int /*count*/) {}

int uv_pipe_pending_count(uv_pipe_t* handle) {
    if (handle->ipc == 0) return 0;
    return static_cast<int>(StreamState::of(handle).pending_count());
}

uv_handle_type uv_pipe_pending_type(uv_pipe_t* handle) {
    if (handle->ipc == 0 || handle->accepted_fd < 0) return UV_UNKNOWN_HANDLE;
    return uv_guess_handle(handle->accepted_fd);
}

int uv_pipe_chmod(uv_pipe_t* handle, int flags) {
    if (handle == nullptr || handle->io_watcher.fd < 0) return UV_EBADF;
    if (flags == 0 || (flags & ~(UV_READABLE | UV_WRITABLE)) != 0) return UV_EINVAL;
    mode_t mode = 0;
    if ((flags & UV_READABLE) != 0) mode |= S_IRUSR | S_IRGRP | S_IROTH;
    if ((flags & UV_WRITABLE) != 0) mode |= S_IWUSR | S_IWGRP | S_IWOTH;
    char path[sizeof(sockaddr_un::sun_path) + 1];
    std::size_t size = sizeof path;
    if (const int status = uv_pipe_getsockname(handle, path, &size); status < 0) return status;
    struct stat found{};
    if (::stat(path, &found) != 0) return -errno;
    return ::chmod(path, found.st_mode | mode) == 0 ? 0 : -errno;
}
