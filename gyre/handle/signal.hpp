// SPDX-License-Identifier: Apache-2.0
// Signal: calls back on the loop's thread for each time the process gets a signal. Any number of
// handles in any number of loops may want the same one; each is told.
#pragma once

#include "gyre/handle/handle.hpp"
#include "gyre/kernel/io_ops.hpp"

namespace gyre::handle {

class Signal final : public Handle {
public:
    // The signal's number, or why the system refused it: then the handle has stopped.
    using OnSignal = Callback<Signal&, Result<int>>;

    explicit Signal(PhasedLoop& loop,
                    const std::source_location& made_at = std::source_location::current()) noexcept
        : Handle(loop, made_at), op_(0) {}

    [[nodiscard]] const char* kind() const noexcept override { return "signal"; }

    // A handle that is active goes on with the new number. The error `invalid_argument` for a
    // number that is no signal's.
    Carried<Status> start(OnSignal on_signal, int number);
    // Stops by itself before the first callback.
    Carried<Status> start_once(OnSignal on_signal, int number);
    Carried<Status> stop();

private:
    enum : std::uint8_t { is_once = 1 };
    static constexpr int number_max = 64;

    Status start_here(OnSignal on_signal, int number, bool once) noexcept;
    void stop_here() noexcept;
    void on_rung(StandingOp& op) noexcept override;
    void on_done(Op& op) noexcept override;
    void on_close() noexcept override { stop_here(); }
    [[nodiscard]] bool may_finish() const noexcept override { return !op_.is_in_flight(); }

    int number_ = 0;
    SignalOp op_;
};

}  // namespace gyre::handle
