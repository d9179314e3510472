// SPDX-License-Identifier: Apache-2.0
#include "gyre/handle/fd_poll.hpp"

#include "gyre/handle/phased_loop.hpp"

namespace gyre::handle {

Carried<Status> FdPoll::start(Events wanted, OnReady on_ready) {
    return carry([this, wanted, on_ready = std::move(on_ready)]() mutable -> Status {
        if (const Status open = check_open(); !open) return open;
        if (!any(wanted) || !on_ready) {
            return std::unexpected(Error(std::errc::invalid_argument));
        }
        wanted_ = wanted;
        callback_ = std::move(on_ready);
        activate();
        if (!op_.is_in_flight()) {
            arm_later();
        } else if (op_.events != wanted_) {
            cancel(op_);  // Armed anew when it is back.
        }
        return {};
    });
}

Carried<Status> FdPoll::stop() {
    return carry([this] { stop_here(); });
}

void FdPoll::stop_here() noexcept {
    if (rearm_link().is_linked()) rearm_link().unlink();
    cancel(op_);
    deactivate();
}

// Right before the wait, so that a descriptor is looked at once in an iteration.
void FdPoll::arm_later() noexcept {
    if (!rearm_link().is_linked()) loop().polls_to_arm_.push_back(*this);
}

void FdPoll::arm() noexcept {
    op_.events = wanted_;
    submit(op_);
}

void FdPoll::on_done(Op& op) noexcept {
    if (!is_active()) return;
    if (op.is_cancelled()) {
        arm_later();
    } else if (op.result() < 0) {
        deactivate();
        callback_.call<FdPoll&, Result<Events>>(*this,
                                                std::unexpected(Error::of_result(op.result())));
    } else {
        arm_later();
        const Events seen = static_cast<Events>(op.result());
        const Events told = seen & (wanted_ | Events::error);
        // Whoever waits for bytes finds the end by reading, as libuv's users expect.
        const Events end = any(seen & Events::hang_up)
                               ? wanted_ & (Events::readable | Events::writable)
                               : Events::none;
        callback_.call<FdPoll&, Result<Events>>(*this, told | end);
    }
}

}  // namespace gyre::handle
