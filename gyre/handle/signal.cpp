// SPDX-License-Identifier: Apache-2.0
#include "gyre/handle/signal.hpp"

#include "gyre/handle/phased_loop.hpp"

namespace gyre::handle {

CallResult<Status> Signal::start(OnSignal on_signal, int number) {
    return call_on_loop([this, on_signal = std::move(on_signal), number]() mutable {
        return start_here(std::move(on_signal), number, false);
    });
}

CallResult<Status> Signal::start_once(OnSignal on_signal, int number) {
    return call_on_loop([this, on_signal = std::move(on_signal), number]() mutable {
        return start_here(std::move(on_signal), number, true);
    });
}

CallResult<Status> Signal::stop() {
    return call_on_loop([this] { stop_here(); });
}

Status Signal::start_here(OnSignal on_signal, int number, bool once) noexcept {
    if (const Status open = check_open(); !open) return open;
    if (number <= 0 || number > number_max || !on_signal) {
        return std::unexpected(Error(std::errc::invalid_argument));
    }
    if (op_.is_in_flight() && op_.signal_number != number) stop_here();
    callback_ = std::move(on_signal);
    bits_ = static_cast<std::uint8_t>(once ? is_once : 0);
    if (!op_.is_in_flight()) {
        op_.signal_number = number;
        if (const Status caught = submit_now(op_); !caught) return caught;
    }
    activate();
    return {};
}

// The platform gives a signal op back at once, so a stopped handle has none in flight.
void Signal::stop_here() noexcept {
    if (op_.is_in_flight()) {
        const bool is_back = withdraw_now(op_);
        GYRE_ASSERT(is_back, "a platform must end a signal op in the tick that cancels it");
    }
    op_.count = 0;
    deactivate();
}

// When a callback stops and starts the handle again, signals from before are not reported.
void Signal::on_rung(StandingOp& op) noexcept {
    const int number = op_.signal_number;
    const OpId flight = op.id();
    for (std::uint32_t left = op_.take_count(); left > 0; --left) {
        if (!is_active() || op.id() != flight) return;
        if ((bits_ & is_once) != 0) stop_here();
        callback_.call<Signal&, Result<int>>(*this, number);
    }
}

// The platform has ended the op by itself: the loop closes.
void Signal::on_done(Op& op) noexcept {
    if (!is_active()) return;
    deactivate();
    callback_.call<Signal&, Result<int>>(*this, std::unexpected(Error::of_result(op.result())));
}

}  // namespace gyre::handle
