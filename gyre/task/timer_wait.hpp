// SPDX-License-Identifier: Apache-2.0
// TimerWait: a Suspension that has a timer, and is one: every timer of an executor is part of such,
// so that the op needs no word to say whose it is. It lives as a Suspension does.
#pragma once

#include "gyre/kernel/timer_op.hpp"
#include "gyre/task/suspension.hpp"

namespace gyre {

class TimerWait : public Suspension, protected TimerOp {
public:
    [[nodiscard]] TimerOp& timer() noexcept { return *this; }
    [[nodiscard]] const TimerOp& timer() const noexcept { return *this; }
    [[nodiscard]] static TimerWait& of(Op& op) noexcept {
        return static_cast<TimerWait&>(static_cast<TimerOp&>(op));
    }

protected:
    explicit TimerWait(Instant when = Instant()) noexcept : TimerOp(when) {}
    ~TimerWait() = default;
};

}  // namespace gyre
