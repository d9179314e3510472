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

#include "gyre/base/spsc_ring.hpp"
#include "gyre/kernel/detail/doorbell.hpp"
#include "gyre/kernel/op.hpp"

namespace gyre {

class Loop;

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
