// SPDX-License-Identifier: Apache-2.0
#include "gyre/kernel/machine.hpp"

#include "gyre/base/detail/append_format.hpp"
#include "gyre/kernel/loop.hpp"

namespace gyre {

Machine::~Machine() {
    GYRE_ASSERT(ops_in_flight_ == 0,
                "machine %s is destroyed with %llu ops in flight: cancel them and take their "
                "completions first (Loop::close does)",
                name_, printable(ops_in_flight_));
    GYRE_ASSERT(ops_held_ == 0,
                "machine %s is destroyed while it serves %llu ops: complete them first", name_,
                printable(ops_held_));
    GYRE_ASSERT(children_.empty(),
                "machine %s is destroyed before its children: a child is usually "
                "a member of the parent's class",
                name_);
    if (parent_ != nullptr) parent_->remove_child(*this);
    GYRE_ASSERT(loop_ == nullptr, "root machine %s is destroyed before its loop", name_);
}

void Machine::add_child(Machine& child) {
    GYRE_ASSERT(child.parent_ == nullptr, "machine %s has a parent already", child.name_);
    GYRE_ASSERT(!child.is_attached(), "machine %s is the root of a loop", child.name_);
    if (is_attached()) loop_->machines_.reserve(child.tree_size());
    child.parent_ = this;
    children_.push_back(child);
    if (is_attached()) child.attach(*loop_);
}

std::size_t Machine::tree_size() const noexcept {
    std::size_t size = 1;
    children_.for_each([&size](const Machine& child) { size += child.tree_size(); });
    return size;
}

void Machine::remove_child(Machine& child) noexcept {
    GYRE_ASSERT(child.parent_ == this, "machine %s is no child of %s", child.name_, name_);
    GYRE_ASSERT(child.ops_in_flight_ == 0, "child %s is removed with %llu ops in flight",
                child.name_, printable(child.ops_in_flight_));
    if (child.is_attached()) child.detach();
    static_cast<Link<SiblingLinks>&>(child).unlink();
    child.parent_ = nullptr;
}

void Machine::attach(Loop& loop) noexcept {
    GYRE_ASSERT(loop_ == nullptr, "machine %s is the root of a loop already", name_);
    loop_ = &loop;
    loop_state_ = &loop.state_;
    root_ = parent_ == nullptr ? this : parent_->root_;
    ref_ = {loop.thread_id(), loop.machines_.add(*this)};
    children_.for_each([&loop](Machine& child) { child.attach(loop); });
}

void Machine::detach() noexcept {
    children_.for_each([](Machine& child) { child.detach(); });
    if (Link<ReadyLinks>::is_linked()) Link<ReadyLinks>::unlink();
    if (Link<OutputLinks>::is_linked()) Link<OutputLinks>::unlink();
    loop_->machines_.remove(ref_.machine);
    loop_ = nullptr;
    loop_state_ = nullptr;
    ref_ = {};
    is_closed_ = false;
}

void Machine::close_tree() {
    children_.for_each([](Machine& child) { child.close_tree(); });
    on_close();
    is_closed_ = true;
}

void Machine::describe_ops(std::string& lines) const {
    if (ops_in_flight_ == 0 && ops_held_ == 0) return;
    append_format(lines, "  machine %u (%s): %llu in flight, %llu held\n", ref_.machine, name_,
                  printable(ops_in_flight_), printable(ops_held_));
    const auto describe = [this, &lines](const Op& op) {
        append_format(lines, "  op %llu %s in a queue\n", printable(op.id()), op_name(op));
    };
    in_.for_each(describe);
    out_.for_each(describe);
    describe_held(lines);
}

// ---- Between a parent and its children ----

void Machine::pass_inputs_down() noexcept {
    for (const Lane lane :
         {Lane::submissions, Lane::cancellations, Lane::completions, Lane::notifications}) {
        in_.queue(lane).for_each([this, lane](Op& op) {
            const MachineRef target = way_of(op, lane);
            // No target: this is a root, and the op came by the default route.
            if (target == ref_ || !target) return;
            op.unlink();
            on_child_input(child_towards(target), op, lane);
        });
    }
}

// The next machine on the op's way: towards its server, or back to its initiator.
MachineRef Machine::way_of(const Op& op, Lane lane) const noexcept {
    if (lane == Lane::completions || lane == Lane::notifications) return op.source_;
    return op.hold_height_ > 0 ? loop_->destination_of(op) : op.destination();
}

void Machine::take_outputs_of_children() noexcept {
    while (Machine* child = children_with_output_.pop_front()) {
        for (const Lane lane :
             {Lane::submissions, Lane::cancellations, Lane::completions, Lane::notifications}) {
            while (Op* op = child->out_.pop(lane)) {
                // Cancelled before it was taken: a parent that held it now would not see the
                // cancellation.
                if (lane == Lane::submissions && op->has(Op::cancel_requested)) {
                    op->result_ = failure(std::errc::operation_canceled);
                    op->state_ = OpState::ready;
                    child->receive(this, Lane::completions, *op);
                } else {
                    on_child_output(*child, *op, lane);
                }
            }
        }
    }
}

Machine& Machine::child_towards(MachineRef target) noexcept {
    Machine* machine = loop_->machines_.find(target.machine);
    while (machine != nullptr && machine->parent_ != this) machine = machine->parent_;
    GYRE_ASSERT(machine != nullptr, "machine %u is not below %s", target.machine, name_);
    return *machine;
}

const char* Machine::op_name(const Op& op) const noexcept {
    return loop_ == nullptr ? gyre::name_of(op.code_) : loop_->name_of(op);
}

MachineRef Machine::platform_ref() const noexcept {
    return loop_->platform_ref();
}

// ---- As a parent ----

void Machine::forward(Op& op, Lane lane) noexcept {
    put_out(lane, op);
}

void Machine::pass_down(Machine& child, Op& op, Lane lane) noexcept {
    child.receive(this, lane, op);
}

void Machine::hold(Op& op) noexcept {
    GYRE_ASSERT(op.state_ == OpState::submitted, "op %llu (%s) is held already", printable(op.id_),
                op_name(op));
    GYRE_ASSERT(is_from_here(op), "op %llu (%s) of another loop cannot be held on its way",
                printable(op.id_), op_name(op));
    // So that a cancellation can be routed to this machine.
    unsigned height = 0;
    for (const Machine* at = loop_->machines_.find(op.source_.machine); at != this;
         at = at->parent_) {
        GYRE_ASSERT(at != nullptr, "op %llu (%s) is not from below %s", printable(op.id_),
                    op_name(op), name_);
        ++height;
    }
    GYRE_ASSERT(height > 0 && height <= hold_height_max,
                "op %llu (%s) is held %u levels above its initiator: 1 to %u are possible",
                printable(op.id_), op_name(op), height, hold_height_max);
    op.hold_height_ = static_cast<std::uint8_t>(height & hold_height_max);
    op.state_ = OpState::held;
    ++ops_held_;
}

void Machine::answer(Machine& child, Op& op, std::int32_t result) noexcept {
    GYRE_ASSERT(op.state_ == OpState::held,
                "op %llu (%s) is answered by %s, which does not hold it", printable(op.id_),
                op_name(op), name_);
    --ops_held_;
    if (op.is_linked()) op.unlink();
    op.hold_height_ = 0;
    op.result_ = result;
    op.state_ = OpState::ready;
    child.receive(this, Lane::completions, op);
}

// ---- As the initiator of ops ----

void Machine::stamp(Op& op, Cause cause) noexcept {
    LoopState& state = *loop_state_;
    op.id_ = ++state.last_op_id;
    op.trace_id_ = cause.trace_id != 0 ? cause.trace_id : op.id_;
    op.parent_op_id_ = cause.op_id;
    ++ops_in_flight_;
    ++state.ops_in_flight;
    if (op.is_background()) ++state.ops_in_background;
    if (state.observer != nullptr) state.observer->on_submit(op, *this);
}

void Machine::submit(Op& op, Cause cause) noexcept {
    GYRE_ASSERT(is_attached(), "machine %s belongs to no loop yet: make the Loop first", name_);
    GYRE_ASSERT(!op.is_in_flight(), "op %llu (%s) is submitted twice: take its completion first",
                printable(op.id_), op_name(op));
    loop_state_->check_thread();
    op.take_off(ref_);
    stamp(op, cause);
    // Ops that the loop itself keeps go there at once. Only a child's timer passes through its
    // parents.
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
                printable(op.id_), op_name(op), name_);
    loop_state_->check_thread();
    if (op.has(Op::remote)) {
        GYRE_ASSERT(message != nullptr,
                    "op %llu (%s) is at loop %u: pass a CancelOp with the cancel",
                    printable(op.id_), op_name(op), op.destination_.thread);
        op.set(Op::cancel_requested);
        loop_->send_cancel(op, *message);
        return;
    }
    if (op.state_ == OpState::ready) return;  // Already completed: the result is kept.
    op.set(Op::cancel_requested);
    switch (op.state_) {
        case OpState::with_loop:
            loop_->cancel_with_loop(op, *this);
            break;
        case OpState::offloaded:
            loop_->cancel_offloaded(op);
            break;
        case OpState::held:
            // Drops a notification that has not been taken: the completion replaces it.
            if (op.is_linked()) op.unlink();
            put_out(Lane::cancellations, op);
            break;
        case OpState::submitted:  // The next machine that takes it sees the flag and completes it.
        case OpState::idle:
        case OpState::ready:
            break;
    }
}

bool Machine::reschedule(TimerOp& op, Instant deadline) noexcept {
    if (!op.is_in_flight() || op.has(Op::cancel_requested)) return false;
    GYRE_ASSERT(op.source_ == ref_, "timer op %llu is moved by %s, which did not submit it",
                printable(op.id_), name_);
    loop_state_->check_thread();
    if (op.state_ == OpState::with_loop) {
        loop_->timers_.move(op, deadline);
        return true;
    }
    if (op.state_ != OpState::submitted) return false;
    op.deadline = deadline;  // A child's timer, not with the loop yet.
    return true;
}

Result<void> Machine::submit_now(Op& op) noexcept {
    submit(op);
    loop_->serve_now();
    const bool is_refused = op.state_ == OpState::ready && op.result_ < 0;
    if (is_refused && take_completion_of(op)) return std::unexpected(op.error());
    return {};
}

bool Machine::withdraw_now(Op& op) noexcept {
    cancel(op);
    loop_->serve_now();
    return !op.is_in_flight() || take_completion_of(op);
}

void Machine::pass_on_now() noexcept {
    loop_->serve_now();
}

// An op of this machine that is ready and linked is in the in port: nothing of it is at another
// loop, or in the inbox.
bool Machine::take_completion_of(Op& op) noexcept {
    GYRE_ASSERT(this == &loop_->app_, "machine %s is not the app: its ops pass through its parents",
                name_);
    if (op.state_ != OpState::ready || !op.is_linked()) return false;
    op.unlink();
    op.land();
    count_taken(op);
    return true;
}

// The op was completed while its notification was in flight: the notification becomes the
// completion.
void Machine::finish_closed_doorbell(StandingOp& op) noexcept {
    op.set(Op::remote, false);
    if (op.has(Op::cancel_in_flight)) {
        op.set(Op::held_back);
        return;
    }
    in_.push(Lane::completions, op);
    tick_again();
}

// ---- As their server ----

// Whether a submission that was just taken is completed at once, as cancelled or refused.
bool Machine::turn_away(Op& op) noexcept {
    // The flags of an op from another loop may be read only by that loop.
    const bool is_unwanted = is_from_here(op) && op.has(Op::cancel_requested);
    if (!is_unwanted && !is_closed_) return false;
    complete(op, failure(is_unwanted ? std::errc::operation_canceled : std::errc::owner_dead));
    return true;
}

// Sends the message back to its sender. Null if its op was completed before.
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

void Machine::notify(StandingOp& op) noexcept {
    GYRE_ASSERT(op.state_ == OpState::held, "op %llu (%s) is rung by %s, which does not hold it",
                printable(op.id_), op_name(op), name_);
    loop_state_->check_thread();
    const bool must_go = is_from_here(op) ? !op.is_linked() : op.bell_.ring();
    if (must_go) put_out(Lane::notifications, op);
}

void Machine::offload(Op& op, std::int32_t (*work)(Op&) noexcept) noexcept {
    GYRE_ASSERT(op.state_ == OpState::held,
                "op %llu (%s) is offloaded by %s, which does not hold it", printable(op.id_),
                op_name(op), name_);
    GYRE_ASSERT(is_from_here(op),
                "op %llu (%s) of another loop is offloaded: its own loop must do it",
                printable(op.id_), op_name(op));
    loop_->start_offload(op, work);
}

bool Machine::withdraw_offload(Op& op) noexcept {
    GYRE_ASSERT(op.state_ == OpState::offloaded, "op %llu (%s) is not offloaded", printable(op.id_),
                op_name(op));
    loop_state_->check_thread();
    return loop_->withdraw_offload(op);
}

}  // namespace gyre
