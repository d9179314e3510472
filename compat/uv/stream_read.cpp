// SPDX-License-Identifier: Apache-2.0
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "compat/uv/internal/stream_state.hpp"

namespace gyre::uv {
namespace {

constexpr int reads_at_a_time = 32;
constexpr std::size_t buffer_size = 65536;
constexpr std::size_t passed_at_once_max = 64;

}  // namespace

int StreamState::start_reading(uv_alloc_cb alloc, uv_read_cb read) noexcept {
    if (is_closing(uv())) return UV_EINVAL;
    if (is_reading_) return UV_EALREADY;
    // The end of a pipe that is written to can be "read" to hear of the other end's close.
    if (!is_readable_ && (stream_->flags & flag_readable) == 0) return UV_ENOTCONN;
    is_reading_ = true;
    stream_->alloc_cb = alloc;
    stream_->read_cb = read;
    watch_descriptor();
    update_active();
    // What an edge told of while nothing was read, somebody else may have read.
    must_ask_ = may_read_;
    if (may_read_) loop().feeder.feed(*this);
    return 0;
}

void StreamState::stop_reading() noexcept {
    if (!is_reading_) return;
    is_reading_ = false;
    update_active();
    const bool has_requests = stream_->connect_req != nullptr || is_shutting_down() ||
                              !writes_.empty() || !written_.empty();
    if (!has_requests && !is_listening_) loop().feeder.take_back(*this);
}

void StreamState::read_available() noexcept {
    if (std::exchange(must_ask_, false)) {
        pollfd query{fd_, POLLIN, 0};
        if (::poll(&query, 1, 0) == 0) {
            may_read_ = false;
            return;
        }
        if ((query.revents & POLLHUP) != 0) has_hung_up_ = true;  // its edge may be on its way
    }
    for (int i = 0; i < reads_at_a_time; ++i) {
        if (!is_reading_ || !may_read_ || is_closing(uv())) return;
        if (!read_once()) break;
    }
    // What is left is read in the next iteration, so that others get their turn.
    if (is_reading_ && may_read_ && !is_closing(uv())) loop().feeder.feed(*this);
}

// False when this was the last one for now.
bool StreamState::read_once() noexcept {
    uv_buf_t buffer = uv_buf_init(nullptr, 0);
    stream_->alloc_cb(uv(), buffer_size, &buffer);
    if (buffer.base == nullptr || buffer.len == 0) {
        stream_->read_cb(stream_, UV_ENOBUFS, &buffer);
        return false;
    }
    const ssize_t count = receive(buffer);
    if (count == -EAGAIN || count == -EWOULDBLOCK) {
        may_read_ = false;
        stream_->read_cb(stream_, 0, &buffer);
        return false;
    }
    if (count < 0) {
        is_readable_ = false;
        is_writable_ = false;
        stream_->read_cb(stream_, count, &buffer);
        stop_reading();
        return false;
    }
    if (count == 0) {
        stop_reading();
        stream_->read_cb(stream_, UV_EOF, &buffer);
        return false;
    }
    const bool is_short = static_cast<std::size_t>(count) < buffer.len;
    // A short read has emptied a socket or pipe; the next edge tells of more. A terminal gives one
    // line at a time, a message with descriptors is read alone, and so is the end.
    const bool has_more = stream_->type == UV_TTY || may_pass() || has_ended_ || is_blocking_;
    if (is_short && !has_more) may_read_ = false;
    must_ask_ = is_short && has_more && !has_ended_;
    const bool is_last = is_short && has_hung_up_ && stream_->type == UV_NAMED_PIPE && !may_pass();
    stream_->read_cb(stream_, count, &buffer);
    if (is_last) end_of_stream();
    return !is_short;
}

// Nothing can come any more: what a read would say now is of no use to the program, as with a reset
// of data that the other end did not read.
void StreamState::end_of_stream() noexcept {
    if (!is_reading_ || is_closing(uv())) return;
    stop_reading();
    const uv_buf_t none = uv_buf_init(nullptr, 0);
    stream_->read_cb(stream_, UV_EOF, &none);
}

ssize_t StreamState::receive(const uv_buf_t& buffer) noexcept {
    iovec piece{buffer.base, buffer.len};
    alignas(cmsghdr) char control[CMSG_SPACE(passed_at_once_max * sizeof(int))];
    for (;;) {
        ssize_t count = 0;
        if (may_pass()) {
            msghdr message{};
            message.msg_iov = &piece;
            message.msg_iovlen = 1;
            message.msg_control = control;
            message.msg_controllen = sizeof control;
            count = ::recvmsg(fd_, &message, MSG_CMSG_CLOEXEC);
            if (count >= 0) keep_passed(&message);
        } else {
            count = ::read(fd_, buffer.base, buffer.len);
        }
        if (count >= 0) return count;
        if (errno != EINTR) return -errno;
    }
}

// Descriptors wait for uv_accept in the order in which they came.
void StreamState::keep_passed(void* of_message) noexcept {
    auto& message = *static_cast<msghdr*>(of_message);
    for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr;
         part = CMSG_NXTHDR(&message, part)) {
        if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
        const std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (std::size_t i = 0; i < count; ++i) {
            int fd = -1;
            std::memcpy(&fd, CMSG_DATA(part) + i * sizeof fd, sizeof fd);
            if (stream_->accepted_fd < 0) {
                stream_->accepted_fd = fd;
            } else {
                passed_.push_back(fd);
            }
        }
    }
}

}  // namespace gyre::uv

int uv_read_start(uv_stream_t* stream, uv_alloc_cb alloc_cb, uv_read_cb read_cb) {
    if (stream == nullptr || alloc_cb == nullptr || read_cb == nullptr) return UV_EINVAL;
    const auto again = [=] {
        const int status = uv_read_start(stream, alloc_cb, read_cb);
        const uv_buf_t none = uv_buf_init(nullptr, 0);
        if (status < 0) read_cb(stream, status, &none);
    };
    if (gyre::uv::carry(stream->loop, again)) return 0;
    if (gyre::uv::is_closing(gyre::uv::as_handle(stream))) return UV_EINVAL;
    return gyre::uv::StreamState::of(stream).start_reading(alloc_cb, read_cb);
}

int uv_read_stop(uv_stream_t* stream) {
    if (gyre::uv::carry(stream->loop, [=] { (void)uv_read_stop(stream); })) return 0;
    if (gyre::uv::state_of(gyre::uv::as_handle(stream)) == nullptr) return 0;
    gyre::uv::StreamState::of(stream).stop_reading();
    return 0;
}
