// SPDX-License-Identifier: Apache-2.0
// Machine: state with a tick, an in port and an out port, in a tree. Derive from it; the members of
// your class are its state. The functions under "protected" are the whole interface between a
// machine and its loop.
//
//     class Pinger : public Machine {
//     public:
//         Pinger() : Machine("pinger") {}
//         void start() { submit(timer_); }
//     private:
//         void tick(Instant) override { while (next_completion() != nullptr) ++pings_; }
//         TimerOp timer_;
//         int pings_ = 0;
//     };
//
// Thread: its loop's thread.
// Lifetime: owned by the code that creates it, a child usually as a member of its parent. Destroyed
// before its parent, with no op in flight.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "gyre/kernel/clock.hpp"
#include "gyre/kernel/observer.hpp"
#include "gyre/kernel/op.hpp"
#include "gyre/kernel/standing_op.hpp"

namespace gyre {

class Loop;
class Machine;
struct ReadyLinks;
struct OutputLinks;
struct SiblingLinks;

// The entry or exit of a machine's ops: four queues. Single writer: only the loop writes a root
// machine's in port, only the parent writes a child's, and only the machine writes its out port.
// Only Machine and Loop can push, and they assert this rule.
class Port {
public:
    [[nodiscard]] bool empty() const noexcept {
        for (const OpQueue& queue : lanes_) {
            if (!queue.empty()) return false;
        }
        return true;
    }
    [[nodiscard]] bool empty(Lane lane) const noexcept { return lanes_[index(lane)].empty(); }
    [[nodiscard]] std::size_t count(Lane lane) const noexcept {
        return lanes_[index(lane)].count();
    }

    // For reports.
    template <class Visitor>
    void for_each(Visitor visit) const {
        for (const OpQueue& queue : lanes_) queue.for_each(visit);
    }

private:
    friend class Machine;
    friend class Loop;

    static constexpr std::size_t index(Lane lane) noexcept {
        return static_cast<std::size_t>(lane);
    }

    void push(Lane lane, Op& op) noexcept { lanes_[index(lane)].push_back(op); }
    Op* pop(Lane lane) noexcept { return lanes_[index(lane)].pop_front(); }
    OpQueue& queue(Lane lane) noexcept { return lanes_[index(lane)]; }

    std::array<OpQueue, 4> lanes_;
};

// Its address is different in every thread, so it identifies the thread that turns a loop.
inline thread_local const char this_thread_mark = 0;

// The part of a Loop that its machines write: which machines have work, and the counts of ops.
struct LoopState {
    Queue<Machine, ReadyLinks> ready;               // to be ticked
    Queue<Machine, OutputLinks> roots_with_output;  // to be routed
    Observer* observer = nullptr;
    OpId last_op_id = 0;
    std::uint64_t ops_in_flight = 0;
    std::uint64_t ops_in_background = 0;
    const void* thread_mark = nullptr;  // null: not turned yet

    void check_thread() const noexcept {
        GYRE_DEBUG_ASSERT(thread_mark == nullptr || thread_mark == &this_thread_mark,
                          "the loop is touched from a foreign thread: post an op or ring a WakeOp");
    }
};

class Machine : public Link<ReadyLinks>, public Link<OutputLinks>, public Link<SiblingLinks> {
public:
    // The name appears in reports; it must live as long as the machine.
    explicit Machine(const char* name) noexcept : name_(name) {}
    virtual ~Machine();
    Machine(const Machine&) = delete;
    Machine& operator=(const Machine&) = delete;

    [[nodiscard]] const char* name() const noexcept { return name_; }
    [[nodiscard]] MachineRef ref() const noexcept { return ref_; }
    [[nodiscard]] Machine* parent() const noexcept { return parent_; }
    [[nodiscard]] bool is_attached() const noexcept { return loop_ != nullptr; }
    [[nodiscard]] const Port& in() const noexcept { return in_; }
    [[nodiscard]] const Port& out() const noexcept { return out_; }

    // The number of ops this machine submitted and whose completion it has not taken, and the
    // number of ops it serves.
    [[nodiscard]] std::uint64_t ops_in_flight() const noexcept { return ops_in_flight_; }
    [[nodiscard]] std::uint64_t ops_held() const noexcept { return ops_held_; }

    // The child becomes live with its parent, at once if the parent is live. If memory runs out,
    // nothing is changed.
    void add_child(Machine& child);
    void remove_child(Machine& child) noexcept;

protected:
    // Called if there is input, if a child has output, or after tick_again. Input that the tick
    // does not take stays in the in port until the next tick.
    virtual void tick(Instant now) = 0;

    // Called for each op in a child's output, and for each op on its way down to a child. A parent
    // may pass the op on (the default), hold and complete it itself, or submit an op of its own
    // instead.
    virtual void on_child_output(Machine& /*child*/, Op& op, Lane lane) { forward(op, lane); }
    virtual void on_child_input(Machine& child, Op& op, Lane lane) { pass_down(child, op, lane); }

    // Called when the work for an op is done, withdrawn or refused: this machine holds the op again
    // and must complete it.
    virtual void on_offload_done(Op& op, std::int32_t result) { complete(op, result); }

    // Called once when the loop closes, children first: cancel every op you have in flight and
    // complete every op you serve. Ops that arrive later are completed for you with `owner_dead`.
    virtual void on_close() {}

    // For reports: appends a line for each op that it holds, if it keeps track of them.
    virtual void describe_held(std::string& /*lines*/) const {}

    // As the initiator of an op.
    void submit(Op& op, Cause cause = {}) noexcept;
    // Requests cancellation, allowed in every state. The op still completes exactly once: as
    // cancelled, or with its result if that came first. An op at another loop needs `message` to
    // carry the request.
    void cancel(Op& op, CancelOp* message = nullptr) noexcept;
    // Moves a timer in flight to another deadline, as if it were submitted now. False, with nothing
    // changed, if the timer is idle or no longer waiting (due, cancelled, held by a parent).
    [[nodiscard]] bool reschedule(TimerOp& op, Instant deadline) noexcept;
    // `submit` and `cancel` for the app machine, with the server taking the op inside the call, also
    // within a tick: when submit_now returns, what the op starts has begun, or the error says why
    // not, and then no completion follows. After a withdraw_now that returns true no completion
    // follows either; otherwise it does, as after `cancel`.
    [[nodiscard]] Result<void> submit_now(Op& op) noexcept;
    [[nodiscard]] bool withdraw_now(Op& op) noexcept;
    // Has the servers take all that the app has submitted and cancelled so far.
    void pass_on_now() noexcept;
    [[nodiscard]] Op* next_completion() noexcept;
    [[nodiscard]] StandingOp* next_notification() noexcept;

    // As the server of an op. Each op taken must be completed exactly once.
    [[nodiscard]] Op* next_submission() noexcept;
    [[nodiscard]] Op* next_cancellation() noexcept;
    void complete(Op& op, std::int32_t result) noexcept;
    void notify(StandingOp& op) noexcept;
    // Passes blocking work for a held op to the loop's Offload; on_offload_done follows.
    void offload(Op& op, std::int32_t (*work)(Op&) noexcept) noexcept;
    // Withdraws that work. True if it had not begun and never will: this machine holds the op
    // again, and on_offload_done is not called. Otherwise the work runs, and on_offload_done
    // follows.
    [[nodiscard]] bool withdraw_offload(Op& op) noexcept;

    // As a parent.
    void forward(Op& op, Lane lane) noexcept;
    void pass_down(Machine& child, Op& op, Lane lane) noexcept;
    void hold(Op& op) noexcept;  // from on_child_output: this machine becomes the op's server
    void answer(Machine& child, Op& op, std::int32_t result) noexcept;

    // Requests a tick in the next round, for a machine that has not finished its work.
    void tick_again() noexcept;

    [[nodiscard]] Loop& loop() const noexcept { return *loop_; }
    // As destination of a child's op: children have no default destination.
    [[nodiscard]] MachineRef platform_ref() const noexcept;

private:
    friend class Loop;

    static constexpr unsigned hold_height_max = 7;

    void pass_inputs_down() noexcept;
    void take_outputs_of_children() noexcept;
    [[nodiscard]] const char* op_name(const Op& op) const noexcept;
    [[nodiscard]] MachineRef way_of(const Op& op, Lane lane) const noexcept;
    [[nodiscard]] Machine& child_towards(MachineRef target) noexcept;

    // The only way into an in port: `from` is the parent, or null for the loop.
    void receive(const Machine* from, Lane lane, Op& op) noexcept;
    void receive_all(Lane lane, OpQueue& ops) noexcept;  // from the loop, to a root
    void put_out(Lane lane, Op& op) noexcept;
    void mark_ready() noexcept;
    void stamp(Op& op, Cause cause) noexcept;
    void count_taken(Op& op) noexcept;
    [[nodiscard]] bool take_completion_of(Op& op) noexcept;
    void finish_closed_doorbell(StandingOp& op) noexcept;
    [[nodiscard]] bool turn_away(Op& op) noexcept;
    void send_back(Op& op) noexcept;
    [[nodiscard]] Op* target_of(CancelOp& message) noexcept;
    [[nodiscard]] bool is_from_here(const Op& op) const noexcept {
        return op.source_.thread == ref_.thread;
    }

    [[gnu::cold]] void describe_ops(std::string& lines) const;
    [[nodiscard, gnu::cold]] std::size_t tree_size() const noexcept;
    [[gnu::cold]] void attach(Loop& loop) noexcept;
    [[gnu::cold]] void detach() noexcept;
    [[gnu::cold]] void close_tree();

    const char* const name_;
    Loop* loop_ = nullptr;
    LoopState* loop_state_ = nullptr;
    Machine* parent_ = nullptr;
    Machine* root_ = this;
    MachineRef ref_;
    Port in_;
    Port out_;
    Queue<Machine, SiblingLinks> children_;
    Queue<Machine, OutputLinks> children_with_output_;
    std::uint64_t ops_in_flight_ = 0;
    std::uint64_t ops_held_ = 0;
    bool is_closed_ = false;
};

// ---- Ports ----

inline void Machine::mark_ready() noexcept {
    if (!Link<ReadyLinks>::is_linked()) loop_state_->ready.push_back(*this);
}

inline void Machine::tick_again() noexcept {
    mark_ready();
}

inline void Machine::receive(const Machine* from, Lane lane, Op& op) noexcept {
    GYRE_ASSERT(from == parent_, "the in port of %s is written by %s: only its %s may", name_,
                from == nullptr ? "the loop" : from->name_, parent_ == nullptr ? "loop" : "parent");
    in_.push(lane, op);
    mark_ready();
}

inline void Machine::receive_all(Lane lane, OpQueue& ops) noexcept {
    if (ops.empty()) return;
    GYRE_ASSERT(parent_ == nullptr, "the in port of %s is written by the loop: only its parent may",
                name_);
    in_.queue(lane).take_all(ops);
    mark_ready();
}

// The loop routes the output of a root. The output of a child makes its parent tick, which takes
// it.
inline void Machine::put_out(Lane lane, Op& op) noexcept {
    out_.push(lane, op);
    const bool is_noted = Link<OutputLinks>::is_linked();
    if (parent_ == nullptr) {
        if (!is_noted) loop_state_->roots_with_output.push_back(*this);
        return;
    }
    if (!is_noted) parent_->children_with_output_.push_back(*this);
    parent_->mark_ready();
}

// ---- As the initiator of ops ----

inline void Machine::count_taken(Op& op) noexcept {
    --ops_in_flight_;
    --loop_state_->ops_in_flight;
    if (op.is_background()) --loop_state_->ops_in_background;
    if (loop_state_->observer != nullptr) loop_state_->observer->on_complete(op, *this);
}

inline Op* Machine::next_completion() noexcept {
    Op* op = in_.pop(Lane::completions);
    if (op == nullptr) return nullptr;
    op->land();
    count_taken(*op);
    return op;
}

inline StandingOp* Machine::next_notification() noexcept {
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

// ---- As their server ----

inline Op* Machine::next_submission() noexcept {
    for (;;) {
        Op* op = in_.pop(Lane::submissions);
        if (op == nullptr) return nullptr;
        op->state_ = OpState::held;
        ++ops_held_;
        // A posted op has no initiator that a refusal could be reported to: its server handles it.
        if (!op->source_ || !turn_away(*op)) return op;
    }
}

inline Op* Machine::next_cancellation() noexcept {
    while (Op* op = in_.pop(Lane::cancellations)) {
        if (op->code_ != OpCode::cancel) return op;
        if (Op* target = target_of(static_cast<CancelOp&>(*op))) return target;
    }
    return nullptr;
}

inline void Machine::complete(Op& op, std::int32_t result) noexcept {
    GYRE_ASSERT(
        op.state_ == OpState::held,
        "op %llu (%s) is completed by %s, which does not hold it: each op taken is completed "
        "once",
        printable(op.id_), op_name(op), name_);
    --ops_held_;
    op.result_ = result;
    if (op.source_) {
        send_back(op);
    } else {
        op.land();
    }
}

inline void Machine::send_back(Op& op) noexcept {
    loop_state_->check_thread();
    op.hold_height_ = 0;
    op.state_ = OpState::ready;
    if (is_from_here(op)) {
        // The completion replaces a notification or a cancellation that has not been taken yet.
        if (op.is_linked()) op.unlink();
    } else if (op.is_standing() && !static_cast<StandingOp&>(op).bell_.close()) {
        return;  // A notification is in flight and will be taken as the completion.
    }
    put_out(Lane::completions, op);
}

}  // namespace gyre
