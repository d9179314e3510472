// SPDX-License-Identifier: Apache-2.0
// Sending, receiving and closing of Udp.
#include "gyre/handle/phased_loop.hpp"
#include "gyre/handle/udp.hpp"

namespace gyre::handle {

// ---- Sending ----

Status Udp::check_target(const Address& to) const noexcept {
    const bool names_nobody = to.family() == Address::Family::none;
    if (has_bit(connected) && !names_nobody) return error(std::errc::already_connected);
    if (!has_bit(connected) && names_nobody) {
        return error(std::errc::destination_address_required);
    }
    return {};
}

CallResult<Status> Udp::send(UdpSend& request, ConstBytes data, const Address& to,
                             UdpSend::OnDone on_done) {
    return call_on_loop([this, &request, data, to, on_done = std::move(on_done)]() mutable {
        return send_here(request, data, to, std::move(on_done));
    });
}

// The platform serves the sends of one socket in their order, so all of them are submitted at once.
Status Udp::send_here(UdpSend& request, ConstBytes data, const Address& to,
                      AnyCallback on_done) noexcept {
    if (const Status opened = check_open(); !opened) return opened;
    if (const Status fits = check_target(to); !fits) return fits;
    if (request.is_active()) return error(std::errc::invalid_argument);
    if (const Status made = ensure_socket(to.family()); !made) return made;
    request.handle_ = this;
    request.callback_ = std::move(on_done);
    request.op_.fd = fd_;
    request.op_.buffer = data;
    request.op_.to = to;
    request.begin(loop());
    request.submit(request.op_);
    send_queue_size_ += data.size();
    ++send_queue_count_;
    return {};
}

void UdpSend::on_done(Op& op) noexcept {
    handle_->on_sent(*this, op.result());
}

void Udp::on_sent(UdpSend& request, std::int32_t result) noexcept {
    send_queue_size_ -= request.op_.buffer.size();
    --send_queue_count_;
    request.end();
    const Status status = result < 0 ? Status(std::unexpected(Error::of_result(result))) : Status();
    request.callback_.call_last<UdpSend&, Status>(request, status);
}

CallResult<Result<std::size_t>> Udp::try_send(ConstBytes data, const Address& to) {
    return call_on_loop([this, data, to] { return try_send_here(data, to); });
}

Result<std::size_t> Udp::try_send_here(ConstBytes data, const Address& to) noexcept {
    if (const Status opened = check_open(); !opened) return std::unexpected(opened.error());
    if (const Status fits = check_target(to); !fits) return std::unexpected(fits.error());
    if (send_queue_count_ > 0) {
        return std::unexpected(Error(std::errc::resource_unavailable_try_again));
    }
    if (const Status made = ensure_socket(to.family()); !made) {
        return std::unexpected(made.error());
    }
    return loop().sockets().try_send_to(fd_, data, to);
}

// ---- Receiving ----

CallResult<Status> Udp::receive_start(Bytes buffer, OnReceive on_receive) {
    return call_on_loop([this, buffer, on_receive = std::move(on_receive)]() mutable {
        return receive_here(buffer, std::move(on_receive));
    });
}

CallResult<Status> Udp::receive_stop() {
    return call_on_loop([this] {
        if (has_bit(allocating)) cancel(readable_);
        stop_receiving();
    });
}

Status Udp::receive_here(Bytes buffer, AnyCallback on_receive) noexcept {
    if (const Status opened = check_open(); !opened) return opened;
    if (const Status fits = check_receive(buffer, on_receive); !fits) return fits;
    if (readable_.is_in_flight()) return error(std::errc::device_or_resource_busy);
    if (const Status bound = ensure_bound(Address::Family::ipv4, {}); !bound) return bound;
    set_bit(allocating, false);
    start_receiving(buffer, std::move(on_receive));
    return {};
}

void Udp::tell() noexcept {
    const std::int32_t result = receive_.result();
    if (result < 0) {
        callback_.call<Udp&, Result<Received>>(*this, std::unexpected(Error::of_result(result)));
        return;
    }
    const ConstBytes data = receive_.buffer.first(static_cast<std::size_t>(result));
    callback_.call<Udp&, Result<Received>>(*this,
                                           Received{data, receive_.from, receive_.is_truncated});
}

bool Udp::may_finish() const noexcept {
    return SocketHandle::may_finish() && send_queue_count_ == 0 && !readable_.is_in_flight();
}

}  // namespace gyre::handle
