// SPDX-License-Identifier: Apache-2.0
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

#include "compat/uv/internal/stream_state.hpp"

namespace gyre::uv {

int StreamState::open(int fd, Directions directions) noexcept {
    if (fd_ >= 0 && fd_ != fd) return UV_EBUSY;
    if (stream_->type == UV_TCP) {
        if (const int status = apply_tcp_options(*this, fd); status < 0) return status;
    }
    fd_ = fd;
    stream_->io_watcher.fd = fd;
    is_readable_ = directions.readable;
    is_writable_ = directions.writable;
    may_read_ = false;
    may_write_ = true;
    has_ended_ = false;
    has_hung_up_ = false;
    return 0;
}

// With the first read, or when a write must wait: a connection that is answered at once and closed is
// never registered with the system.
void StreamState::watch_descriptor() noexcept {
    if (fd_ >= 0 && !watcher_.has_descriptor()) watcher_.watch(fd_);
}

void StreamState::begin_connect(uv_connect_t* request, uv_connect_cb callback, int error) noexcept {
    request->type = UV_CONNECT;
    request->handle = stream_;
    request->cb = callback;
    stream_->connect_req = request;
    stream_->delayed_error = error;
    loop().begin_request();
    may_read_ = false;
    may_write_ = false;
    has_failed_ = false;
    has_ended_ = false;
    has_hung_up_ = false;
    if (error < 0 || fd_ < 0) {
        loop().feeder.feed(*this);
        return;
    }
    is_readable_ = true;
    is_writable_ = true;
    update_active();
    must_ask_peer_ = watcher_.is_watching();
    watcher_.watch(fd_);
}

void StreamState::update_active() noexcept {
    const bool is_active = is_reading_ || is_listening_;
    watcher_.set_active(is_active);
    loop().watched.set(fd_, is_active || stream_->connect_req != nullptr);
}

// Once the connect has ended, or was known to fail from the start.
void StreamState::finish_connect() noexcept {
    int error = stream_->delayed_error;
    if (error == 0) {
        if (!may_write_) return;
        error = connect_error();
        if (error == UV_EALREADY) return;
    }
    stream_->delayed_error = 0;
    end_connect(error);
}

// UV_EALREADY while the connect goes on: an edge from before it says nothing of it. A connect that
// failed has told of an error with its edge, and need not be asked otherwise.
int StreamState::connect_error() noexcept {
    if (!has_failed_ && !must_ask_peer_) return 0;
    int error = 0;
    socklen_t size = sizeof error;
    if (::getsockopt(fd_, SOL_SOCKET, SO_ERROR, &error, &size) != 0) error = errno;
    if (error == EINPROGRESS) return UV_EALREADY;
    sockaddr_storage peer{};
    size = sizeof peer;
    if (error == 0 && must_ask_peer_ &&
        ::getpeername(fd_, reinterpret_cast<sockaddr*>(&peer), &size) != 0 && errno == ENOTCONN) {
        may_write_ = false;
        return UV_EALREADY;
    }
    return -error;
}

void StreamState::end_connect(int error) noexcept {
    uv_connect_t* const request = stream_->connect_req;
    stream_->connect_req = nullptr;
    loop().end_request();
    update_active();
    if (request->cb != nullptr) request->cb(request, error);
    if (is_closing(uv())) return;
    if (error < 0) cancel_writes(UV_ECANCELED);
}

void StreamState::on_events(Events events) noexcept {
    const bool has_ended = any(events & (Events::error | Events::hang_up));
    if (has_ended) has_ended_ = true;
    if (any(events & Events::error)) has_failed_ = true;
    if (any(events & Events::hang_up)) has_hung_up_ = true;
    if (has_ended || any(events & Events::readable)) may_read_ = true;
    if (any(events & Events::writable) || any(events & Events::error)) may_write_ = true;
    if (stream_->connect_req != nullptr && has_ended) may_write_ = true;
    go_on(Turn::of_events);
}

void StreamState::on_watch_failed(int error) noexcept {
    if (stream_->connect_req != nullptr) {
        stream_->delayed_error = error;
        loop().feeder.feed(*this);
        return;
    }
    // A file is always ready.
    may_read_ = true;
    may_write_ = true;
    loop().feeder.feed(*this);
}

void StreamState::on_fed() noexcept {
    go_on(Turn::of_pending);
}

// Everything that can go on: with an event what has come first, in the pending phase what was sent.
void StreamState::go_on(Turn turn) noexcept {
    if (is_closing(uv())) return;
    if (stream_->connect_req != nullptr) {
        finish_connect();
        if (stream_->connect_req != nullptr || is_closing(uv())) return;
        if (turn == Turn::of_events) must_ask_ = false;  // The edge has just come.
    }
    if (is_listening_) {
        if (may_read_) accept_available();
        return;
    }
    if (turn == Turn::of_events && is_reading_ && may_read_) read_available();
    if (is_closing(uv())) return;
    if (may_write_ && !writes_.empty()) write_queued();
    run_write_callbacks();
    if (is_closing(uv())) return;
    run_drain();
    if (turn == Turn::of_pending && is_reading_ && may_read_) read_available();
}

int StreamState::shut_down(uv_shutdown_t* request, uv_shutdown_cb callback) noexcept {
    if (!is_writable_ || is_shut_ || is_shutting_down() || is_closing(uv())) return UV_ENOTCONN;
    request->type = UV_SHUTDOWN;
    request->handle = stream_;
    request->cb = callback;
    stream_->shutdown_req = request;
    is_writable_ = false;
    loop().begin_request();
    if (writes_.empty()) loop().feeder.feed(*this);
    return 0;
}

// The sending side is shut down after the last write.
void StreamState::run_drain() noexcept {
    uv_shutdown_t* const request = stream_->shutdown_req;
    if (request == nullptr || !writes_.empty() || !written_.empty()) return;
    stream_->shutdown_req = nullptr;
    loop().end_request();
    int error = ::shutdown(fd_, SHUT_WR) == 0 ? 0 : -errno;
    // A terminal or one end of a pipe has no such side.
    if (error == UV_ENOTSOCK && stream_->type != UV_TCP) error = 0;
    if (error == 0) is_shut_ = true;
    if (request->cb != nullptr) request->cb(request, error);
}

void StreamState::release_descriptors() noexcept {
    const auto close_one = [this](int fd) {
        loop().watched.set(fd, false);
        loop().phased.sockets().close_now(fd);
    };
    if (fd_ >= 0) {
        watcher_.unwatch();
        // Those of the standard streams are not the handle's.
        if (fd_ > STDERR_FILENO) {
            close_one(fd_);
        } else {
            loop().watched.set(fd_, false);
        }
    }
    fd_ = -1;
    stream_->io_watcher.fd = -1;
    if (stream_->accepted_fd >= 0) close_one(stream_->accepted_fd);
    stream_->accepted_fd = -1;
    for (; !passed_.empty(); passed_.pop_front()) close_one(passed_.front());
}

void StreamState::on_close() noexcept {
    is_reading_ = false;
    is_listening_ = false;
    is_readable_ = false;
    is_writable_ = false;
    if (!pipe_path.empty()) {
        ::unlink(pipe_path.c_str());
        reinterpret_cast<uv_pipe_t*>(stream_)->pipe_fname = nullptr;
    }
    release_descriptors();
}

void StreamState::on_closed() noexcept {
    if (uv_connect_t* const connect = stream_->connect_req; connect != nullptr) {
        stream_->connect_req = nullptr;
        loop().end_request();
        if (connect->cb != nullptr) connect->cb(connect, UV_ECANCELED);
    }
    cancel_writes(UV_ECANCELED);
    run_write_callbacks();
    if (uv_shutdown_t* const request = stream_->shutdown_req; request != nullptr) {
        stream_->shutdown_req = nullptr;
        loop().end_request();
        if (request->cb != nullptr) request->cb(request, UV_ECANCELED);
    }
    loop().feeder.take_back(*this);
}

}  // namespace gyre::uv

using gyre::uv::StreamState;

int uv_shutdown(uv_shutdown_t* req, uv_stream_t* handle, uv_shutdown_cb cb) {
    const auto again = [=] {
        const int status = uv_shutdown(req, handle, cb);
        if (status < 0) gyre::uv::refuse(req, handle, cb, status);
    };
    if (gyre::uv::carry(handle->loop, again)) return 0;
    if (gyre::uv::is_closing(gyre::uv::as_handle(handle))) return UV_ENOTCONN;
    return StreamState::of(handle).shut_down(req, cb);
}

size_t uv_stream_get_write_queue_size(const uv_stream_t* stream) {
    return stream->write_queue_size;
}

int uv_is_readable(const uv_stream_t* handle) {
    const auto* state = gyre::uv::state_of<StreamState>(handle);
    return state != nullptr && state->is_readable() ? 1 : 0;
}

int uv_is_writable(const uv_stream_t* handle) {
    const auto* state = gyre::uv::state_of<StreamState>(handle);
    return state != nullptr && state->is_writable() ? 1 : 0;
}

int uv_stream_set_blocking(uv_stream_t* handle, int blocking) {
    auto& state = StreamState::of(handle);
    const int status = gyre::uv::set_nonblocking(state.fd(), blocking == 0);
    if (status == 0) state.set_blocking(blocking != 0);
    return status;
}
