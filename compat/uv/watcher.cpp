// SPDX-License-Identifier: Apache-2.0
#include "compat/uv/internal/watcher.hpp"

namespace gyre::uv {

void Watcher::watch(int fd) noexcept {
    if (!loop().is_here()) {  // Its handle was made on another thread, and is open now.
        (void)loop().call([this, fd] { watch(fd); });
        return;
    }
    fd_ = fd;
    if (op_.is_in_flight()) return cancel(op_);  // Armed again when it is back.
    arm();
}

void Watcher::arm() noexcept {
    op_.fd = fd_;
    op_.wanted = Events::readable | Events::writable | Events::hang_up;
    op_.happened = Events::none;
    submit(op_);
}

void Watcher::unwatch() noexcept {
    fd_ = -1;
    if (op_.is_in_flight()) cancel(op_);
}

void Watcher::on_rung(StandingOp& /*op*/) noexcept {
    const Events events = op_.take_events();
    if (fd_ >= 0 && fd_ == op_.fd && any(events)) owner_.on_events(events);
}

void Watcher::on_done(Op& op) noexcept {
    if (fd_ < 0) return;
    if (op.is_cancelled()) return arm();
    fd_ = -1;
    owner_.on_watch_failed(op.result());
}

}  // namespace gyre::uv
