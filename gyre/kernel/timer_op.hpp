// SPDX-License-Identifier: Apache-2.0
// TimerOp: completes with 0 at its deadline or later, never earlier. The loop that the op passes
// first keeps it. Set the deadline while the op is idle. To find your own thing again when it comes
// back, derive it from the op.
#pragma once

#include "gyre/kernel/clock.hpp"
#include "gyre/kernel/op.hpp"

namespace gyre {

class TimerOp : public Op {
public:
    explicit TimerOp(Instant when = Instant()) noexcept : Op(OpCode::timer) { deadline = when; }

    using Op::deadline;
};
static_assert(sizeof(TimerOp) == 64, "a timer is one cache line: there are many");

}  // namespace gyre
