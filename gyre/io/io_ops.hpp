// SPDX-License-Identifier: Apache-2.0
// IoOp: the base of the ops that platforms serve, and the ops of any descriptor: readiness, close,
// signals. Submit one to the platform, which is the app's default destination; set its fields while
// it is idle. The result of each is noted at its class; below 0 it is a negative error number.
//
//     PollOp poll(fd, Events::readable);
//     submit(poll);                     // completes with the events
//
// Thread: as for any op.
// Lifetime: owned by its initiator until the completion has been taken, like every op.
// Cancel: did nothing (result "operation canceled"), or did what the result says.
#pragma once

#include <cstdint>
#include <utility>

#include "gyre/io/op_kinds.hpp"
#include "gyre/io/sockets.hpp"
#include "gyre/kernel/op.hpp"
#include "gyre/kernel/standing_op.hpp"

namespace gyre {

struct HoldLinks;

// What an op waits for; also what it got.
enum class Events : std::uint8_t {
    none = 0,
    readable = 1,
    writable = 2,
    hang_up = 4,
    error = 8,
    priority = 16,  // urgent data; counts as readable too
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

// The part of an op that a platform uses to keep it in its own lists: a held op's other links must
// stay free.
class Hold : public Link<HoldLinks> {
public:
    Hold(Op& op, Fd descriptor) noexcept : fd(descriptor), op_(&op) {}
    [[nodiscard]] Op& op() const noexcept { return *op_; }

    Fd fd;
    std::uint32_t mark = 0;  // the platform's own, while it holds the op

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

// Closes a descriptor. Ops that wait on it come back cancelled, before this one. Result: 0.
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

// When a ReadinessOp rings.
//   edge   once for what is there at the start, then for each change; hang-up and error unasked
//   level  after each wait that finds the descriptor ready, until it is no more; error unasked, and
//          the end of both directions, but that the peer sends no more only where it is wanted
enum class Trigger : std::uint8_t { edge, level };

struct LookLinks;

// Rings when the descriptor is ready. `take_events` says for what: with edges, all that happened
// since it was last asked, with levels what was found last. To want something else, cancel it and
// submit it again; where that is in one turn it costs no system call by itself.
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
    bool was_quiet = false;  // for the platform: when it last looked
};

// Rings when the process gets this signal; `take_count` says how often since it was last asked.
class SignalOp : public StandingIoOp {
public:
    explicit SignalOp(int number) noexcept
        : StandingIoOp(IoCode::signal, -1), signal_number(number) {}
    [[nodiscard]] std::uint32_t take_count() noexcept { return std::exchange(count, 0u); }

    int signal_number;
    std::uint32_t count = 0;
    // For signals that ask the process to end: one more, before the loop has heard of the last,
    // ends it at once, with 128 and the number. So a loop that is blocked can be interrupted.
    bool ends_process_when_unheard = false;
};

}  // namespace gyre
