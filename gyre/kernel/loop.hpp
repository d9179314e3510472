// SPDX-License-Identifier: Apache-2.0
// Loop: the event loop of one thread. It has two root machines, the app and the platform, routes
// ops between machines and to other loops, and keeps the timers.
//
//     Loop loop(platform, app);
//     loop.run();                       // until nothing is in flight
//     loop.close();
//
// Thread: the thread that calls `turn` or `run`. Any thread may call `post`, `post_all` and `stop`,
// and ring a WakeOp.
// Lifetime: the app machine, the platform, the objects in the options and the peers outlive the
// loop. Close it before it is destroyed, unless nothing is in flight.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gyre/kernel/detail/inbox.hpp"
#include "gyre/kernel/detail/machine_table.hpp"
#include "gyre/kernel/detail/spin.hpp"
#include "gyre/kernel/detail/timers.hpp"
#include "gyre/kernel/machine.hpp"
#include "gyre/kernel/observer.hpp"
#include "gyre/kernel/offload.hpp"
#include "gyre/kernel/platform.hpp"

namespace gyre {

class Loop;

// The loops of one process that may send ops to each other. Fill it before the first of them turns,
// and keep it until the last has stopped.
class Peers {
public:
    explicit Peers(std::uint32_t loop_count_max) : loops_(loop_count_max + 1) {}
    [[nodiscard]] Loop* find(ThreadId thread) const noexcept {
        return thread < loops_.size() ? loops_[thread] : nullptr;
    }

private:
    friend class Loop;
    std::vector<Loop*> loops_;
};

struct LoopOptions {
    ThreadId thread_id = 1;  // the id of this loop in a MachineRef; from 1, unique among its peers
    Peers* peers = nullptr;
    Offload* offload = nullptr;
    Observer* observer = nullptr;
    std::uint32_t machine_count_max = 1u << 20u;
    // Limits of one turn: how many machines are ticked, and how many rounds of "route outputs, tick
    // machines" are made before the next wait.
    std::uint32_t ticks_per_turn_max = 1024;
    std::uint32_t rounds_per_turn_max = 4;
    // Due timers delivered in one turn; the others follow in the next turn, in order. So a
    // burst of timers stays in the cache and does not starve other work.
    std::uint32_t timers_per_turn_max = 1024;
    // How long a loop spins on its inbox before it blocks; Spin shortens it while spinning does not
    // pay. 0: never spins.
    Duration spin_max = std::chrono::microseconds(50);
    // Whether `idle_time` is measured, which costs one more clock reading for each blocking wait.
    bool measures_idle_time = false;
    // When a close takes longer than this, the log lists the ops it waits for, repeatedly.
    Duration close_report_after = std::chrono::seconds(5);
};

class Loop {
public:
    Loop(Platform& platform, Machine& app, LoopOptions options = {});
    // No op may be in flight: call close first.
    ~Loop();
    Loop(const Loop&) = delete;
    Loop& operator=(const Loop&) = delete;

    // Why a run ended. `stuck`: ops are in flight, but time is simulated and no event is left that
    // could complete them.
    enum class End { idle, stopped, stuck };

    // One iteration of the loop, in the order that turn() in loop.cpp shows. Blocks at most once,
    // and not longer than until `wake_by`.
    void turn(Instant wake_by = Instant::never()) noexcept;
    // Turns until stopped, or until no op is in flight and no work is left.
    End run() noexcept;
    // Turns until stopped, also while there is no work: for a loop that serves other loops.
    End run_until_stopped() noexcept;
    // From any thread: the current run returns after its turn; if none is active, the next run
    // returns at once.
    void stop() noexcept { stop_.ring(); }

    // Calls on_close of every machine, which cancels its ops (children first, the app before the
    // platform), and turns until all ops are completed. After close, posts from other threads are
    // refused.
    void close() noexcept;

    // The time at the start of this turn: a cached value, no clock reading.
    [[nodiscard]] Instant now() const noexcept { return now_; }
    [[nodiscard]] MachineRef app_ref() const noexcept { return app_.ref(); }
    [[nodiscard]] MachineRef platform_ref() const noexcept { return platform_.ref(); }
    [[nodiscard]] Platform& platform() noexcept { return platform_; }
    [[nodiscard]] ThreadId thread_id() const noexcept { return options_.thread_id; }
    // The name of the op's kind, for messages to people.
    [[nodiscard]] const char* name_of(const Op& op) const noexcept {
        return platform_.name_of(op.code());
    }
    // Null if no observer is set.
    [[nodiscard]] Observer* observer() const noexcept { return state_.observer; }

    // Submits an op from any thread to a machine of this loop, the app machine by default. A posted
    // op has no initiator: it belongs to its server, and becomes idle when completed. False if the
    // loop is closed.
    [[nodiscard]] bool post(Op& op) noexcept;
    // Posts many ops with one atomic exchange; empties the queue unless the loop is closed.
    [[nodiscard]] bool post_all(OpQueue& ops) noexcept;

    // For a loop whose thread waits elsewhere, polling Platform::backend_fd: from now until the
    // next turn a post wakes the platform. False if the inbox is not empty.
    [[nodiscard]] bool watch_posts() noexcept {
        platform_.flush();
        return inbox_.try_sleep();
    }

    // From now on the calling thread is the one that turns the loop. No other thread may use it
    // during the call.
    void adopt() noexcept { state_.thread_mark = &this_thread_mark; }

    // In the child of a fork(), on the thread that will turn the loop, before anything else is done
    // with it: renews the platform and the Offload. Ops that an Offload was working on stay in
    // flight until abandon_offloaded.
    [[nodiscard]] Result<void> renew_after_fork();
    // Completes such an op as cancelled.
    void abandon_offloaded(Op& op) noexcept;

    // For an Offload, called from any thread when the work of `op` is done.
    void post_offloaded(Op& op, std::int32_t result) noexcept;

    // Whether an op is in flight or work is left. The next three are for a simulator: whether a
    // turn would do something now, and if not, when.
    [[nodiscard]] bool is_alive() const noexcept;
    [[nodiscard]] bool has_ready_work() const noexcept;
    [[nodiscard]] bool has_posts() const noexcept { return !inbox_.looks_empty(); }
    [[nodiscard]] Instant next_deadline() noexcept { return timers_.next_deadline(); }

    [[nodiscard]] std::uint64_t ops_in_flight() const noexcept { return state_.ops_in_flight; }
    // Those that keep the loop alive: all but the background ones.
    [[nodiscard]] std::uint64_t ops_in_foreground() const noexcept {
        GYRE_ASSERT(state_.ops_in_background <= state_.ops_in_flight,
                    "a background op is counted that is not in flight");
        return state_.ops_in_flight - state_.ops_in_background;
    }
    [[nodiscard]] std::uint64_t turn_count() const noexcept { return turn_count_; }
    // Turns that blocked, and the total time blocked, if it is measured.
    [[nodiscard]] std::uint64_t sleep_count() const noexcept { return sleep_count_; }
    [[nodiscard]] Duration idle_time() const noexcept { return idle_time_; }
    // The number of ops submitted on this loop so far.
    [[nodiscard]] std::uint64_t op_count() const noexcept;
    [[nodiscard]] std::size_t timer_count() const noexcept { return timers_.count(); }
    // Lists the ops in flight: a line for each machine that waits or serves, and the ops it can
    // name.
    [[nodiscard, gnu::cold]] std::string describe_ops() const;
    // Calls the visitor with each machine of the loop.
    template <class Visitor>
    void for_each_machine(Visitor visit) const {
        machines_.for_each(visit);
    }

private:
    friend class Machine;
    friend class WakeOp;

    // loop.cpp: the turn.
    [[nodiscard]] Instant wait(Instant wake_by) noexcept;
    [[nodiscard]] bool look_for_posts(Instant until) noexcept;
    [[nodiscard]] Instant sleep(Instant deadline) noexcept;
    [[nodiscard]] Instant sleep_measured(Instant deadline) noexcept;
    void deliver_due_timers() noexcept;
    void drain_inbox() noexcept;
    void route_outputs() noexcept;
    void tick_machines(std::uint32_t& ticks_left) noexcept;
    void tick(Machine& machine) noexcept;
    void serve_now() noexcept;
    End turn_while(bool (Loop::*goes_on)() const noexcept) noexcept;
    void turn_until_all_is_back() noexcept;
    [[nodiscard]] Instant next_report() const noexcept;
    [[nodiscard]] bool is_open() const noexcept { return !is_closed_; }

    // loop.cpp: routing of ops.
    void route_submission(Op& op) noexcept;
    void route_cancellation(Op& op) noexcept;
    void route_back(Op& op, Lane lane) noexcept;
    void deliver(Op& op, Lane lane, MachineRef target) noexcept;
    void deliver_to(Machine& machine, Lane lane, Op& op) noexcept;
    void return_to_source(Op& op, std::int32_t result) noexcept;
    void refuse(Op& op) noexcept;
    [[nodiscard]] MachineRef destination_of(const Op& op) const noexcept;
    void cancel_with_loop(Op& op, Machine& initiator) noexcept;

    // loop_remote.cpp: posts, other loops, the Offload.
    void receive_post(Op& op) noexcept;
    void send_to_peer(Op& op, Lane lane, ThreadId thread) noexcept;
    void send_cancel(Op& op, CancelOp& message) noexcept;
    void finish_cancel(CancelOp& message) noexcept;
    void take_back(Op& op) noexcept;
    void start_offload(Op& op, Offload::Work work) noexcept;
    void finish_offload(Op& op, std::int32_t result) noexcept;
    void cancel_offloaded(Op& op) noexcept;
    [[nodiscard]] bool withdraw_offload(Op& op) noexcept;

    // Called by Machine.
    void keep_timer(TimerOp& op) noexcept;
    void keep_wake(WakeOp& op) noexcept;
    void start_post(Op& op) noexcept;
    [[nodiscard]] bool finish_post(Inbox::Posted posted) noexcept;
    void wake_if(Inbox::Posted posted) noexcept {
        if (posted == Inbox::Posted::loop_sleeps) platform_.wake();
    }

    const LoopOptions options_;
    Platform& platform_;
    Machine& app_;
    Instant now_;
    Timers timers_;
    Inbox inbox_;
    Spin spin_;
    MachineTable machines_;
    LoopState state_;
    std::uint64_t turn_count_ = 0;
    std::uint64_t sleep_count_ = 0;
    Duration idle_time_{0};
    WakeOp stop_;
    std::uint32_t turn_depth_ = 0;  // above 1: a machine turns its own loop, as the simulator does
    bool is_stopping_ = false;
    bool is_stuck_ = false;
    bool is_closed_ = false;
};

// Submits an op for a thread that has no loop: the op has no initiator.
inline void Loop::start_post(Op& op) noexcept {
    GYRE_ASSERT(!op.is_in_flight(), "op %llu (%s) is posted while in flight: wait until it is idle",
                printable(op.id_), name_of(op));
    op.take_off({});
}

inline bool Loop::finish_post(Inbox::Posted posted) noexcept {
    wake_if(posted);
    return posted != Inbox::Posted::refused;
}

inline bool Loop::post(Op& op) noexcept {
    start_post(op);
    if (finish_post(inbox_.post(op))) return true;
    return_to_source(op, 0);
    return false;
}

}  // namespace gyre
