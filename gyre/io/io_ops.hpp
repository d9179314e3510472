// SPDX-License-Identifier: Apache-2.0
// IoOp: the base of the ops that platforms serve, and the ops of any descriptor: readiness, close,
// signals. Submit an op to the platform, which is the app's default destination; set its fields
// while it is idle. Each class documents its result; a negative result is a negated errno value.
//
//     PollOp poll(fd, Events::readable);
//     submit(poll);                     // completes with the events
//
// Thread: as for any op.
// Lifetime: owned by its initiator until the completion has been taken, like every op.
// Cancel: either had no effect (result "operation canceled"), or took effect as the result says.
#pragma once

#include <cstdint>
#include <utility>

#include "gyre/io/op_kinds.hpp"
#include "gyre/io/sockets.hpp"
#include "gyre/kernel/op.hpp"
#include "gyre/kernel/standing_op.hpp"

namespace gyre {

struct HoldLinks;

// The events that an op waits for; also the events that occurred.
enum class Events : std::uint8_t {
    none = 0,
    readable = 1,
    writable = 2,
    hang_up = 4,
    error = 8,
    priority = 16,  // urgent data (POLLPRI); implies readable
};
constexpr Events operator|(Events a, Events b) noexcept {
    return static_cast<Events>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
constexpr Events operator&(Events a, Events b) noexcept {
    return static_cast<Events>(static_cast<unsigned>(a) & static_cast<unsigned>(b));
}
constexpr bool any(Events events) noexcept {
    return events != Events::none;
}

// The links by which a platform keeps an op in its own lists: the other links of a held op must
// stay free (see op.hpp).
class Hold : public Link<HoldLinks> {
public:
    Hold(Op& op, Fd descriptor) noexcept : fd(descriptor), op_(&op) {}
    [[nodiscard]] Op& op() const noexcept { return *op_; }

    Fd fd;
    std::uint32_t mark = 0;  // for the platform only, while it holds the op

private:
    Op* op_;
};
using HoldQueue = Queue<Hold, HoldLinks>;

// A one-shot op on a descriptor.
class IoOp : public Request, public Hold {
public:
    IoOp(IoCode code, Fd descriptor) noexcept : Request(op_code(code)), Hold(*this, descriptor) {}
    using Link<OpLinks>::is_linked;
    using Link<OpLinks>::unlink;
};

// Waits once until the descriptor is ready. Result: the events, as a number.
class PollOp : public IoOp {
public:
    PollOp(Fd descriptor, Events wanted) noexcept
        : IoOp(IoCode::poll, descriptor), events(wanted) {}
    Events events;
};

// Closes a descriptor. Ops pending on it complete as cancelled, before this op. Result: 0.
class CloseOp : public IoOp {
public:
    explicit CloseOp(Fd descriptor) noexcept : IoOp(IoCode::close, descriptor) {}
};

// ---- Standing ops ----

class StandingIoOp : public StandingOp, public Hold {
public:
    StandingIoOp(IoCode code, Fd descriptor) noexcept
        : StandingOp(op_code(code)), Hold(*this, descriptor) {}
    using Link<OpLinks>::is_linked;
    using Link<OpLinks>::unlink;
};

// When a ReadinessOp notifies, as in epoll.
//   edge   edge-triggered: once for the state at the start, then for each change; hang-up and error
//          are always reported
//   level  level-triggered: after each wait that finds the descriptor ready. An error and the end
//          of both directions are always reported, the end of the peer's sending only on request
enum class Trigger : std::uint8_t { edge, level };

struct LookLinks;

// Notifies when the descriptor is ready. `take_events` returns the events: edge-triggered, all
// since the last call; level-triggered, those found last. To change the interest set, cancel the op
// and submit it again; if both happen in one turn, that costs no extra system call.
class ReadinessOp : public StandingIoOp, public Link<LookLinks> {
public:
    ReadinessOp(Fd descriptor, Events interest, Trigger rings_at = Trigger::edge) noexcept
        : StandingIoOp(IoCode::readiness, descriptor), wanted(interest), trigger(rings_at) {}
    using StandingIoOp::is_linked;
    using StandingIoOp::unlink;
    [[nodiscard]] Events take_events() noexcept { return std::exchange(happened, Events::none); }
    [[nodiscard]] bool is_level() const noexcept { return trigger == Trigger::level; }

    Events wanted;
    Events happened = Events::none;
    Trigger trigger;
    bool was_quiet = false;  // for the platform: not ready in the last poll
};

// Notifies when the process receives this signal; `take_count` returns how often since the last
// call.
class SignalOp : public StandingIoOp {
public:
    explicit SignalOp(int number) noexcept
        : StandingIoOp(IoCode::signal, -1), signal_number(number) {}
    [[nodiscard]] std::uint32_t take_count() noexcept { return std::exchange(count, 0u); }

    int signal_number;
    std::uint32_t count = 0;
    // For signals that request the end of the process: a second signal, received before the loop
    // has handled the first, ends the process at once, with 128 plus its number. So a program whose
    // loop is blocked can be interrupted.
    bool ends_process_when_unheard = false;
};

}  // namespace gyre
