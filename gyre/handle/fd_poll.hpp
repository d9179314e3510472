// SPDX-License-Identifier: Apache-2.0
// FdPoll: calls back in every iteration in which a descriptor is ready for what is wanted, as long
// as it is (level-triggered). The descriptor belongs to the caller and stays open until the poll is
// stopped or closed; one poll a descriptor, and no stream beside it.
#pragma once

#include "gyre/handle/handle.hpp"
#include "gyre/kernel/io_ops.hpp"

namespace gyre::handle {

class FdPoll final : public Handle {
public:
    // What it is ready for; an error of the descriptor ends the poll.
    using OnReady = Callback<FdPoll&, Result<Events>>;

    FdPoll(PhasedLoop& loop, Fd fd,
           const std::source_location& made_at = std::source_location::current()) noexcept
        : Handle(loop, made_at), op_(fd, Events::none, Trigger::level) {}

    [[nodiscard]] const char* kind() const noexcept override { return "poll"; }
    [[nodiscard]] Fd fd() const noexcept { return op_.fd; }

    // Events::readable, writable, priority and hang_up, together or alone. A poll that is active
    // goes on with the new wish. The error `invalid_argument` for none of them.
    Carried<Status> start(Events wanted, OnReady on_ready);
    Carried<Status> stop();

private:
    void arm() noexcept;
    void stop_here() noexcept;
    void on_done(Op& op) noexcept override;
    void on_rung(StandingOp& op) noexcept override;
    void on_close() noexcept override { stop_here(); }
    [[nodiscard]] bool may_finish() const noexcept override { return !op_.is_in_flight(); }

    Events wanted_ = Events::none;
    ReadinessOp op_;
};

}  // namespace gyre::handle
