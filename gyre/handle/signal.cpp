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
    callback_ = std::move(on_signal);
    bits_ = static_cast<std::uint8_t>(once ? is_once : 0);
    number_ = number;
    activate();
    if (!op_.is_in_flight()) {
        op_.signal_number = number;
        submit(op_);
    } else if (op_.signal_number != number || op_.is_cancel_requested()) {
        cancel(op_);  // Started again when it is back.
    }
    return {};
}

void Signal::stop_here() noexcept {
    cancel(op_);
    deactivate();
}

// When a callback stops and starts the handle again, signals from before are not reported.
void Signal::on_rung(StandingOp& /*op*/) noexcept {
    const int number = op_.signal_number;
    for (std::uint32_t left = op_.take_count(); left > 0; --left) {
        if (!is_active() || number_ != number || op_.is_cancel_requested()) return;
        if ((bits_ & is_once) != 0) stop_here();
        callback_.call<Signal&, Result<int>>(*this, number);
    }
}

void Signal::on_done(Op& op) noexcept {
    op_.count = 0;
    if (!is_active()) return;
    if (op.is_cancelled()) {
        op_.signal_number = number_;
        submit(op_);
        return;
    }
    deactivate();
    callback_.call<Signal&, Result<int>>(*this, std::unexpected(Error::of_result(op.result())));
}

}  // namespace gyre::handle
