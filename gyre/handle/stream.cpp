// SPDX-License-Identifier: Apache-2.0
// Opening, reading and closing of Stream.
#include "gyre/handle/stream.hpp"

#include "gyre/handle/deferred.hpp"
#include "gyre/handle/phased_loop.hpp"

namespace gyre::handle {
namespace {

Status error(std::errc code) noexcept {
    return std::unexpected(Error(code));
}

}  // namespace

Carried<Status> Stream::open(Fd fd) {
    return carry([this, fd] { return take_over(fd); });
}

Status Stream::take_over(Fd fd) noexcept {
    if (const Status opened = check_open(); !opened) return opened;
    if (fd_ >= 0) return error(std::errc::device_or_resource_busy);
    if (fd < 0) return error(std::errc::bad_file_descriptor);
    fd_ = fd;
    set_bit(connected, true);
    enlist();
    return {};
}

Result<Address> Stream::local_address() const {
    if (fd_ < 0) return std::unexpected(Error(std::errc::bad_file_descriptor));
    return loop().sockets().local_address(fd_);
}

Carried<Status> Stream::read_start(Bytes buffer, OnRead on_read) {
    return carry([this, buffer, on_read = std::move(on_read)]() mutable {
        return read_here(buffer, std::move(on_read));
    });
}

Carried<Status> Stream::read_stop() {
    return carry([this] { stop_reading(); });
}

Status Stream::read_here(Bytes buffer, AnyCallback on_read) noexcept {
    if (const Status opened = check_open(); !opened) return opened;
    if (!has_bit(connected)) return error(std::errc::not_connected);
    if (has_bit(reading)) return error(std::errc::connection_already_in_progress);
    if (buffer.empty() || !on_read) return error(std::errc::invalid_argument);
    callback_ = std::move(on_read);
    next_buffer_ = buffer;
    set_bit(reading, true);
    activate();
    if (held_) {
        tell_later();
    } else {
        receive_next();
    }
    return {};
}

void Stream::stop_reading() noexcept {
    if (!has_bit(reading)) return;
    set_bit(reading, false);
    cancel(receive_);
    deactivate();
}

// Unless somebody has stopped, closed or started anew meanwhile.
void Stream::receive_next() noexcept {
    const bool is_busy = receive_.is_in_flight() || has_bit(telling);
    if (!has_bit(reading) || is_closing() || is_busy) return;
    receive_.fd = fd_;
    receive_.buffer = next_buffer_;
    submit(receive_);
}

void Stream::on_done(Op& op) noexcept {
    if (&op != &receive_ || is_closing()) return;
    if (!has_bit(reading)) {
        if (!op.is_cancelled()) held_ = op.result();
        return;
    }
    if (!op.is_cancelled()) tell(receive_.buffer, op.result());
    receive_next();
}

// Nobody was reading when it came. It must not be told inside read_start, so it waits for the next
// pending phase; that is rare enough to pay for with an allocation.
void Stream::tell_later() noexcept {
    if (has_bit(telling)) return;
    set_bit(telling, true);
    auto* later = new Deferred(made_at());
    later->start(loop(), [this](Deferred& done) {
        delete &done;
        set_bit(telling, false);
        if (!has_bit(reading) || is_closing() || !held_) return;
        const std::int32_t result = *std::exchange(held_, std::nullopt);
        tell(receive_.buffer, result);
        receive_next();
    });
}

void Stream::tell(Bytes buffer, std::int32_t result) noexcept {
    if (result <= 0) {
        set_bit(reading, false);
        deactivate();
    }
    if (result < 0) {
        callback_.call<Stream&, Result<ConstBytes>>(*this,
                                                    std::unexpected(Error::of_result(result)));
    } else {
        callback_.call<Stream&, Result<ConstBytes>>(
            *this, ConstBytes(buffer.first(static_cast<std::size_t>(result))));
    }
}

// The close brings back everything that waits on the descriptor, itself last.
void Stream::on_close() noexcept {
    set_bit(reading, false);
    if (fd_ < 0) return;
    close_.fd = std::exchange(fd_, -1);
    submit(close_);
}

bool Stream::may_finish() const noexcept {
    return !close_.is_in_flight() && !receive_.is_in_flight() && !has_bit(telling) &&
           !has_bit(connecting) && !has_bit(sending);
}

void Stream::on_finish() noexcept {
    const Status cancelled = error(std::errc::operation_canceled);
    while (Write* write = writes_.front()) finish_write(*write, cancelled);
    if (shutdown_ != nullptr) finish_shutdown(cancelled);
}

}  // namespace gyre::handle
