// SPDX-License-Identifier: Apache-2.0
// Doorbell: how a standing op is rung across threads. It says whether the op is on its way to its
// initiator, so that it travels at most once at a time, and carries the end of the op along.
//
//   rung    the op is on its way: in an inbox or in its initiator's notifications
//   closed  the op has been completed (or was never submitted): rings do nothing
//
// Any thread may ring; the op's server closes; the initiator's loop opens and answers. It lives in
// the op. One of the few files that use atomics.
#pragma once

#include <cstdint>

#include "gyre/base/detail/atomic.hpp"

namespace gyre {

class Doorbell {
public:
    void open() noexcept { state_.store(quiet); }

    // True when the caller must send the op off: it was neither under way nor closed.
    // Release: what was written before the ring is seen by whoever answers it. A look whether it is
    // rung already would be cheaper, and wrong: the look may come before what was written is seen,
    // and the answer between the two. With a fence before it, it would be right, and not cheaper.
    [[nodiscard]] bool ring() noexcept {
        return state_.fetch_or(rung, std::memory_order_acq_rel) == quiet;
    }

    // True when the caller must send the op off as completed. False when it is under way already:
    // then whoever answers the ring finds it closed.
    [[nodiscard]] bool close() noexcept {
        return (state_.fetch_or(closed, std::memory_order_acq_rel) & rung) == 0;
    }

    // Called when the op has arrived, before the shared memory is read: a ring from now on sends it
    // again, so nothing written is missed. True when the op is closed, and with it completed.
    // Acquire: pairs with ring and close.
    [[nodiscard]] bool answer() noexcept {
        return (state_.fetch_and(static_cast<std::uint8_t>(~rung), std::memory_order_acq_rel) &
                closed) != 0;
    }

    [[nodiscard]] bool is_rung() const noexcept {
        return (state_.load(std::memory_order_acquire) & rung) != 0;
    }

private:
    static constexpr std::uint8_t quiet = 0;
    static constexpr std::uint8_t rung = 1;
    static constexpr std::uint8_t closed = 2;

    Atomic<std::uint8_t> state_{closed};
};

}  // namespace gyre
