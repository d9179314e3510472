// SPDX-License-Identifier: Apache-2.0
#include "gyre/handle/fd_poll.hpp"

#include <algorithm>

#include "gyre/handle/phased_loop.hpp"

namespace gyre::handle {

CallResult<Status> FdPoll::start(Events wanted, OnReady on_ready) {
    return call_on_loop([this, wanted, on_ready = std::move(on_ready)]() mutable -> Status {
        if (const Status open = check_open(); !open) return open;
        if (!any(wanted) || !on_ready) {
            return std::unexpected(Error(std::errc::invalid_argument));
        }
        wanted_ = wanted;
        callback_ = std::move(on_ready);
        activate();
        if (!op_.is_in_flight()) {
            arm();
        } else if (op_.wanted != wanted_) {
            cancel(op_);  // Armed again when it is back.
        }
        return {};
    });
}

CallResult<Status> FdPoll::stop() {
    return call_on_loop([this] { stop_here(); });
}

void FdPoll::stop_here() noexcept {
    cancel(op_);
    deactivate();
}

void FdPoll::arm() noexcept {
    op_.wanted = wanted_;
    op_.happened = Events::none;
    submit(op_);
}

void FdPoll::on_done(Op& op) noexcept {
    if (!is_active()) return;
    if (op.is_cancelled()) return arm();
    deactivate();
    callback_.call<FdPoll&, Result<Events>>(*this, std::unexpected(Error::of_result(op.result())));
}

void FdPoll::on_rung(StandingOp& /*op*/) noexcept {
    loop().turns_needed_ = std::max(loop().turns_needed_, 2u);
    const Events seen = op_.take_events();
    if (!any(seen)) return;
    const Events told = seen & (wanted_ | Events::error);
    // A hang-up counts as readable and writable, as in libuv: the next read finds the end.
    const Events end = any(seen & Events::hang_up) ? wanted_ & (Events::readable | Events::writable)
                                                   : Events::none;
    callback_.call<FdPoll&, Result<Events>>(*this, told | end);
}

}  // namespace gyre::handle
