// SPDX-License-Identifier: Apache-2.0
// Reading of StreamHandle into memory that is asked for when there is something to read.
#include <algorithm>

#include "gyre/handle/phased_loop.hpp"
#include "gyre/handle/stream_handle.hpp"

namespace gyre::handle {
namespace {

constexpr std::size_t suggested_size_bytes = std::size_t{64} * 1024;

// Reads of one stream in one iteration: a fast peer must not hold up the others.
constexpr int reads_in_a_row_max = 32;

}  // namespace

CallResult<Status> StreamHandle::read_start(OnAllocate on_allocate, OnRead on_read) {
    return call_on_loop(
        [this, on_allocate = std::move(on_allocate), on_read = std::move(on_read)]() mutable {
            return read_allocating(std::move(on_allocate), std::move(on_read));
        });
}

Status StreamHandle::read_allocating(AnyCallback on_allocate, AnyCallback on_read) noexcept {
    if (const Status opened = check_open(); !opened) return opened;
    if (!has_bit(connected)) return error(std::errc::not_connected);
    if (has_bit(receiving)) return error(std::errc::connection_already_in_progress);
    if (!on_allocate || !on_read) return error(std::errc::invalid_argument);
    // Bytes of an earlier read_start with a buffer would be overtaken.
    if (receive_.is_in_flight() || has_bit(holding) || has_bit(telling)) {
        return error(std::errc::device_or_resource_busy);
    }
    allocate_ = std::move(on_allocate);
    callback_ = std::move(on_read);
    set_bit(receiving, true);
    set_bit(allocating, true);
    activate();
    watch_readable();
    return {};
}

// While a cancelled op is on its way back it is submitted again by on_done.
void StreamHandle::watch_readable() noexcept {
    if (readable_.is_in_flight()) return;
    readable_.fd = fd_;
    readable_.happened = Events::none;
    submit(readable_);
}

void StreamHandle::on_done(Op& op) noexcept {
    if (&op != &readable_) return SocketHandle::on_done(op);
    if (is_closing() || !has_bit(receiving) || !has_bit(allocating)) return;
    if (op.is_cancelled()) return watch_readable();
    tell_read(std::unexpected(Error::of_result(op.result())));
}

void StreamHandle::on_rung(StandingOp& /*op*/) noexcept {
    loop().turns_needed_ = std::max(loop().turns_needed_, 2u);  // It rings after each wait.
    (void)readable_.take_events();
    for (int left = reads_in_a_row_max; left > 0 && read_once(); --left) {
    }
}

// True: there may be more.
bool StreamHandle::read_once() noexcept {
    if (is_closing() || !has_bit(receiving) || !has_bit(allocating)) return false;
    Bytes room;
    allocate_.call<StreamHandle&, std::size_t, Bytes&>(*this, suggested_size_bytes, room);
    // The callback may have stopped or closed the stream: then the memory comes back unused.
    if (is_closing() || !has_bit(receiving)) return false;
    allocated_ = room;
    if (room.empty()) {
        tell_read(std::unexpected(Error(std::errc::no_buffer_space)));
        return false;
    }
    const Result<std::size_t> got = receive_allocated();
    if (!got) {
        tell_read(std::unexpected(got.error()));
        return false;
    }
    tell_read(ConstBytes(room.first(*got)));
    return *got == room.size();
}

Result<std::size_t> StreamHandle::receive_allocated() {
    std::array<Fd, SendPiecesOp::passed_max> passed{};
    const std::span<Fd> fds = accepts_passed_ ? std::span<Fd>(passed) : std::span<Fd>();
    const Result<ReceivedNow> received = loop().sockets().try_receive(fd_, allocated_, fds);
    if (!received) return std::unexpected(received.error());
    passed_.insert(passed_.end(), fds.begin(),
                   fds.begin() + static_cast<std::ptrdiff_t>(received->passed_count));
    return received->size;
}

// The end of the stream and an error stop the reading, but for those that only give the memory back.
void StreamHandle::tell_read(Result<ConstBytes> data) noexcept {
    const bool goes_on = data ? !data->empty()
                              : data.error().code() == std::errc::resource_unavailable_try_again ||
                                    data.error().code() == std::errc::no_buffer_space;
    if (!goes_on) {
        cancel(readable_);
        set_bit(receiving, false);
        deactivate();
    }
    callback_.call<StreamHandle&, Result<ConstBytes>>(*this, std::move(data));
}

// ---- Descriptors that the peer passes ----

CallResult<Status> StreamHandle::accept_passed() {
    return call_on_loop([this]() -> Status {
        if (const Status opened = check_open(); !opened) return opened;
        accepts_passed_ = true;
        return {};
    });
}

Fd StreamHandle::take_passed() noexcept {
    if (passed_.empty()) return -1;
    const Fd first = passed_.front();
    passed_.erase(passed_.begin());
    return first;
}

}  // namespace gyre::handle
