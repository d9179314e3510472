// SPDX-License-Identifier: Apache-2.0
#include "gyre/handle/detail/socket_handle.hpp"

#include "gyre/handle/phased_loop.hpp"
#include "gyre/handle/request.hpp"

namespace gyre::handle {

template <class Receive>
Status SocketHandle<Receive>::check_receive(Bytes buffer,
                                            const AnyCallback& callback) const noexcept {
    if (has_bit(receiving)) return error(std::errc::connection_already_in_progress);
    if (buffer.empty() || !callback) return error(std::errc::invalid_argument);
    return {};
}

template <class Receive>
void SocketHandle<Receive>::start_receiving(Bytes buffer, AnyCallback callback) noexcept {
    callback_ = std::move(callback);
    next_buffer_ = buffer;
    set_bit(receiving, true);
    activate();
    if (has_bit(holding)) {
        tell_later();
    } else {
        receive_next();
    }
}

template <class Receive>
void SocketHandle<Receive>::stop_receiving() noexcept {
    if (!has_bit(receiving)) return;
    set_bit(receiving, false);
    cancel(receive_);
    deactivate();
}

// No effect when a callback has stopped, closed or restarted the handle meanwhile.
template <class Receive>
void SocketHandle<Receive>::receive_next() noexcept {
    const bool is_busy = receive_.is_in_flight() || has_bit(telling);
    if (!has_bit(receiving) || is_closing() || is_busy) return;
    receive_.fd = fd_;
    receive_.buffer = next_buffer_;
    submit(receive_);
}

template <class Receive>
void SocketHandle<Receive>::on_done(Op& op) noexcept {
    if (&op != &receive_ || is_closing()) return;
    if (!has_bit(receiving)) {
        set_bit(holding, !op.is_cancelled());
        return;
    }
    if (!op.is_cancelled()) tell();
    receive_next();
}

// Reports data that arrived while the handle was stopped. The callback must not run inside the
// start, so it waits for the next pending phase; that is rare, so it may allocate.
template <class Receive>
void SocketHandle<Receive>::tell_later() noexcept {
    if (has_bit(telling)) return;
    set_bit(telling, true);
    auto* later = new Deferred(made_at());
    later->start(loop(), [this](Deferred& done) {
        delete &done;
        set_bit(telling, false);
        if (!has_bit(receiving) || is_closing() || !has_bit(holding)) return;
        set_bit(holding, false);
        tell();
        receive_next();
    });
}

// All ops that wait on the socket come back as cancelled.
template <class Receive>
void SocketHandle<Receive>::on_close() noexcept {
    set_bit(receiving, false);
    if (fd_ >= 0) close_now(std::exchange(fd_, -1));
}

template class SocketHandle<ReceiveOp>;
template class SocketHandle<ReceiveFromOp>;

}  // namespace gyre::handle
