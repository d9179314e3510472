// SPDX-License-Identifier: Apache-2.0
// StandingOp: an op that stays with its server. The server writes to memory that both share and
// rings the doorbell, until an error or a cancellation ends the op with its one completion. WakeOp
// is the simplest: any thread rings it.
//
//     WakeOp wake;
//     submit(wake);                     // in the machine
//     wake.ring();                      // from any thread: the machine gets a notification
//
// Thread: the initiator's loop; `ring` of a WakeOp from any thread.
// Lifetime: the shared memory belongs to the initiator and lives as long as the op.
#pragma once

#include <cstdint>

#include "gyre/base/detail/atomic.hpp"
#include "gyre/base/spsc_ring.hpp"
#include "gyre/kernel/op.hpp"

namespace gyre {

class Loop;

// How a standing op is rung across threads: says whether the op is on its way to its initiator, so
// that it travels at most once at a time, and carries the end of the op along.
//
//   rung    the op is on its way: in an inbox or in its initiator's notifications
//   closed  the op has been completed (or was never submitted): rings do nothing
//
// Any thread may ring; the op's server closes; the initiator's loop opens and answers.
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

class StandingOp : public Request {
public:
    explicit StandingOp(OpCode code) noexcept : Request(code) {
        GYRE_ASSERT(is_standing(),
                    "code %d is no standing kind: number it from OpCode::standing on",
                    static_cast<int>(code));
    }

private:
    friend class Machine;
    friend class Loop;
    friend class WakeOp;

    Doorbell bell_;
};

// Wakes its initiator from any thread: submit it once, then ring as often as you like. Rings before
// the machine takes the notification are one ring. Rings before submit and after the completion do
// nothing; the memory must stay valid as long as any thread may still ring.
class WakeOp : public StandingOp {
public:
    WakeOp() noexcept : StandingOp(OpCode::wake) {}
    void ring() noexcept;

private:
    friend class Loop;
    Loop* loop_ = nullptr;
};

// The consumer's end of a queue between two machines, on one thread or on two. The consumer submits
// it to the producer, which holds it, pushes into the ring and notifies.
template <class T>
class ChannelOp : public StandingOp {
public:
    explicit ChannelOp(SpscRing<T>& ring) noexcept : StandingOp(OpCode::channel), ring_(&ring) {}
    [[nodiscard]] SpscRing<T>& ring() noexcept { return *ring_; }

private:
    SpscRing<T>* ring_;
};

}  // namespace gyre
