// SPDX-License-Identifier: Apache-2.0
// Signal: calls back each time the process receives a signal. Any number of handles on any number
// of loops may watch the same signal; each is called back.
//
// The signal is caught from the return of `start` on.
//
//     Signal interrupt(loop);
//     interrupt.start_once([&](Signal&, Result<int>) { loop.stop(); }, SIGINT);
//
// Thread: any for `start`, `start_once` and `stop`, else the loop's own.
// Lifetime: as Handle.
#pragma once

#include "gyre/handle/handle.hpp"
#include "gyre/io/io_ops.hpp"

namespace gyre::handle {

class Signal final : public Handle {
public:
    // The signal's number, or the system's error: then the handle has stopped.
    using OnSignal = Callback<Signal&, Result<int>>;

    explicit Signal(PhasedLoop& loop,
                    const std::source_location& made_at = std::source_location::current()) noexcept
        : Handle(loop, made_at), op_(0) {}

    [[nodiscard]] const char* kind() const noexcept override { return "signal"; }

    // An active handle continues with the new number. The errors of the system: `invalid_argument`
    // for a number that is no signal, or that cannot be caught; the handle is stopped then.
    CallResult<Status> start(OnSignal on_signal, int number);
    // Stops by itself before the first callback.
    CallResult<Status> start_once(OnSignal on_signal, int number);
    CallResult<Status> stop();

private:
    enum : std::uint8_t { is_once = 1 };
    static constexpr int number_max = 64;

    Status start_here(OnSignal on_signal, int number, bool once) noexcept;
    void stop_here() noexcept;
    void on_rung(StandingOp& op) noexcept override;
    void on_done(Op& op) noexcept override;
    void on_close() noexcept override { stop_here(); }
    [[nodiscard]] bool may_finish() const noexcept override { return !op_.is_in_flight(); }

    SignalOp op_;
};

}  // namespace gyre::handle
