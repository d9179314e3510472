// SPDX-License-Identifier: Apache-2.0
// Receiving of Udp into memory that is asked for when there may be datagrams, several by one system
// call, and the errors of datagrams that were sent.
#include <algorithm>

#include "gyre/handle/phased_loop.hpp"
#include "gyre/handle/udp.hpp"

namespace gyre::handle {
namespace {

constexpr std::size_t suggested_datagram_bytes = std::size_t{64} * 1024;

// Datagrams, and errors, of one handle in one iteration: a fast peer must not hold up the others.
constexpr std::size_t datagrams_in_a_row_max = 32;
constexpr int errors_in_a_row_max = 32;

}  // namespace

CallResult<Status> Udp::receive_start(OnAllocate on_allocate, OnReceive on_receive,
                                      std::size_t datagram_size_max) {
    return call_on_loop([this, on_allocate = std::move(on_allocate),
                         on_receive = std::move(on_receive), datagram_size_max]() mutable {
        return receive_allocating(std::move(on_allocate), std::move(on_receive), datagram_size_max);
    });
}

Status Udp::receive_allocating(AnyCallback on_allocate, AnyCallback on_receive,
                               std::size_t datagram_size_max) noexcept {
    if (const Status opened = check_open(); !opened) return opened;
    if (has_bit(receiving)) return error(std::errc::connection_already_in_progress);
    if (!on_allocate || !on_receive || datagram_size_max == 0) {
        return error(std::errc::invalid_argument);
    }
    // A datagram of an earlier receive_start with a buffer would be overtaken.
    if (receive_.is_in_flight() || has_bit(holding) || has_bit(telling)) {
        return error(std::errc::device_or_resource_busy);
    }
    if (const Status bound = ensure_bound(Address::Family::ipv4, {}); !bound) return bound;
    allocate_ = std::move(on_allocate);
    callback_ = std::move(on_receive);
    datagram_size_max_ = datagram_size_max;
    set_bit(receiving, true);
    set_bit(allocating, true);
    activate();
    watch_readable();
    return {};
}

CallResult<Status> Udp::report_send_errors(OnSendError on_error) {
    return call_on_loop([this, on_error = std::move(on_error)]() mutable {
        return report_errors_here(std::move(on_error));
    });
}

Status Udp::report_errors_here(AnyCallback on_error) {
    if (const Status opened = check_open(); !opened) return opened;
    if (fd_ < 0) return error(std::errc::bad_file_descriptor);
    HostCalls* calls = loop().platform().environment()->host_calls();
    if (calls == nullptr) return error(std::errc::operation_not_supported);
    const Status done = calls->queue_datagram_errors(fd_, static_cast<bool>(on_error));
    if (done) send_error_ = std::move(on_error);
    return done;
}

// While a cancelled op is on its way back it is submitted again by on_done.
void Udp::watch_readable() noexcept {
    if (readable_.is_in_flight()) return;
    readable_.fd = fd_;
    readable_.happened = Events::none;
    submit(readable_);
}

void Udp::on_done(Op& op) noexcept {
    if (&op != &readable_) return SocketHandle::on_done(op);
    if (!is_allocating()) return;
    if (op.is_cancelled()) return watch_readable();
    set_bit(receiving, false);
    deactivate();
    callback_.call<Udp&, Result<Received>>(*this, std::unexpected(Error::of_result(op.result())));
}

// The errors first: one that was taken does not fail the next receive.
void Udp::on_rung(StandingOp& /*op*/) noexcept {
    loop().turns_needed_ = std::max(loop().turns_needed_, 2u);  // It rings after each wait.
    const Events seen = readable_.take_events();
    if (send_error_ && any(seen & Events::error)) tell_errors();
    for (std::size_t told = 0; told < datagrams_in_a_row_max;) {
        if (!is_allocating() || !receive_batch()) return;
        told += slots_.size();
    }
}

// True: there may be more.
bool Udp::receive_batch() noexcept {
    Bytes room;
    allocate_.call<Udp&, std::size_t, Bytes&>(*this, suggested_datagram_bytes, room);
    // The callback may have stopped or closed the handle: then the memory comes back unused.
    if (!is_allocating()) return false;
    const Result<std::size_t> count = fill(room);
    if (!count) {
        callback_.call<Udp&, Result<Received>>(*this, std::unexpected(count.error()));
        return false;
    }
    tell_batch(*count);
    return *count == slots_.size();
}

Result<std::size_t> Udp::fill(Bytes room) {
    if (room.empty()) return std::unexpected(Error(std::errc::no_buffer_space));
    HostCalls* calls = loop().platform().environment()->host_calls();
    if (calls == nullptr) return std::unexpected(Error(std::errc::operation_not_supported));
    // Less room than for two is all for one.
    const std::size_t fitting = std::max<std::size_t>(1, room.size() / datagram_size_max_);
    slots_.resize(std::min(fitting, HostCalls::datagrams_at_once_max));
    const std::size_t part = slots_.size() == 1 ? room.size() : datagram_size_max_;
    for (std::size_t i = 0; i < slots_.size(); ++i) slots_[i].room = room.subspan(i * part, part);
    return calls->receive_datagrams(fd_, slots_);
}

// A callback may stop the handle: the rest of the batch is told all the same, since the system has
// given it out; a close ends it.
void Udp::tell_batch(std::size_t count) noexcept {
    for (std::size_t i = 0; i < count && !is_closing(); ++i) {
        const DatagramSlot& slot = slots_[i];
        callback_.call<Udp&, Result<Received>>(
            *this,
            Received{slot.room.first(slot.size), slot.from, slot.is_truncated, i + 1 == count});
    }
}

void Udp::tell_errors() noexcept {
    HostCalls& calls = *loop().platform().environment()->host_calls();
    for (int left = errors_in_a_row_max; left > 0 && is_allocating(); --left) {
        const Result<DatagramError> taken = calls.take_datagram_error(fd_);
        if (!taken) return;
        send_error_.call<Udp&, const DatagramError&>(*this, *taken);
    }
}

}  // namespace gyre::handle
