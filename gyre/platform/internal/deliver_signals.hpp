// SPDX-License-Identifier: Apache-2.0
// What a platform does when its desk has been told of signals: counts them in the ops that wait for
// them, and rings these. Only the loop's thread.
#pragma once

#include "gyre/io/io_ops.hpp"
#include "gyre/platform/internal/signals.hpp"

namespace gyre::platform {

template <class Notify>
void deliver_signals(SignalDesk& desk, HoldQueue& signal_ops, Notify notify) noexcept {
    std::uint64_t arrived = desk.take_arrived();
    for (int number = 1; arrived != 0; ++number, arrived >>= 1u) {
        if ((arrived & 1u) == 0) continue;
        const std::uint32_t count = desk.take_count(number);
        signal_ops.for_each([&](Hold& hold) {
            auto& op = static_cast<SignalOp&>(hold);
            if (op.signal_number != number) return;
            op.count += count;
            notify(op);
        });
    }
}

}  // namespace gyre::platform
