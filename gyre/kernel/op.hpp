// SPDX-License-Identifier: Apache-2.0
// Op: one asynchronous operation, intrusive. Request: an op with a word of user data. TimerOp,
// CancelOp: the kinds that the loop itself serves.
//
//     TimerOp timer(now + std::chrono::seconds(1));
//     submit(timer);                    // in a Machine; its completion comes back to it
//
// Thread: one thread at a time: that of the initiator's loop, or of the loop that serves the op.
// Lifetime: owned by its initiator; its memory stays valid from submit until the completion has
// been taken.
//
// The states of an op, and who may write which field:
//
//   idle ──submit──▶ submitted ──taken by its server──▶ held ──complete──▶ ready ──taken──▶ idle
//                        ├──a timer or a wake──▶ with_loop ──due, or cancelled──▲
//                        ├──blocking work──────▶ offloaded ──done───────────────▲
//                        └──cancelled before it was taken───────────────────────┘
//
//   code, source   do not change while the op is in flight, so every thread may read them
//   flags          the initiator's thread only
//   state, lane    the thread of the loop where the op is now
//   result         its server, before it completes the op
//   links          the queue that the op is in. The server of a held op leaves them free: a
//                  doorbell or a cancellation of a held op travels in the op itself
#pragma once

#include <cstdint>

#include "gyre/base/assert.hpp"
#include "gyre/base/detail/intrusive.hpp"
#include "gyre/base/result.hpp"
#include "gyre/kernel/clock.hpp"

namespace gyre {

using OpId = std::uint64_t;
using TraceId = std::uint64_t;
using ThreadId = std::uint32_t;
using MachineId = std::uint32_t;

// For printf formats.
[[nodiscard]] constexpr unsigned long long printable(OpId id) noexcept {
    return id;
}

// Identifies a machine in the whole process. The default value refers to none.
struct MachineRef {
    ThreadId thread = 0;
    MachineId machine = 0;

    [[nodiscard]] constexpr explicit operator bool() const noexcept { return machine != 0; }
    friend constexpr bool operator==(MachineRef, MachineRef) noexcept = default;
};

// The kind of an op. The highest bit marks a standing op, which may notify its initiator many times
// before its one completion (see StandingOp). The kinds that platforms serve are listed in
// gyre/io/op_kinds.hpp; kinds of machines outside this library start at `first_custom`.
enum class OpCode : std::uint16_t {
    none,
    timer,
    cancel,
    post,
    work,
    first_io = 16,
    first_custom = 1024,
    standing = 0x8000,
    wake,
    channel,
    first_io_standing = standing + first_io,
    first_custom_standing = standing + first_custom,
};
// The name of a kind that the kernel itself serves; "io" or "custom" for all others, whose names
// Platform::name_of gives.
[[nodiscard]] const char* name_of(OpCode code) noexcept;
[[nodiscard]] constexpr bool is_standing(OpCode code) noexcept {
    return code >= OpCode::standing;
}

enum class OpState : std::uint8_t { idle, submitted, with_loop, offloaded, held, ready };

// The four queues of a port. An op that crosses threads carries its lane with it.
enum class Lane : std::uint8_t { submissions, cancellations, completions, notifications };

// Why an op was started: the trace it belongs to, and the op that caused it (0: a root operation).
struct Cause {
    TraceId trace_id = 0;
    OpId op_id = 0;
};

struct OpLinks;

class Op : public Link<OpLinks> {
public:
    explicit Op(OpCode code) noexcept : code_(code) {}
    ~Op() {
        GYRE_ASSERT(!is_in_flight(),
                    "op %llu (%s, code %u) is freed while in flight: cancel it and wait for its "
                    "completion",
                    printable(id_), name_of(code_), static_cast<unsigned>(code_));
    }

    [[nodiscard]] OpId id() const noexcept { return id_; }
    [[nodiscard]] TraceId trace_id() const noexcept { return trace_id_; }
    [[nodiscard]] OpId parent_op_id() const noexcept { return parent_op_id_; }
    [[nodiscard]] Cause as_cause() const noexcept { return {trace_id_, id_}; }

    [[nodiscard]] OpCode code() const noexcept { return code_; }
    [[nodiscard]] OpState state() const noexcept { return state_; }

    // The result: a count, a descriptor or 0, or a negative error number.
    [[nodiscard]] std::int32_t result() const noexcept { return result_; }
    // Only valid if the result is negative.
    [[nodiscard]] Error error() const noexcept { return Error::of_result(result_); }
    [[nodiscard]] bool is_cancelled() const noexcept {
        return result_ == failure(std::errc::operation_canceled);
    }

    // True from submit until the initiator has taken the completion. Only for the initiator's
    // thread.
    [[nodiscard]] bool is_in_flight() const noexcept { return has(in_flight); }
    [[nodiscard]] bool is_cancel_requested() const noexcept { return has(cancel_requested); }

    [[nodiscard]] bool is_standing() const noexcept { return gyre::is_standing(code_); }

    // A background op does not keep its loop alive. Set this while the op is idle.
    void set_background(bool value) noexcept {
        GYRE_ASSERT(!is_in_flight(), "op %llu is in flight: set_background before submit",
                    printable(id_));
        set(background, value);
    }
    [[nodiscard]] bool is_background() const noexcept { return has(background); }

    // Without a destination, an op of the app machine goes to the platform, and one of the platform
    // to the app. A timer has no destination: the loop keeps it.
    [[nodiscard]] MachineRef destination() const noexcept {
        return code_ == OpCode::timer ? MachineRef() : destination_;
    }
    void set_destination(MachineRef machine) noexcept {
        GYRE_ASSERT(code_ != OpCode::timer, "a timer has no destination: the loop keeps it");
        destination_ = machine;
    }
    [[nodiscard]] MachineRef source() const noexcept { return source_; }

protected:
    // First, directly behind the links and together with the next word: the fields of a timer are
    // then mostly on one cache line.
    union {
        MachineRef destination_{};
        Instant deadline;  // of a TimerOp
    };

private:
    friend class Machine;
    friend class Loop;
    friend class Inbox;
    friend class Timers;

    enum Flag : std::uint8_t {
        in_flight = 1u << 0u,         // from submit to the taken completion
        background = 1u << 1u,        // does not keep its loop alive
        cancel_requested = 1u << 2u,  // its initiator has cancelled it
        remote = 1u << 3u,            // handed to another loop, which alone may touch its state now
        cancel_in_flight = 1u << 4u,  // a CancelOp for it is under way
        held_back = 1u << 5u,         // completed, waiting for that CancelOp to return
    };
    [[nodiscard]] bool has(Flag flag) const noexcept { return (flags_ & flag) != 0; }
    void set(Flag flag, bool value = true) noexcept {
        flags_ = static_cast<std::uint8_t>(value ? flags_ | flag : flags_ & ~flag);
    }

    // Sets all fields of the last word with single writes: no state of the previous flight remains.
    void take_off(MachineRef source) noexcept {
        source_ = source;
        state_ = OpState::submitted;
        lane_ = Lane::submissions;
        hold_height_ = 0;
        flags_ = static_cast<std::uint8_t>((flags_ & background) | in_flight);
        result_ = 0;
    }
    void land() noexcept {
        state_ = OpState::idle;
        set(in_flight, false);
    }

    OpCode code_;
    OpState state_ : 3 = OpState::idle;
    Lane lane_ : 2 = Lane::submissions;
    std::uint8_t hold_height_ : 3 = 0;  // levels between its initiator and the parent that holds it
    std::uint8_t flags_ = 0;
    std::int32_t result_ = 0;
    MachineRef source_;
    OpId id_ = 0;
    TraceId trace_id_ = 0;
    OpId parent_op_id_ = 0;
};
static_assert(sizeof(Op) == 64, "an op is one cache line");

using OpQueue = Queue<Op, OpLinks>;

// The base of the built-in kinds: an op with a word of user data for its initiator.
class Request : public Op {
public:
    explicit Request(OpCode code) noexcept : Op(code) {}
    void* owner = nullptr;
};

// Completes with 0 at its deadline or later, never earlier. The loop keeps it. Set the deadline
// while the op is idle. To get from a due timer to your own object, derive the object from TimerOp.
class TimerOp : public Op {
public:
    explicit TimerOp(Instant when = Instant()) noexcept : Op(OpCode::timer) { deadline = when; }

    using Op::deadline;
};
static_assert(sizeof(TimerOp) == 64, "a timer is one cache line: there are many");

// Carries a cancellation to another loop. An op that is in flight there cannot be sent a second
// time, so its initiator supplies this message. Both stay alive until the op's completion has been
// taken; the loop waits for the message to return before it delivers the completion.
class CancelOp : public Op {
public:
    CancelOp() noexcept : Op(OpCode::cancel) {}

private:
    friend class Machine;
    friend class Loop;
    Op* target_ = nullptr;
};

}  // namespace gyre
