// SPDX-License-Identifier: Apache-2.0
// What a machine does with the ops that it submits itself. Part of Machine.
#include "gyre/kernel/loop.hpp"
#include "gyre/kernel/machine.hpp"

namespace gyre {

void Machine::submit(Op& op, Cause cause) noexcept {
    GYRE_ASSERT(is_attached(), "machine %s belongs to no loop yet: make the Loop first", name_);
    GYRE_ASSERT(!op.is_in_flight(), "op %llu (%s) is submitted twice: take its completion first",
                printable(op.id_), name_of(op.code_));
    loop_->check_thread();
    op.take_off(ref_);
    ++ops_in_flight_;
    loop_->stamp(op, *this, cause);
    // What the loop keeps itself goes there at once. Only a child's timer passes its parents.
    if (op.code_ == OpCode::timer && parent_ == nullptr) {
        loop_->keep_timer(static_cast<TimerOp&>(op));
        return;
    }
    if (op.code_ == OpCode::wake) {
        loop_->keep_wake(static_cast<WakeOp&>(op));
        return;
    }
    if (op.is_standing()) static_cast<StandingOp&>(op).bell_.open();
    put_out(Lane::submissions, op);
}

void Machine::cancel(Op& op, CancelOp* message) noexcept {
    if (!op.is_in_flight() || op.has(Op::cancel_requested)) return;
    GYRE_ASSERT(op.source_ == ref_, "op %llu (%s) is cancelled by %s, which did not submit it",
                printable(op.id_), name_of(op.code_), name_);
    loop_->check_thread();
    if (op.has(Op::remote)) {
        GYRE_ASSERT(message != nullptr,
                    "op %llu (%s) is at loop %u: pass a CancelOp with the cancel",
                    printable(op.id_), name_of(op.code_), op.destination_.thread);
        op.set(Op::cancel_requested);
        loop_->send_cancel(op, *message);
        return;
    }
    if (op.state_ == OpState::ready) return;  // The result stands.
    op.set(Op::cancel_requested);
    switch (op.state_) {
        case OpState::with_loop:
            loop_->cancel_with_loop(op, *this);
            break;
        case OpState::offloaded:
            loop_->cancel_offloaded(op);
            break;
        case OpState::held:
            // A doorbell not yet answered gives way: the completion will say as much.
            if (op.is_linked()) op.unlink();
            put_out(Lane::cancellations, op);
            break;
        case OpState::submitted:  // Whoever takes it next sees the mark and sends it back.
        case OpState::idle:
        case OpState::ready:
            break;
    }
}

bool Machine::reschedule(TimerOp& op, Instant deadline) noexcept {
    if (!op.is_in_flight() || op.has(Op::cancel_requested)) return false;
    GYRE_ASSERT(op.source_ == ref_, "timer op %llu is moved by %s, which did not submit it",
                printable(op.id_), name_);
    loop_->check_thread();
    if (op.state_ == OpState::with_loop) {
        loop_->timers_.move(op, deadline);
        return true;
    }
    if (op.state_ != OpState::submitted) return false;
    op.deadline = deadline;  // A child's, on its way to the loop.
    return true;
}

Op* Machine::next_completion() noexcept {
    Op* op = in_.pop(Lane::completions);
    if (op == nullptr) return nullptr;
    op->land();
    --ops_in_flight_;
    loop_->count_taken(*op, *this);
    return op;
}

StandingOp* Machine::next_notification() noexcept {
    while (Op* op = in_.pop(Lane::notifications)) {
        auto& standing = static_cast<StandingOp&>(*op);
        const bool came_by_bell = op->code_ == OpCode::wake || op->has(Op::remote);
        if (came_by_bell && standing.bell_.answer()) {
            finish_closed_doorbell(standing);
            continue;
        }
        return &standing;
    }
    return nullptr;
}

// The op was completed while a ring of it was on its way: the ring turns into the completion.
void Machine::finish_closed_doorbell(StandingOp& op) noexcept {
    op.set(Op::remote, false);
    if (op.has(Op::cancel_in_flight)) {
        op.set(Op::held_back);
        return;
    }
    in_.push(Lane::completions, op);
    tick_again();
}

}  // namespace gyre
