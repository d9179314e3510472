// SPDX-License-Identifier: Apache-2.0
// The thread-safe part of Loop: posts, ops to and from other loops, and blocking work on the
// threads of the Offload.
#include "gyre/base/log.hpp"
#include "gyre/kernel/loop.hpp"

namespace gyre {

void Loop::send_to_peer(Op& op, Lane lane, ThreadId thread) noexcept {
    if (state_.observer != nullptr) state_.observer->on_route(op, lane, nullptr);
    Loop* peer = options_.peers == nullptr ? nullptr : options_.peers->find(thread);
    // A standing op may be rung, answered and closed by other threads at the same time: its
    // Doorbell, not its lane, carries that state.
    if (lane != Lane::notifications) op.lane_ = lane;
    const Inbox::Posted posted = peer == nullptr ? Inbox::Posted::refused : peer->inbox_.post(op);
    if (posted != Inbox::Posted::refused) {
        peer->wake_if(posted);
        return;
    }
    GYRE_ASSERT(lane == Lane::submissions,
                "op %llu (%s) cannot return to loop %u, which closed before its ops were back",
                printable(op.id_), name_of(op), thread);
    if (op.code_ == OpCode::cancel) {
        // The other loop has closed, and so has already sent back all its ops: the op is in flight
        // to this loop.
        finish_cancel(static_cast<CancelOp&>(op));
        return;
    }
    op.set(Op::remote, false);
    return_to_source(op, failure(std::errc::owner_dead));
}

void Loop::receive_post(Op& op) noexcept {
    if (op.is_standing() && static_cast<StandingOp&>(op).bell_.is_rung()) {
        if (&op == &stop_) {
            is_stopping_ = true;
            (void)stop_.bell_.answer();
        } else {
            deliver(op, Lane::notifications, op.source_);
        }
        return;
    }
    switch (op.lane_) {
        case Lane::submissions:
            deliver(op, op.code_ == OpCode::cancel ? Lane::cancellations : Lane::submissions,
                    op.destination() ? op.destination() : app_.ref());
            break;
        case Lane::completions:
            if (op.code_ == OpCode::cancel) {
                finish_cancel(static_cast<CancelOp&>(op));
            } else {
                take_back(op);
            }
            break;
        case Lane::cancellations:
        case Lane::notifications:
            GYRE_ASSERT(false, "an op was posted in a lane that no inbox accepts");
    }
}

bool Loop::post_all(OpQueue& ops) noexcept {
    ops.for_each([this](Op& op) { start_post(op); });
    if (finish_post(inbox_.post_all(ops))) return true;
    ops.for_each([this](Op& op) { return_to_source(op, 0); });
    return false;
}

void WakeOp::ring() noexcept {
    if (bell_.ring()) loop_->wake_if(loop_->inbox_.post(*this));
}

void Loop::start_offload(Op& op, Offload::Work work) noexcept {
    op.state_ = OpState::offloaded;
    op.lane_ = Lane::completions;  // Set now: the worker thread must not write this shared byte.
    if (options_.offload == nullptr) {
        finish_offload(op, failure(std::errc::function_not_supported));
    } else if (!options_.offload->start(op, work, *this)) {
        finish_offload(op, failure(std::errc::resource_unavailable_try_again));
    }
}

void Loop::cancel_offloaded(Op& op) noexcept {
    if (options_.offload->withdraw(op)) {
        finish_offload(op, failure(std::errc::operation_canceled));
    }
}

bool Loop::withdraw_offload(Op& op) noexcept {
    if (!options_.offload->withdraw(op)) return false;
    op.state_ = OpState::held;
    return true;
}

// The loop itself completes a WorkOp; if a machine offloaded an op it holds, that machine completes
// it.
void Loop::finish_offload(Op& op, std::int32_t result) noexcept {
    if (op.code_ == OpCode::work) {
        return_to_source(op, result);
        return;
    }
    Machine* server = machines_.find(destination_of(op).machine);
    GYRE_ASSERT(server != nullptr, "the machine that offloaded op %llu (%s) is gone",
                printable(op.id_), name_of(op));
    op.state_ = OpState::held;
    server->on_offload_done(op, result);
}

// On a thread of the Offload: the op belongs to that thread until it is posted. As soon as it is
// posted, the loop may take it, end and be destroyed, so the loop counts the threads that are still
// inside this function.
void Loop::post_offloaded(Op& op, std::int32_t result) noexcept {
    inbox_.enter();
    op.result_ = result;
    const Inbox::Posted posted = inbox_.post(op);
    GYRE_ASSERT(posted != Inbox::Posted::refused,
                "a loop closed before its offloaded work was back");
    wake_if(posted);
    inbox_.leave();  // The last access to the loop; its destructor waits for it.
}

// Threads of the parent that were inside post_offloaded are not here to leave it. What they have
// posted is taken over first, so that every op that is still offloaded is with a lost thread.
Result<void> Loop::renew_after_fork() {
    adopt();
    inbox_.forget_visitors();
    drain_inbox();
    if (options_.offload != nullptr) options_.offload->renew_after_fork();
    return platform_.renew_after_fork();
}

void Loop::abandon_offloaded(Op& op) noexcept {
    if (op.state_ != OpState::offloaded) return;
    finish_offload(op, failure(std::errc::operation_canceled));
}

// The message uses the same inbox as the op, so it cannot overtake the op.
void Loop::send_cancel(Op& op, CancelOp& message) noexcept {
    GYRE_ASSERT(!message.is_in_flight(),
                "the CancelOp is in flight for another op: use one for each");
    op.set(Op::cancel_in_flight);
    message.target_ = &op;
    message.set(Op::in_flight);
    message.id_ = ++state_.last_op_id;
    message.trace_id_ = op.trace_id_;
    message.parent_op_id_ = op.id_;
    message.source_ = op.source_;
    message.destination_ = op.destination_;
    message.state_ = OpState::submitted;
    send_to_peer(message, Lane::submissions, op.destination_.thread);
}

void Loop::finish_cancel(CancelOp& message) noexcept {
    Op& op = *message.target_;
    message.set(Op::in_flight, false);
    message.state_ = OpState::idle;
    op.set(Op::cancel_in_flight, false);
    if (op.has(Op::held_back)) {
        op.set(Op::held_back, false);
        deliver(op, Lane::completions, op.source_);
    }
}

// An op is back from another loop, or from the Offload. While a CancelOp for it is in flight, the
// other loop may still read the op.
void Loop::take_back(Op& op) noexcept {
    if (op.state_ == OpState::offloaded) {
        finish_offload(op, op.result_);
        return;
    }
    op.set(Op::remote, false);
    if (op.has(Op::cancel_in_flight)) {
        op.set(Op::held_back);
    } else {
        deliver(op, Lane::completions, op.source_);
    }
}

}  // namespace gyre
