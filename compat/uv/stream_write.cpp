// SPDX-License-Identifier: Apache-2.0
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <vector>

#include "compat/uv/internal/memory.hpp"
#include "compat/uv/internal/stream_state.hpp"

namespace gyre::uv {
namespace {

constexpr int writes_at_a_time = 32;

std::size_t size_of(const uv_buf_t* buffers, unsigned count) noexcept {
    std::size_t size = 0;
    for (unsigned i = 0; i < count; ++i) size += buffers[i].len;
    return size;
}

bool would_block(ssize_t result) noexcept {
    return result == -EAGAIN || result == -EWOULDBLOCK || result == -ENOBUFS;
}

int descriptor_of(uv_stream_t* passed) noexcept {
    if (passed == nullptr) return -1;
    uv_os_fd_t fd = -1;
    return uv_fileno(as_handle(passed), &fd) == 0 ? fd : -1;
}

// Takes what was written off the buffers.
bool advance(uv_write_t& request, std::size_t count) noexcept {
    for (;;) {
        uv_buf_t& buffer = request.bufs[request.write_index];
        const std::size_t part = std::min(count, buffer.len);
        buffer.base += part;
        buffer.len -= part;
        count -= part;
        if (buffer.len == 0) ++request.write_index;
        if (request.write_index == request.nbufs) return true;
        if (count == 0 && request.bufs[request.write_index].len > 0) return false;
    }
}

}  // namespace

int StreamState::check_write(const uv_stream_t* passed) const noexcept {
    if (fd_ < 0) return UV_EBADF;
    if (!is_writable_) return UV_EPIPE;
    if (passed == nullptr) return 0;
    if (!may_pass()) return UV_EINVAL;
    return descriptor_of(const_cast<uv_stream_t*>(passed)) < 0 ? UV_EBADF : 0;
}

int StreamState::write(uv_write_t* request, const uv_buf_t* buffers, unsigned count,
                       uv_stream_t* passed, uv_write_cb callback) noexcept {
    if (count == 0 || count > INT_MAX) return UV_EINVAL;
    // While it connects, writes wait.
    const bool is_connecting = stream_->connect_req != nullptr;
    if (!is_connecting) {
        if (const int status = check_write(passed); status < 0) return status;
    } else if (fd_ < 0) {
        return UV_EBADF;
    }
    request->bufs = request->bufsml;
    if (count > std::size(request->bufsml)) {
        request->bufs = static_cast<uv_buf_t*>(allocate(count * sizeof *buffers));
        if (request->bufs == nullptr) return UV_ENOMEM;
    }
    std::memcpy(request->bufs, buffers, count * sizeof *buffers);
    request->type = UV_WRITE;
    request->cb = callback;
    request->handle = stream_;
    request->send_handle = passed;
    request->error = 0;
    request->nbufs = count;
    request->write_index = 0;
    // Behind a write that failed it waits until that one's callback has run.
    const bool is_first = writes_.empty() && stream_->write_queue_size == 0;
    stream_->write_queue_size += size_of(buffers, count);
    loop().begin_request();
    writes_.push_back(request);
    if (is_first && !is_connecting) write_queued();
    return 0;
}

// As much as the descriptor takes. The callbacks run later. Behind a write that failed the next one is
// tried in the next pending phase, as in libuv: its callback may close the stream before that.
void StreamState::write_queued() noexcept {
    for (int i = 0; i < writes_at_a_time && !writes_.empty(); ++i) {
        uv_write_t& request = *writes_.front();
        const int passed = request.write_index == 0 ? descriptor_of(request.send_handle) : -1;
        const ssize_t count =
            send(request.bufs + request.write_index, request.nbufs - request.write_index, passed);
        if (would_block(count)) {
            may_write_ = false;
            return watch_descriptor();
        }
        if (count < 0) {
            writes_.pop_front();
            may_write_ = true;
            return finish_write(&request, static_cast<int>(count));
        }
        request.send_handle = nullptr;
        stream_->write_queue_size -= static_cast<std::size_t>(count);
        if (advance(request, static_cast<std::size_t>(count))) {
            writes_.pop_front();
            finish_write(&request, 0);
        }
    }
    if (!writes_.empty()) loop().feeder.feed(*this);
}

ssize_t StreamState::send(const uv_buf_t* buffers, unsigned count, int passed_fd) noexcept {
    auto* pieces = reinterpret_cast<iovec*>(const_cast<uv_buf_t*>(buffers));
    const std::size_t piece_count = std::min<std::size_t>(count, IOV_MAX);
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
    for (;;) {
        ssize_t written = 0;
        if (passed_fd >= 0) {
            msghdr message{};
            message.msg_iov = pieces;
            message.msg_iovlen = piece_count;
            message.msg_control = control;
            message.msg_controllen = sizeof control;
            cmsghdr* part = CMSG_FIRSTHDR(&message);
            part->cmsg_level = SOL_SOCKET;
            part->cmsg_type = SCM_RIGHTS;
            part->cmsg_len = CMSG_LEN(sizeof passed_fd);
            std::memcpy(CMSG_DATA(part), &passed_fd, sizeof passed_fd);
            written = ::sendmsg(fd_, &message, 0);
        } else {
            written = piece_count == 1 ? ::write(fd_, pieces->iov_base, pieces->iov_len)
                                       : ::writev(fd_, pieces, static_cast<int>(piece_count));
        }
        if (written >= 0) return written;
        if (errno == EINTR) continue;
        const bool must_wait = is_blocking_ && would_block(-errno);
        if (!must_wait) return -errno;
        pollfd query{fd_, POLLOUT, 0};
        (void)::poll(&query, 1, -1);
    }
}

void StreamState::finish_write(uv_write_t* request, int error) noexcept {
    request->error = error;
    written_.push_back(request);
    loop().feeder.feed(*this);
}

void StreamState::cancel_writes(int error) noexcept {
    while (!writes_.empty()) {
        uv_write_t* request = writes_.front();
        writes_.pop_front();
        finish_write(request, error);
    }
}

// A callback may write again: that one's callback runs in the next iteration.
void StreamState::run_write_callbacks() noexcept {
    for (std::size_t left = written_.size(); left > 0 && !written_.empty(); --left) {
        uv_write_t* const request = written_.front();
        written_.pop_front();
        if (request->error < 0) {
            stream_->write_queue_size -= size_of(request->bufs + request->write_index,
                                                 request->nbufs - request->write_index);
        }
        if (request->bufs != request->bufsml) release(request->bufs);
        request->bufs = nullptr;
        loop().end_request();
        if (request->cb != nullptr) request->cb(request, request->error);
    }
}

int StreamState::try_write(const uv_buf_t* buffers, unsigned count, uv_stream_t* passed) noexcept {
    const bool is_waiting = !writes_.empty() || stream_->write_queue_size > 0;
    if (stream_->connect_req != nullptr || is_waiting) return UV_EAGAIN;
    if (const int status = check_write(passed); status < 0) return status;
    const ssize_t written = send(buffers, count, descriptor_of(passed));
    if (!would_block(written)) return static_cast<int>(written);
    may_write_ = false;
    return UV_EAGAIN;
}

}  // namespace gyre::uv

using gyre::uv::StreamState;

int uv_write2(uv_write_t* req, uv_stream_t* handle, const uv_buf_t bufs[], unsigned int nbufs,
              uv_stream_t* send_handle, uv_write_cb cb) {
    if (gyre::uv::is_elsewhere(handle->loop)) {
        gyre::uv::post(handle->loop, [=, pieces = std::vector(bufs, bufs + nbufs)] {
            const int status = uv_write2(req, handle, pieces.data(), nbufs, send_handle, cb);
            if (status < 0) gyre::uv::refuse(req, handle, cb, status);
        });
        return 0;
    }
    if (gyre::uv::is_closing(gyre::uv::as_handle(handle))) return UV_EBADF;
    return StreamState::of(handle).write(req, bufs, nbufs, send_handle, cb);
}

int uv_write(uv_write_t* req, uv_stream_t* handle, const uv_buf_t bufs[], unsigned int nbufs,
             uv_write_cb cb) {
    return uv_write2(req, handle, bufs, nbufs, nullptr, cb);
}

int uv_try_write2(uv_stream_t* handle, const uv_buf_t bufs[], unsigned int nbufs,
                  uv_stream_t* send_handle) {
    if (gyre::uv::is_elsewhere(handle->loop)) return UV_EAGAIN;
    if (gyre::uv::is_closing(gyre::uv::as_handle(handle))) return UV_EBADF;
    return StreamState::of(handle).try_write(bufs, nbufs, send_handle);
}

int uv_try_write(uv_stream_t* handle, const uv_buf_t bufs[], unsigned int nbufs) {
    return uv_try_write2(handle, bufs, nbufs, nullptr);
}
