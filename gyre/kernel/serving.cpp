// SPDX-License-Identifier: Apache-2.0
// What a machine does with the ops that others submit to it. Part of Machine.
#include "gyre/kernel/loop.hpp"
#include "gyre/kernel/machine.hpp"

namespace gyre {

// Whether a submission that was taken goes back at once.
bool Machine::turn_away(Op& op) noexcept {
    // The flags of an op from another loop are that loop's to read.
    const bool is_unwanted = is_from_here(op) && op.has(Op::cancel_requested);
    if (!is_unwanted && !is_closed_) return false;
    complete(op, failure(is_unwanted ? std::errc::operation_canceled : std::errc::owner_dead));
    return true;
}

Op* Machine::next_cancellation() noexcept {
    while (Op* op = in_.pop(Lane::cancellations)) {
        if (op->code_ != OpCode::cancel) return op;
        if (Op* target = target_of(static_cast<CancelOp&>(*op))) return target;
    }
    return nullptr;
}

// The message has done its duty and goes home; null when the op it is about was done before.
Op* Machine::target_of(CancelOp& message) noexcept {
    Op* target = message.target_;
    message.state_ = OpState::ready;
    if (target->state_ == OpState::submitted) {
        target->unlink();
        target->state_ = OpState::held;
        ++ops_held_;
        complete(*target, failure(std::errc::operation_canceled));
    }
    if (target->state_ != OpState::held) target = nullptr;
    put_out(Lane::completions, message);
    return target;
}

void Machine::send_back(Op& op) noexcept {
    loop_->check_thread();
    op.hold_height_ = 0;
    op.state_ = OpState::ready;
    if (is_from_here(op)) {
        // A doorbell or a cancellation on its way gives way to the completion.
        if (op.is_linked()) op.unlink();
    } else if (op.is_standing() && !static_cast<StandingOp&>(op).bell_.close()) {
        return;  // Rung and on its way: the end travels along.
    }
    put_out(Lane::completions, op);
}

void Machine::notify(StandingOp& op) noexcept {
    GYRE_ASSERT(op.state_ == OpState::held, "op %llu (%s) is rung by %s, which does not hold it",
                printable(op.id_), name_of(op.code_), name_);
    loop_->check_thread();
    const bool must_go = is_from_here(op) ? !op.is_linked() : op.bell_.ring();
    if (must_go) put_out(Lane::notifications, op);
}

void Machine::offload(Op& op, std::int32_t (*work)(Op&) noexcept) noexcept {
    GYRE_ASSERT(op.state_ == OpState::held,
                "op %llu (%s) is offloaded by %s, which does not hold it", printable(op.id_),
                name_of(op.code_), name_);
    GYRE_ASSERT(is_from_here(op),
                "op %llu (%s) of another loop is offloaded: its own loop must do it",
                printable(op.id_), name_of(op.code_));
    loop_->start_offload(op, work);
}

bool Machine::withdraw_offload(Op& op) noexcept {
    GYRE_ASSERT(op.state_ == OpState::offloaded, "op %llu (%s) is not offloaded", printable(op.id_),
                name_of(op.code_));
    loop_->check_thread();
    return loop_->withdraw_offload(op);
}

}  // namespace gyre
