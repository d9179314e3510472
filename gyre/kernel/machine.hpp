// SPDX-License-Identifier: Apache-2.0
// Machine: state with a tick, an in port and an out port, in a tree. Derive from it; the members of
// your class are its state. The functions under "protected" are all that a machine may do.
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
// Lifetime: owned by its maker, a child usually as a member of its parent. Destroyed before its
// parent, with no op in flight.
#pragma once

#include <cstdint>
#include <string>

#include "gyre/kernel/clock.hpp"
#include "gyre/kernel/detail/port.hpp"
#include "gyre/kernel/op.hpp"
#include "gyre/kernel/standing_op.hpp"

namespace gyre {

class Loop;
struct ReadyLinks;
struct OutputLinks;
struct SiblingLinks;

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

    // Ops it submitted whose completion it has not taken, and ops it serves.
    [[nodiscard]] std::uint64_t ops_in_flight() const noexcept { return ops_in_flight_; }
    [[nodiscard]] std::uint64_t ops_held() const noexcept { return ops_held_; }

    // The child goes live with its parent, at once if the parent is live. Nothing is changed when
    // there is no memory for it.
    void add_child(Machine& child);
    void remove_child(Machine& child) noexcept;

protected:
    // Called when there is input, a child has put something out, or tick_again was called. What it
    // leaves in its in port stays there until the next tick.
    virtual void tick(Instant now) = 0;

    // Called for each op a child puts out, and for each op on its way down to a child. A parent may
    // pass it on (as here), hold it and answer it, or put an op of its own in its place.
    virtual void on_child_output(Machine& /*child*/, Op& op, Lane lane) { forward(op, lane); }
    virtual void on_child_input(Machine& child, Op& op, Lane lane) { pass_down(child, op, lane); }

    // Called when the work for an op is done, withdrawn or refused: the op is held again, and to be
    // completed.
    virtual void on_offload_done(Op& op, std::int32_t result) { complete(op, result); }

    // Called once when the loop closes, children first: cancel everything you have in flight and
    // complete what you serve. What reaches you later is refused for you, as `owner_dead`.
    virtual void on_close() {}

    // For reports: appends a line for each op that it holds, if it can name them.
    virtual void describe_held(std::string& /*lines*/) const {}

    // As the initiator of an op.
    void submit(Op& op, Cause cause = {}) noexcept;
    // The op comes back exactly once: as cancelled, or with its result where that came first. In no
    // state is it an error to ask. An op under way at another loop needs a message to carry the
    // wish.
    void cancel(Op& op, CancelOp* message = nullptr) noexcept;
    // Moves a timer in flight to another deadline, as if it were submitted now. False when it is
    // not waiting any more (due, cancelled, held by a parent) or idle: then nothing is changed.
    [[nodiscard]] bool reschedule(TimerOp& op, Instant deadline) noexcept;
    [[nodiscard]] Op* next_completion() noexcept;
    [[nodiscard]] StandingOp* next_notification() noexcept;

    // As the server of an op. Each op taken must be completed, once, whatever becomes of it.
    [[nodiscard]] Op* next_submission() noexcept;
    [[nodiscard]] Op* next_cancellation() noexcept;
    void complete(Op& op, std::int32_t result) noexcept;
    void notify(StandingOp& op) noexcept;
    // Hands blocking work for a held op to the loop's Offload; on_offload_done follows.
    void offload(Op& op, std::int32_t (*work)(Op&) noexcept) noexcept;
    // Takes that back. True when the work had not begun and never will: the op is held again, and
    // on_offload_done is not called. Otherwise the work runs, and comes back as always.
    [[nodiscard]] bool withdraw_offload(Op& op) noexcept;

    // As a parent.
    void forward(Op& op, Lane lane) noexcept;
    void pass_down(Machine& child, Op& op, Lane lane) noexcept;
    void hold(Op& op) noexcept;  // from on_child_output: this machine serves the op
    void answer(Machine& child, Op& op, std::int32_t result) noexcept;

    // Asks for a tick in the next round: for a machine that left work undone.
    void tick_again() noexcept;

    [[nodiscard]] Loop& loop() const noexcept { return *loop_; }
    // For an op of a child: children have no default destination.
    [[nodiscard]] MachineRef platform_ref() const noexcept;

private:
    friend class Loop;

    static constexpr unsigned hold_height_max = 7;

    void run(Instant now) noexcept;
    void pass_inputs_down() noexcept;
    void take_outputs_of_children() noexcept;
    [[nodiscard]] const char* op_name(const Op& op) const noexcept;
    [[nodiscard]] MachineRef way_of(const Op& op, Lane lane) const noexcept;
    [[nodiscard]] Machine& child_towards(MachineRef target) noexcept;

    // The only way into an in port: `from` is the parent, or null for the loop.
    void receive(const Machine* from, Lane lane, Op& op) noexcept;
    void receive_all(Lane lane, OpQueue& ops) noexcept;  // from the loop, to a root
    void put_out(Lane lane, Op& op) noexcept;
    void signal_output() noexcept;
    void finish_closed_doorbell(StandingOp& op) noexcept;
    [[nodiscard]] bool turn_away(Op& op) noexcept;
    void send_back(Op& op) noexcept;
    [[nodiscard]] Op* target_of(CancelOp& message) noexcept;
    [[nodiscard]] bool is_from_here(const Op& op) const noexcept {
        return op.source_.thread == ref_.thread;
    }

    void describe_ops(std::string& lines) const;
    [[nodiscard]] std::size_t tree_size() const noexcept;
    void attach(Loop& loop) noexcept;
    void detach() noexcept;
    void close_tree();

    const char* const name_;
    Loop* loop_ = nullptr;
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

inline Op* Machine::next_submission() noexcept {
    for (;;) {
        Op* op = in_.pop(Lane::submissions);
        if (op == nullptr) return nullptr;
        op->state_ = OpState::held;
        ++ops_held_;
        // A post has nobody who would hear of a refusal: it stays the server's to deal with.
        if (!op->source_ || !turn_away(*op)) return op;
    }
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

}  // namespace gyre
