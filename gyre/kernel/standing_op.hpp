// SPDX-License-Identifier: Apache-2.0
// StandingOp: a multishot op, which stays with its server. The server writes to memory that it
// shares with the initiator and rings the doorbell, until an error or a cancellation ends the op
// with its one completion. WakeOp is the simplest: any thread rings it.
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

// The state of a standing op's notification, shared by two threads. It ensures that the op is sent
// to its initiator at most once at a time, and that a completion is sent along with a notification
// in flight.
//
//   rung    the op is in flight to its initiator: in an inbox or in the initiator's notifications
//   closed  the op has been completed (or was never submitted): rings do nothing
//
// Any thread may ring; the op's server closes; the initiator's loop opens and answers.
class Doorbell {
public:
    void open() noexcept { state_.store(quiet); }

    // True if the caller must send the op: it was neither rung nor closed.
    // Release: the initiator, which answers the ring, sees all that was written before it. Testing
    // for `rung` with a plain load first would be cheaper, and wrong: the load may be ordered
    // before the shared memory is written, and the answer may fall between the two. With a fence
    // before the load it would be right, and no cheaper.
    [[nodiscard]] bool ring() noexcept {
        return state_.fetch_or(rung, std::memory_order_acq_rel) == quiet;
    }

    // True if the caller must send the op as completed. False if it is in flight already: then the
    // initiator, on answering the ring, finds it closed.
    [[nodiscard]] bool close() noexcept {
        return (state_.fetch_or(closed, std::memory_order_acq_rel) & rung) == 0;
    }

    // Called when the op has arrived, before the shared memory is read: a ring from now on sends
    // the op again, so no write is missed. True if the op is closed, and thereby completed.
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

// Wakes its initiator from any thread: submit it once, then ring any number of times. Rings before
// the machine takes the notification are merged into one. Rings before submit and after the
// completion have no effect; the memory must stay valid as long as any thread may still ring.
class WakeOp : public StandingOp {
public:
    WakeOp() noexcept : StandingOp(OpCode::wake) {}
    void ring() noexcept;

private:
    friend class Loop;
    Loop* loop_ = nullptr;
};

// The consumer's end of a queue between two machines, on one thread or on two. The consumer submits
// it to the producer, which holds it, pushes values into the ring and notifies the consumer.
template <class T>
class ChannelOp : public StandingOp {
public:
    explicit ChannelOp(SpscRing<T>& ring) noexcept : StandingOp(OpCode::channel), ring_(&ring) {}
    [[nodiscard]] SpscRing<T>& ring() noexcept { return *ring_; }

private:
    SpscRing<T>* ring_;
};

}  // namespace gyre
