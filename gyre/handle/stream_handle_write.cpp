// SPDX-License-Identifier: Apache-2.0
// Connect, write and shutdown of StreamHandle.
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
    if (fd_ >= 0) return error(std::errc::device_or_resource_busy);
    if (request.is_active()) return error(std::errc::invalid_argument);
    const Result<Fd> made = loop().sockets().stream(to.family());
    if (!made) return std::unexpected(made.error());
    fd_ = *made;
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

CallResult<Status> StreamHandle::write(Write& request, ConstBytes data, Write::OnDone on_done) {
    return call_on_loop([this, &request, data, on_done = std::move(on_done)]() mutable {
        return write_here(request, data, std::move(on_done));
    });
}

Status StreamHandle::write_here(Write& request, ConstBytes data, AnyCallback on_done) noexcept {
    if (const Status opened = check_open(); !opened) return opened;
    if (fd_ < 0) return error(std::errc::bad_file_descriptor);
    if (has_bit(shut_down) || shutdown_ != nullptr) return error(std::errc::broken_pipe);
    if (request.is_active()) return error(std::errc::invalid_argument);
    request.stream_ = this;
    request.callback_ = std::move(on_done);
    request.op_.fd = fd_;
    request.op_.buffer = data;
    request.begin(loop());
    write_queue_size_ += data.size();
    const bool is_first = writes_.empty();
    writes_.push_back(request);
    if (is_first) send(request);
    return {};
}

void StreamHandle::send(Write& request) noexcept {
    set_bit(sending, true);
    request.submit(request.op_);
}

void Write::on_done(Op& op) noexcept {
    stream_->on_sent(*this, op.result());
}

void StreamHandle::on_sent(Write& request, std::int32_t result) noexcept {
    set_bit(sending, false);
    if (result >= 0) {
        const auto sent = static_cast<std::size_t>(result);
        write_queue_size_ -= sent;
        request.op_.buffer = request.op_.buffer.subspan(sent);
        if (!request.op_.buffer.empty()) {
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
    write_queue_size_ -= request.op_.buffer.size();
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
