// SPDX-License-Identifier: Apache-2.0
// TimerOp: completes with 0 at its deadline or later, never earlier. The loop that the op passes
// first keeps it. Set the deadline while the op is idle.
#pragma once

#include "gyre/kernel/clock.hpp"
#include "gyre/kernel/op.hpp"

namespace gyre {

class TimerOp : public Request {
public:
    TimerOp() noexcept : Request(OpCode::timer) {}
    explicit TimerOp(Instant when) noexcept : Request(OpCode::timer), deadline(when) {}

    Instant deadline;
};

}  // namespace gyre
