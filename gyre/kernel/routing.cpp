// SPDX-License-Identifier: Apache-2.0
// Where an op goes: to a machine of this loop, to the loop's own timers, to another loop, or back
// to its initiator. Part of Loop.
#include "gyre/base/log.hpp"
#include "gyre/kernel/loop.hpp"

namespace gyre {

void Loop::route_submission(Op& op) noexcept {
    if (op.has(Op::cancel_requested)) {
        return_to_source(op, failure(std::errc::operation_canceled));
        return;
    }
    switch (op.code_) {
        case OpCode::timer:
            keep_timer(static_cast<TimerOp&>(op));
            return;
        case OpCode::work:
            start_offload(op, [](Op& work) noexcept -> std::int32_t {
                auto& work_op = static_cast<WorkOp&>(work);
                return work_op.work(work_op);
            });
            return;
        default:
            break;
    }
    const MachineRef target = destination_of(op);
    if (target.thread == options_.thread_id) {
        deliver(op, Lane::submissions, target);
    } else {
        op.set(Op::remote);
        send_to_peer(op, Lane::submissions, target.thread);
    }
}

void Loop::route_cancellation(Op& op) noexcept {
    deliver(op, Lane::cancellations, destination_of(op));
}

void Loop::route_completion(Op& op) noexcept {
    route_back(op, Lane::completions);
}

void Loop::route_notification(Op& op) noexcept {
    route_back(op, Lane::notifications);
}

void Loop::route_back(Op& op, Lane lane) noexcept {
    if (op.source_.thread == options_.thread_id) {
        deliver(op, lane, op.source_);
    } else {
        send_to_peer(op, lane, op.source_.thread);
    }
}

// A parent that holds the op is nearer than where it was to go. The default is app to platform and
// back. A child has none: its parent decides, or the child says.
MachineRef Loop::destination_of(const Op& op) const noexcept {
    if (op.hold_height_ > 0) {
        const Machine* holder = machines_.find(op.source_.machine);
        for (unsigned i = 0; i < op.hold_height_; ++i) holder = holder->parent();
        return holder->ref();
    }
    if (const MachineRef destination = op.destination()) return destination;
    if (op.source_ == app_.ref()) return platform_.ref();
    if (!op.source_ || op.source_ == platform_.ref()) return app_.ref();
    const Machine* source = machines_.find(op.source_.machine);
    GYRE_ASSERT(
        false,
        "op %llu (%s) of child machine %u (%s) has no destination: only the app and the "
        "platform have a default; call set_destination, for the platform with platform_ref()",
        printable(op.id_), name_of(op.code_), op.source_.machine,
        source == nullptr ? "gone" : source->name());
    return {};
}

// A child's port is its parent's to write: the op enters at the root and is passed down.
void Loop::deliver(Op& op, Lane lane, MachineRef target) noexcept {
    Machine* machine = machines_.find(target.machine);
    if (machine == nullptr) {
        // A machine that is gone had no op in flight: what comes for it now is somebody's request.
        GYRE_ASSERT(lane != Lane::completions && lane != Lane::notifications,
                    "op %llu (%s) comes back to machine %u, which is gone", printable(op.id_),
                    name_of(op.code_), target.machine);
        refuse(op);
        return;
    }
    deliver_to(*machine, lane, op);
}

void Loop::deliver_to(Machine& machine, Lane lane, Op& op) noexcept {
    if (options_.observer != nullptr) options_.observer->on_route(op, lane, &machine);
    machine.root_->receive(nullptr, lane, op);
}

// For what the loop itself ends: a timer, a wake, an op cancelled on its way.
void Loop::return_to_source(Op& op, std::int32_t result) noexcept {
    op.result_ = result;
    op.state_ = OpState::ready;
    if (op.source_) {
        route_completion(op);
    } else {
        op.land();
    }
}

// Nobody is there to serve it.
void Loop::refuse(Op& op) noexcept {
    const auto why = is_closed_ ? std::errc::owner_dead : std::errc::no_such_device_or_address;
    log(LogLevel::debug, "op %llu (%s) refused: no machine %u at loop %u", printable(op.id_),
        name_of(op.code_), op.destination().machine, options_.thread_id);
    return_to_source(op, failure(why));
}

void Loop::send_to_peer(Op& op, Lane lane, ThreadId thread) noexcept {
    if (options_.observer != nullptr) options_.observer->on_route(op, lane, nullptr);
    Loop* peer = options_.peers == nullptr ? nullptr : options_.peers->find(thread);
    // A rung op may be rung, answered and closed by others at the same time: its lane is its bell.
    if (lane != Lane::notifications) op.lane_ = lane;
    const Inbox::Posted posted = peer == nullptr ? Inbox::Posted::refused : peer->inbox_.post(op);
    if (posted != Inbox::Posted::refused) {
        peer->wake_if(posted);
        return;
    }
    GYRE_ASSERT(lane == Lane::submissions,
                "op %llu (%s) cannot return to loop %u, which closed before its ops were back",
                printable(op.id_), name_of(op.code_), thread);
    if (op.code_ == OpCode::cancel) {
        // The other loop has closed, and so has sent back all it had: the op is on its way here.
        finish_cancel(static_cast<CancelOp&>(op));
        return;
    }
    op.set(Op::remote, false);
    return_to_source(op, failure(std::errc::owner_dead));
}

// Whether an op that was posted is a plain request to the app machine.
bool Loop::is_for_app(const Op& op) const noexcept {
    if (op.is_standing() || op.code_ == OpCode::cancel) return false;
    return op.lane_ == Lane::submissions && (!op.destination() || op.destination() == app_.ref());
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
            GYRE_ASSERT(false, "an op was posted for a lane of no inbox");
    }
}

// What a thread without a loop submits has no initiator to come back to.
void Loop::start_post(Op& op) noexcept {
    GYRE_ASSERT(!op.is_in_flight(), "op %llu (%s) is posted while in flight: wait until it is idle",
                printable(op.id_), name_of(op.code_));
    op.take_off({});
}

bool Loop::finish_post(Inbox::Posted posted) noexcept {
    wake_if(posted);
    return posted != Inbox::Posted::refused;
}

bool Loop::post(Op& op) noexcept {
    start_post(op);
    if (finish_post(inbox_.post(op))) return true;
    return_to_source(op, 0);
    return false;
}

bool Loop::post_all(OpQueue& ops) noexcept {
    ops.for_each([this](Op& op) { start_post(op); });
    if (finish_post(inbox_.post_all(ops))) return true;
    ops.for_each([this](Op& op) { return_to_source(op, 0); });
    return false;
}

void Loop::keep_timer(TimerOp& op) noexcept {
    op.state_ = OpState::with_loop;
    timers_.insert(op);
}

// A wake stays where it is from the start: once open it may be posted at any time, so it cannot
// stand in a queue on its way here.
void Loop::keep_wake(WakeOp& op) noexcept {
    op.state_ = OpState::with_loop;
    op.loop_ = this;
    op.bell_.open();
}

void Loop::post_rung(Op& op) noexcept {
    wake_if(inbox_.post(op));
}

void Loop::wake_if(Inbox::Posted posted) noexcept {
    if (posted == Inbox::Posted::loop_sleeps) platform_.wake();
}

void WakeOp::ring() noexcept {
    if (bell_.ring()) loop_->post_rung(*this);
}

}  // namespace gyre
