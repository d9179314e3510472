// SPDX-License-Identifier: Apache-2.0
#include "gyre/kernel/loop.hpp"

#include <algorithm>

#include "gyre/base/detail/append_format.hpp"
#include "gyre/base/detail/compiler.hpp"
#include "gyre/base/log.hpp"

namespace gyre {
namespace {

constexpr std::uint32_t closing_turns_max = 100'000;
constexpr unsigned thread_id_shift = 40;  // 2^40 ops a loop before two could share an id.

}  // namespace

Loop::Loop(Platform& platform, Machine& app, LoopOptions options)
    : options_(options),
      platform_(platform),
      app_(app),
      now_(platform.now()),
      timers_(now_),
      spin_(platform.is_simulated() ? Duration(0) : options.spin_max),
      machines_(options.machine_count_max) {
    state_.observer = options_.observer;
    state_.last_op_id = OpId{options_.thread_id} << thread_id_shift;
    GYRE_ASSERT(app_.parent() == nullptr,
                "machine %s cannot be the root of a loop: it has a parent", app_.name());
    machines_.reserve(platform_.tree_size() + app_.tree_size());
    GYRE_ASSERT(options_.ticks_per_turn_max > 0, "ticks_per_turn_max is 0: no machine would run");
    GYRE_ASSERT(options_.rounds_per_turn_max > 0, "rounds_per_turn_max is 0: no machine would run");
    GYRE_ASSERT(options_.timers_per_turn_max > 0, "timers_per_turn_max is 0: no timer would fire");
    GYRE_ASSERT(options_.thread_id > 0, "thread_id 0 names no loop: number loops from 1");
    if (options_.peers != nullptr) {
        auto& loops = options_.peers->loops_;
        GYRE_ASSERT(options_.thread_id < loops.size(),
                    "thread_id %u is over the limit of Peers: %zu", options_.thread_id,
                    loops.size() - 1);
        GYRE_ASSERT(loops[options_.thread_id] == nullptr, "thread_id %u is taken by another loop",
                    options_.thread_id);
        loops[options_.thread_id] = this;
    }
    stop_.loop_ = this;
    stop_.bell_.open();
    platform_.attach(*this);
    app_.attach(*this);
}

Loop::~Loop() {
    GYRE_ASSERT(state_.ops_in_flight == 0,
                "the loop is destroyed with live ops: call close() first.\n%s",
                describe_ops().c_str());
    if (!is_closed_) close();
    inbox_.wait_for_visitors();
    app_.detach();
    platform_.detach();
    if (options_.peers != nullptr) options_.peers->loops_[options_.thread_id] = nullptr;
}

// One turn: the order of all phases.
void Loop::turn(Instant wake_by) noexcept {
    ++turn_depth_;
    ++turn_count_;
    now_ = wait(wake_by);

    deliver_due_timers();
    drain_inbox();  // Ops posted meanwhile wait for the next turn.

    std::uint32_t ticks_left = options_.ticks_per_turn_max;
    for (std::uint32_t round = 0; round < options_.rounds_per_turn_max && has_ready_work();
         ++round) {
        route_outputs();
        tick_machines(ticks_left);
    }
    if (state_.observer != nullptr) state_.observer->on_turned();
    --turn_depth_;
}

// The only blocking call. Blocks only if there is no work: no output to route, no machine to tick,
// no post.
Instant Loop::wait(Instant wake_by) noexcept {
    state_.thread_mark = &this_thread_mark;
    const bool has_work = has_ready_work() || is_stopping_;
    const Instant deadline = has_work ? now_ : std::min(timers_.next_deadline(), wake_by);
    if (state_.observer != nullptr) state_.observer->on_wait(deadline);

    Instant now;
    const bool may_block = deadline > now_ && !has_posts();
    const bool found = may_block && spin_.is_on() && look_for_posts(deadline);
    if (may_block && !found && inbox_.try_sleep()) {
        now = sleep(deadline);
        if (has_posts()) spin_.note_sleep(now - now_);
    } else {
        now = platform_.wait(now_);
    }

    is_stuck_ = now == Instant::never();
    now = is_stuck_ ? now_ : std::max(now_, now);  // Time never goes back, even if the clock does.
    if (state_.observer != nullptr) state_.observer->on_waited(now);
    return now;
}

bool Loop::look_for_posts(Instant until) noexcept {
    platform_.flush();
    return spin_.look(platform_, until, [this] { return has_posts(); });
}

Instant Loop::sleep(Instant deadline) noexcept {
    ++sleep_count_;
    return options_.measures_idle_time ? sleep_measured(deadline) : platform_.wait(deadline);
}

Instant Loop::sleep_measured(Instant deadline) noexcept {
    const Instant began = platform_.now();
    const Instant ended = platform_.wait(deadline);
    if (ended != Instant::never() && ended > began) idle_time_ += ended - began;
    return ended;
}

std::uint64_t Loop::op_count() const noexcept {
    return state_.last_op_id - (OpId{options_.thread_id} << thread_id_shift);
}

void Loop::deliver_due_timers() noexcept {
    OpQueue due;
    timers_.take_due(now_, due, options_.timers_per_turn_max);
    while (Op* op = due.pop_front()) return_to_source(*op, 0);
}

void Loop::drain_inbox() noexcept {
    OpQueue arrived;
    const bool is_all_for_app = inbox_.drain(arrived, app_.ref());
    if (is_all_for_app && state_.observer == nullptr) {  // An observer must see each op.
        app_.receive_all(Lane::submissions, arrived);
    } else {
        while (Op* op = arrived.pop_front()) receive_post(*op);
    }
}

void Loop::route_outputs() noexcept {
    while (Machine* root = state_.roots_with_output.pop_front()) {
        while (Op* op = root->out_.pop(Lane::submissions)) route_submission(*op);
        while (Op* op = root->out_.pop(Lane::cancellations)) route_cancellation(*op);
        while (Op* op = root->out_.pop(Lane::completions)) route_back(*op, Lane::completions);
        while (Op* op = root->out_.pop(Lane::notifications)) route_back(*op, Lane::notifications);
    }
}

// Ticks the machines that are ready now. Machines that become ready meanwhile wait for the next
// round; machines beyond the budget wait for the next turn, ahead of them.
// Inlined, like route_back and deliver_to: every op comes this way, and calls made it a tenth longer.
GYRE_ALWAYS_INLINE void Loop::tick_machines(std::uint32_t& ticks_left) noexcept {
    Queue<Machine, ReadyLinks> batch;
    batch.take_all(state_.ready);
    while (ticks_left > 0) {
        Machine* machine = batch.pop_front();
        if (machine == nullptr) return;
        --ticks_left;
        if (state_.observer != nullptr) state_.observer->on_tick(*machine, now_);
        tick(*machine);
    }
    batch.take_all(state_.ready);
    state_.ready.take_all(batch);
}

void Loop::tick(Machine& machine) noexcept {
    if (!machine.children_.empty()) machine.pass_inputs_down();
    machine.tick(now_);
    if (!machine.children_with_output_.empty()) machine.take_outputs_of_children();
}

// What the app has put out is routed and served now, also inside the app's own tick; completions
// stay in its in port.
void Loop::serve_now() noexcept {
    route_outputs();
    auto& ready = static_cast<Link<ReadyLinks>&>(static_cast<Machine&>(platform_));
    if (!ready.is_linked()) return;
    ready.unlink();
    if (state_.observer != nullptr) state_.observer->on_tick(platform_, now_);
    tick(platform_);
    route_outputs();
}

// ---- Routing of ops ----

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

GYRE_ALWAYS_INLINE void Loop::route_back(Op& op, Lane lane) noexcept {
    if (op.source_.thread == options_.thread_id) {
        deliver(op, lane, op.source_);
    } else {
        send_to_peer(op, lane, op.source_.thread);
    }
}

// A parent that holds the op takes precedence over the op's destination. The default is from the
// app to the platform and back. A child has no default: its parent decides, or the child sets one.
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
        printable(op.id_), name_of(op), op.source_.machine,
        source == nullptr ? "gone" : source->name());
    return {};
}

// Only its parent may write a child's port: the op enters at the root and is passed down.
GYRE_ALWAYS_INLINE void Loop::deliver_to(Machine& machine, Lane lane, Op& op) noexcept {
    if (state_.observer != nullptr) state_.observer->on_route(op, lane, &machine);
    machine.root_->receive(nullptr, lane, op);
}

void Loop::deliver(Op& op, Lane lane, MachineRef target) noexcept {
    Machine* machine = machines_.find(target.machine);
    if (machine == nullptr) {
        // A removed machine had no op in flight: an op that arrives for it now is a request of
        // another machine.
        GYRE_ASSERT(lane != Lane::completions && lane != Lane::notifications,
                    "op %llu (%s) comes back to machine %u, which is gone", printable(op.id_),
                    name_of(op), target.machine);
        refuse(op);
        return;
    }
    deliver_to(*machine, lane, op);
}

// For ops that the loop itself ends: a timer, a wake, an op cancelled before it was taken.
void Loop::return_to_source(Op& op, std::int32_t result) noexcept {
    op.result_ = result;
    op.state_ = OpState::ready;
    if (op.source_) {
        route_back(op, Lane::completions);
    } else {
        op.land();
    }
}

// Completes an op that no machine can serve.
void Loop::refuse(Op& op) noexcept {
    const auto why = is_closed_ ? std::errc::owner_dead : std::errc::no_such_device_or_address;
    log(LogLevel::debug, "op %llu (%s) refused: no machine %u at loop %u", printable(op.id_),
        name_of(op), op.destination().machine, options_.thread_id);
    return_to_source(op, failure(why));
}

void Loop::keep_timer(TimerOp& op) noexcept {
    op.state_ = OpState::with_loop;
    timers_.insert(op);
}

// A wake stays with the loop from submit on: once open it may be posted at any time, so it cannot
// be in another queue on its way here.
void Loop::keep_wake(WakeOp& op) noexcept {
    op.state_ = OpState::with_loop;
    op.loop_ = this;
    op.bell_.open();
}

void Loop::cancel_with_loop(Op& op, Machine& initiator) noexcept {
    op.result_ = failure(std::errc::operation_canceled);
    op.state_ = OpState::ready;
    if (op.code_ == OpCode::timer) {
        timers_.remove(static_cast<TimerOp&>(op));
    } else if (!static_cast<WakeOp&>(op).bell_.close()) {
        return;  // Rung and in flight: the notification also carries the completion.
    }
    deliver_to(initiator, Lane::completions, op);
}

// ---- Running and closing ----

bool Loop::has_ready_work() const noexcept {
    return !state_.roots_with_output.empty() || !state_.ready.empty();
}

bool Loop::is_alive() const noexcept {
    return state_.ops_in_flight > state_.ops_in_background || has_ready_work() || has_posts();
}

Loop::End Loop::turn_while(bool (Loop::*goes_on)() const noexcept) noexcept {
    is_stuck_ = false;
    while (!is_stopping_ && !is_stuck_ && (this->*goes_on)()) turn();
    const End end = is_stopping_ ? End::stopped : is_stuck_ ? End::stuck : End::idle;
    is_stopping_ = false;
    return end;
}

Loop::End Loop::run() noexcept {
    return turn_while(&Loop::is_alive);
}

Loop::End Loop::run_until_stopped() noexcept {
    return turn_while(&Loop::is_open);
}

void Loop::close() noexcept {
    if (is_closed_) return;
    GYRE_ASSERT(turn_depth_ == 0,
                "the loop is closed inside its own turn: stop() it, and close it after run()");
    state_.thread_mark = &this_thread_mark;  // No thread turns the loop now: it is this one's.
    app_.close_tree();
    turn_until_all_is_back();
    platform_.close_tree();
    turn_until_all_is_back();
    is_closed_ = true;
    OpQueue rest;
    inbox_.close(rest);
    while (Op* op = rest.pop_front()) refuse(*op);
}

void Loop::turn_until_all_is_back() noexcept {
    Instant report_at = next_report();
    std::uint32_t turns_without_ops = 0;
    // A closed platform also returns the ops it serves for other loops, which may take the system a
    // while.
    const auto has_ops_out = [this] {
        return state_.ops_in_flight > 0 || (platform_.is_closed_ && platform_.ops_held() > 0);
    };
    while (has_ops_out() || has_ready_work()) {
        turn(report_at);
        is_stopping_ = false;  // A stop() during close must not make wait() non-blocking.
        GYRE_ASSERT(!is_stuck_,
                    "the loop closes, but these ops never come back: cancel them in on_close()\n%s",
                    describe_ops().c_str());
        turns_without_ops = has_ops_out() ? 0 : turns_without_ops + 1;
        GYRE_ASSERT(
            turns_without_ops < closing_turns_max,
            "the loop closes, but a machine asks for ticks without end: stop in on_close()");
        if (now_ < report_at) continue;
        log(LogLevel::warn, "the loop closes and waits for:\n%s", describe_ops().c_str());
        report_at = next_report();
    }
}

// There is no report in simulated time: its deadline would advance the clock; a loop that waits in
// vain is reported as stuck instead.
Instant Loop::next_report() const noexcept {
    return platform_.is_simulated() ? Instant::never() : now_ + options_.close_report_after;
}

std::string Loop::describe_ops() const {
    std::string lines;
    machines_.for_each([&lines](const Machine& machine) { machine.describe_ops(lines); });
    timers_.for_each([&lines](const TimerOp& op) {
        append_format(lines, "  op %llu timer due at %llu ns, of machine %u\n", printable(op.id()),
                      printable(op.deadline.nanoseconds()), op.source().machine);
    });
    return lines;
}

}  // namespace gyre
