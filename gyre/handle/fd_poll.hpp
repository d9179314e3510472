// SPDX-License-Identifier: Apache-2.0
// FdPoll: calls back in every iteration in which a descriptor is ready for the wanted events
// (level-triggered), as libuv's uv_poll_t.
//
//     FdPoll poll(loop, fd);
//     poll.start(Events::readable, [](FdPoll& ready, Result<Events> events) {
//         if (events) read_all(ready.fd());
//     });
//
// Thread: any for `start` and `stop`, else the loop's own.
// Lifetime: as Handle. The caller owns the descriptor and keeps it open until the poll is stopped
// or closed. No StreamHandle may be on the same descriptor.
#pragma once

#include "gyre/handle/handle.hpp"
#include "gyre/io/io_ops.hpp"

namespace gyre::handle {

class FdPoll final : public Handle {
public:
    // The ready events; an error of the descriptor ends the poll.
    using OnReady = Callback<FdPoll&, Result<Events>>;

    FdPoll(PhasedLoop& loop, Fd fd,
           const std::source_location& made_at = std::source_location::current()) noexcept
        : Handle(loop, made_at), fd_(fd), op_(fd, Events::none, Trigger::level) {}

    [[nodiscard]] const char* kind() const noexcept override { return "poll"; }
    [[nodiscard]] Fd fd() const noexcept { return fd_; }
    // Gives a poll that is not active another descriptor. The error `device_or_resource_busy` while
    // it is active.
    CallResult<Status> set_fd(Fd fd);

    // Any of Events::readable, writable, priority and hang_up. An active poll continues with the
    // new events. The errors `invalid_argument` for none of them, `file_exists` when another active
    // poll of the loop has the descriptor.
    CallResult<Status> start(Events wanted, OnReady on_ready);
    CallResult<Status> stop();

private:
    Status start_here(Events wanted, OnReady on_ready);
    [[nodiscard]] bool take_descriptor();
    void leave_descriptor() noexcept;
    void arm() noexcept;
    void stop_here() noexcept;
    void on_done(Op& op) noexcept override;
    void on_rung(StandingOp& op) noexcept override;
    void on_close() noexcept override { stop_here(); }
    [[nodiscard]] bool may_finish() const noexcept override { return !op_.is_in_flight(); }

    Fd fd_;
    Events wanted_ = Events::none;
    ReadinessOp op_;
};

}  // namespace gyre::handle
