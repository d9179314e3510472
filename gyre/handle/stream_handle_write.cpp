// SPDX-License-Identifier: Apache-2.0
// Connect, write and shutdown of StreamHandle.
#include <algorithm>

#include "gyre/handle/phased_loop.hpp"
#include "gyre/handle/stream_handle.hpp"

namespace gyre::handle {
namespace {

Status status_of(std::int32_t result) noexcept {
    return result < 0 ? Status(std::unexpected(Error::of_result(result))) : Status();
}

}  // namespace

// ---- Connect ----

CallResult<Status> StreamHandle::connect(Connect& request, const Address& to,
                                         Connect::OnDone on_done) {
    return call_on_loop([this, &request, to, on_done = std::move(on_done)]() mutable {
        return connect_here(request, to, std::move(on_done));
    });
}

Status StreamHandle::connect_here(Connect& request, const Address& to,
                                  AnyCallback on_done) noexcept {
    if (const Status opened = check_open(); !opened) return opened;
    if (fd_ >= 0 && !is_bound_) return error(std::errc::device_or_resource_busy);
    if (request.is_active()) return error(std::errc::invalid_argument);
    if (fd_ < 0) {
        const Result<Fd> made = loop().sockets().stream(to.family());
        if (!made) return std::unexpected(made.error());
        fd_ = *made;
    }
    is_bound_ = false;
    set_bit(connecting, true);
    enlist();
    request.stream_ = this;
    request.callback_ = std::move(on_done);
    request.op_.fd = fd_;
    request.op_.to = to;
    request.begin(loop());
    request.submit(request.op_);
    return {};
}

void Connect::on_done(Op& op) noexcept {
    stream_->on_connected(*this, op.result());
}

void StreamHandle::on_connected(Connect& request, std::int32_t result) noexcept {
    set_bit(connecting, false);
    if (result == 0 && !is_closing()) set_bit(connected, true);
    request.end();
    // A connect that succeeds on a closing stream is reported as cancelled.
    const Status status = is_closing() ? error(std::errc::operation_canceled) : status_of(result);
    request.callback_.call_last<Connect&, Status>(request, status);
}

// ---- Write ----

Status Write::take(std::span<const ConstBytes> pieces, std::span<const Fd> passed) {
    many_.reset();
    if (pieces.size() > few) many_ = std::make_unique<ConstBytes[]>(pieces.size());
    left_ = {pieces.size() > few ? many_.get() : few_.data(), pieces.size()};
    std::copy(pieces.begin(), pieces.end(), left_.begin());
    pieces_op_.passed = passed;
    advance(0);
    return {};
}

// Empty pieces are left out, but for the last one: a write of nothing is a write.
void Write::advance(std::size_t sent) noexcept {
    while (left_.size() > 1 && sent >= left_[0].size()) {
        sent -= left_[0].size();
        left_ = left_.subspan(1);
    }
    if (!left_.empty()) left_[0] = left_[0].subspan(sent);
}

std::size_t Write::size_left() const noexcept {
    std::size_t size = 0;
    for (const ConstBytes piece : left_) size += piece.size();
    return size;
}

CallResult<Status> StreamHandle::write(Write& request, ConstBytes data, Write::OnDone on_done) {
    return call_on_loop([this, &request, data, on_done = std::move(on_done)]() mutable {
        return write_here(request, {&data, 1}, {}, std::move(on_done));
    });
}

CallResult<Status> StreamHandle::write(Write& request, std::span<const ConstBytes> pieces,
                                       Write::OnDone on_done, std::span<const Fd> passed) {
    if (loop().is_here()) return write_here(request, pieces, passed, std::move(on_done));
    // A foreign thread's span may be gone when the call runs.
    return call_on_loop([this, &request,
                         copy = std::vector<ConstBytes>(pieces.begin(), pieces.end()), passed,
                         on_done = std::move(on_done)]() mutable {
        return write_here(request, copy, passed, std::move(on_done));
    });
}

Status StreamHandle::write_here(Write& request, std::span<const ConstBytes> pieces,
                                std::span<const Fd> passed, AnyCallback on_done) {
    if (const Status opened = check_open(); !opened) return opened;
    if (fd_ < 0) return error(std::errc::bad_file_descriptor);
    if (has_bit(shut_down) || shutdown_ != nullptr) return error(std::errc::broken_pipe);
    if (request.is_active() || pieces.empty()) return error(std::errc::invalid_argument);
    if (passed.size() > SendPiecesOp::passed_max) return error(std::errc::argument_list_too_long);
    if (const Status taken = request.take(pieces, passed); !taken) return taken;
    request.stream_ = this;
    request.callback_ = std::move(on_done);
    request.begin(loop());
    write_queue_size_ += request.size_left();
    const bool is_first = writes_.empty();
    writes_.push_back(request);
    if (is_first) send(request);
    return {};
}

void StreamHandle::send(Write& request) noexcept {
    set_bit(sending, true);
    const bool is_one = request.left_.size() == 1 && request.pieces_op_.passed.empty();
    if (is_one || is_no_socket_) {
        request.op_.fd = fd_;
        request.op_.buffer = request.left_[0];
        request.submit(request.op_);
    } else {
        request.pieces_op_.fd = fd_;
        request.pieces_op_.pieces = request.left_;
        request.submit(request.pieces_op_);
    }
}

CallResult<Result<std::size_t>> StreamHandle::try_write(std::span<const ConstBytes> pieces,
                                                        std::span<const Fd> passed) {
    return call_on_loop([this, pieces, passed] { return try_write_here(pieces, passed); });
}

Result<std::size_t> StreamHandle::try_write_here(std::span<const ConstBytes> pieces,
                                                 std::span<const Fd> passed) {
    if (const Status opened = check_open(); !opened) return std::unexpected(opened.error());
    if (fd_ < 0) return std::unexpected(Error(std::errc::bad_file_descriptor));
    if (has_bit(shut_down) || shutdown_ != nullptr) {
        return std::unexpected(Error(std::errc::broken_pipe));
    }
    if (!writes_.empty() || has_bit(connecting)) {
        return std::unexpected(Error(std::errc::resource_unavailable_try_again));
    }
    return loop().sockets().try_send(fd_, pieces, passed);
}

void Write::on_done(Op& op) noexcept {
    stream_->on_sent(*this, op.result());
}

void StreamHandle::on_sent(Write& request, std::int32_t result) noexcept {
    set_bit(sending, false);
    // Only a socket takes several pieces at once.
    if (result == failure(std::errc::not_a_socket) && !is_no_socket_ && !is_closing() &&
        request.pieces_op_.passed.empty()) {
        is_no_socket_ = true;
        return send(request);
    }
    if (result >= 0) {
        const auto sent = static_cast<std::size_t>(result);
        write_queue_size_ -= sent;
        request.advance(sent);
        request.pieces_op_.passed = {};  // They went with the first byte.
        if (request.left_.size() > 1 || !request.left_[0].empty()) {
            // A closing stream does not send the rest: on_finish cancels its writes.
            if (!is_closing()) send(request);
            return;
        }
    }
    finish_write(request, status_of(result));
    if (is_closing()) return;
    // The callback may have queued more writes and started the next send.
    if (Write* next = writes_.front(); next != nullptr) {
        if (!has_bit(sending)) send(*next);
    } else if (shutdown_ != nullptr && !has_bit(shut_down)) {
        shut_down_now();
        finish_shutdown({});
    }
}

void StreamHandle::finish_write(Write& request, Status status) noexcept {
    write_queue_size_ -= request.size_left();
    static_cast<Link<WriteLinks>&>(request).unlink();
    request.end();
    request.callback_.call_last<Write&, Status>(request, status);
}

// ---- Shutdown ----

CallResult<Status> StreamHandle::shutdown(Shutdown& request, Shutdown::OnDone on_done) {
    return call_on_loop([this, &request, on_done = std::move(on_done)]() mutable {
        return shutdown_here(request, std::move(on_done));
    });
}

Status StreamHandle::shutdown_here(Shutdown& request, AnyCallback on_done) noexcept {
    if (const Status opened = check_open(); !opened) return opened;
    if (!has_bit(connected) || shutdown_ != nullptr || has_bit(shut_down)) {
        return error(std::errc::not_connected);
    }
    if (request.is_active()) return error(std::errc::invalid_argument);
    shutdown_ = &request;
    request.stream_ = this;
    request.callback_ = std::move(on_done);
    request.begin(loop());
    if (!writes_.empty()) return {};
    shut_down_now();
    request.defer();
    return {};
}

// Errors are ignored: the peer may have closed already.
void StreamHandle::shut_down_now() noexcept {
    (void)loop().sockets().end_sending(fd_);
    set_bit(shut_down, true);
}

void Shutdown::on_pending() noexcept {
    stream_->finish_shutdown({});
}

void StreamHandle::finish_shutdown(Status status) noexcept {
    Shutdown& request = *std::exchange(shutdown_, nullptr);
    auto& pending = static_cast<Link<PendingLinks>&>(request);
    if (pending.is_linked()) pending.unlink();
    request.end();
    request.callback_.call_last<Shutdown&, Status>(request, status);
}

}  // namespace gyre::handle
