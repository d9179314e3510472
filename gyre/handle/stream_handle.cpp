// SPDX-License-Identifier: Apache-2.0
// Opening, reading and closing of StreamHandle.
#include "gyre/handle/stream_handle.hpp"

#include "gyre/handle/phased_loop.hpp"

namespace gyre::handle {

CallResult<Status> StreamHandle::open(Fd fd) {
    return call_on_loop([this, fd] { return take_over(fd); });
}

Status StreamHandle::take_over(Fd fd) noexcept {
    if (const Status opened = check_open(); !opened) return opened;
    if (fd_ >= 0) return error(std::errc::device_or_resource_busy);
    if (fd < 0) return error(std::errc::bad_file_descriptor);
    fd_ = fd;
    set_bit(connected, true);
    enlist();
    return {};
}

Result<Address> StreamHandle::local_address() const {
    if (fd_ < 0) return std::unexpected(Error(std::errc::bad_file_descriptor));
    return loop().sockets().local_address(fd_);
}

CallResult<Status> StreamHandle::read_start(Bytes buffer, OnRead on_read) {
    return call_on_loop([this, buffer, on_read = std::move(on_read)]() mutable {
        return read_here(buffer, std::move(on_read));
    });
}

CallResult<Status> StreamHandle::read_stop() {
    return call_on_loop([this] {
        if (has_bit(allocating)) cancel(readable_);
        stop_receiving();
    });
}

CallResult<Status> StreamHandle::bind(const Address& at, BindOptions options) {
    return call_on_loop([this, at, options] { return bind_here(at, options); });
}

Status StreamHandle::bind_here(const Address& at, BindOptions options) {
    if (const Status opened = check_open(); !opened) return opened;
    if (fd_ >= 0) return error(std::errc::device_or_resource_busy);
    if (loop().platform().is_simulated()) return error(std::errc::operation_not_supported);
    const Result<Fd> made = loop().sockets().stream(at.family());
    if (!made) return std::unexpected(made.error());
    if (const Status bound = loop().sockets().bind(*made, at, options); !bound) {
        loop().sockets().close_now(*made);
        return bound;
    }
    fd_ = *made;
    is_bound_ = true;
    enlist();
    return {};
}

Status StreamHandle::read_here(Bytes buffer, AnyCallback on_read) noexcept {
    if (const Status opened = check_open(); !opened) return opened;
    if (!has_bit(connected)) return error(std::errc::not_connected);
    if (const Status fits = check_receive(buffer, on_read); !fits) return fits;
    if (readable_.is_in_flight()) return error(std::errc::device_or_resource_busy);
    set_bit(allocating, false);
    start_receiving(buffer, std::move(on_read));
    return {};
}

// The end of the stream and an error stop the reading.
void StreamHandle::tell() noexcept {
    const std::int32_t result = receive_.result();
    if (result <= 0) {
        set_bit(receiving, false);
        deactivate();
    }
    if (result < 0) {
        callback_.call<StreamHandle&, Result<ConstBytes>>(
            *this, std::unexpected(Error::of_result(result)));
    } else {
        callback_.call<StreamHandle&, Result<ConstBytes>>(
            *this, ConstBytes(receive_.buffer.first(static_cast<std::size_t>(result))));
    }
}

void StreamHandle::on_close() noexcept {
    for (const Fd fd : passed_) loop().sockets().close_now(fd);
    passed_.clear();
    SocketHandle::on_close();
}

bool StreamHandle::may_finish() const noexcept {
    return SocketHandle::may_finish() && !has_bit(connecting) && !has_bit(sending) &&
           !readable_.is_in_flight();
}

void StreamHandle::on_finish() noexcept {
    const Status cancelled = error(std::errc::operation_canceled);
    while (Write* write = writes_.front()) finish_write(*write, cancelled);
    if (shutdown_ != nullptr) finish_shutdown(cancelled);
}

}  // namespace gyre::handle
