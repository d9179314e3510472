// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

#include "compat/uv/internal/stream_state.hpp"

namespace gyre::uv {
namespace {

constexpr int accepts_at_a_time = 64;

}  // namespace

void StreamState::start_listening(uv_connection_cb callback) noexcept {
    stream_->connection_cb = callback;
    if (!is_listening_) {
        is_listening_ = true;
        watcher_.watch(fd_);
    }
    update_active();
}

// Pauses while a connection waits for uv_accept.
void StreamState::accept_available() noexcept {
    for (int i = 0; i < accepts_at_a_time; ++i) {
        if (!is_listening_ || is_closing(uv()) || stream_->accepted_fd >= 0) return;
        const int fd = accept_one();
        if (fd == UV_EAGAIN) {
            may_read_ = false;
            return;
        }
        if (fd == UV_ECONNABORTED) continue;
        if (fd >= 0) stream_->accepted_fd = fd;
        stream_->connection_cb(stream_, fd < 0 ? fd : 0);
        if (fd < 0) break;
    }
    if (is_listening_ && !is_closing(uv())) loop().feeder.feed(*this);
}

int StreamState::accept_one() noexcept {
    for (;;) {
        const int fd = ::accept4(fd_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd >= 0) return fd;
        if (errno == EINTR) continue;
        if (errno == EMFILE || errno == ENFILE) return refuse_one();
        return errno == EWOULDBLOCK ? UV_EAGAIN : -errno;
    }
}

// Out of descriptors: a spare one is given up to accept the connection and close it, so that the
// peer hears of it and the loop does not spin.
int StreamState::refuse_one() noexcept {
    const int error = -errno;
    if (loop().spare_fd < 0) return error;
    ::close(loop().spare_fd);
    const int fd = ::accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd >= 0) ::close(fd);
    loop().spare_fd = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    return fd >= 0 ? UV_ECONNABORTED : UV_EAGAIN;
}

void StreamState::take_accepted() noexcept {
    stream_->accepted_fd = -1;
    if (!passed_.empty()) {
        stream_->accepted_fd = passed_.front();
        passed_.pop_front();
    } else if (is_listening_ && may_read_) {
        loop().feeder.feed(*this);
    }
}

}  // namespace gyre::uv

using gyre::uv::StreamState;

int uv_listen(uv_stream_t* stream, int backlog, uv_connection_cb cb) {
    const auto again = [=] {
        const int status = uv_listen(stream, backlog, cb);
        if (status < 0) cb(stream, status);
    };
    if (gyre::uv::carry(stream->loop, again)) return 0;
    if (gyre::uv::is_closing(gyre::uv::as_handle(stream))) return UV_EINVAL;
    auto& state = StreamState::of(stream);
    int status = UV_EINVAL;
    if (stream->type == UV_TCP) {
        status = gyre::uv::listen_tcp(reinterpret_cast<uv_tcp_t*>(stream), backlog);
    } else if (stream->type == UV_NAMED_PIPE) {
        status = gyre::uv::listen_pipe(reinterpret_cast<uv_pipe_t*>(stream), backlog);
    }
    if (status == 0) {
        auto& spare = state.loop().spare_fd;
        if (spare < 0) spare = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
        state.start_listening(cb);
    }
    return status;
}

int uv_accept(uv_stream_t* server, uv_stream_t* client) {
    if (gyre::uv::is_elsewhere(server->loop)) return UV_EAGAIN;
    auto& from = StreamState::of(server);
    const int fd = from.accepted();
    if (fd < 0) return UV_EAGAIN;
    int status = UV_EINVAL;
    if (client->type == UV_UDP) {
        status = uv_udp_open(reinterpret_cast<uv_udp_t*>(client), fd);
    } else if (client->type == UV_TCP || client->type == UV_NAMED_PIPE) {
        // A connection does not block from its accept on; what was passed may.
        status = from.is_listening() ? 0 : gyre::uv::set_nonblocking(fd, true);
        if (status == 0) {
            auto& to = StreamState::of(client);
            to.is_bound = true;
            status = to.open(fd, {});
        }
    }
    if (status < 0) ::close(fd);
    from.take_accepted();
    return status;
}
