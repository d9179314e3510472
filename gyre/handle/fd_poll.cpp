// SPDX-License-Identifier: Apache-2.0
#include "gyre/handle/fd_poll.hpp"

#include <algorithm>

#include "gyre/handle/phased_loop.hpp"

namespace gyre::handle {

CallResult<Status> FdPoll::start(Events wanted, OnReady on_ready) {
    return call_on_loop([this, wanted, on_ready = std::move(on_ready)]() mutable {
        return start_here(wanted, std::move(on_ready));
    });
}

Status FdPoll::start_here(Events wanted, OnReady on_ready) {
    if (const Status open = check_open(); !open) return open;
    if (!any(wanted) || !on_ready) return error(std::errc::invalid_argument);
    if (!is_active() && !take_descriptor()) return error(std::errc::file_exists);
    wanted_ = wanted;
    callback_ = std::move(on_ready);
    activate();
    if (!op_.is_in_flight()) {
        arm();
    } else if (op_.wanted != wanted_ || op_.fd != fd_) {
        cancel(op_);  // Armed again when it is back.
    }
    return {};
}

CallResult<Status> FdPoll::set_fd(Fd fd) {
    return call_on_loop([this, fd]() -> Status {
        if (const Status open = check_open(); !open) return open;
        if (is_active()) return error(std::errc::device_or_resource_busy);
        fd_ = fd;
        return {};
    });
}

CallResult<Status> FdPoll::stop() {
    return call_on_loop([this] { stop_here(); });
}

void FdPoll::stop_here() noexcept {
    if (is_active()) leave_descriptor();
    cancel(op_);
    deactivate();
}

void FdPoll::arm() noexcept {
    op_.fd = fd_;
    op_.wanted = wanted_;
    op_.happened = Events::none;
    submit(op_);
}

void FdPoll::on_done(Op& op) noexcept {
    if (!is_active()) return;
    if (op.is_cancelled()) return arm();
    leave_descriptor();
    deactivate();
    callback_.call<FdPoll&, Result<Events>>(*this, std::unexpected(Error::of_result(op.result())));
}

// False if another active poll has the descriptor.
bool FdPoll::take_descriptor() {
    if (fd_ < 0) return true;  // The platform refuses it.
    auto& polls = loop().polls_;
    const auto index = static_cast<std::size_t>(fd_);
    if (index >= polls.size()) polls.resize(std::max(index + 1, 2 * polls.size()));
    if (polls[index] != nullptr) return false;
    polls[index] = this;
    return true;
}

void FdPoll::leave_descriptor() noexcept {
    if (fd_ >= 0) loop().polls_[static_cast<std::size_t>(fd_)] = nullptr;
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
