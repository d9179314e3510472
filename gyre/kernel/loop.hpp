// SPDX-License-Identifier: Apache-2.0
// Loop: the event loop of one thread. It has two root machines, the app and the platform, carries
// ops between machines and to other loops, and keeps the timers.
//
//     Loop loop(platform, app);
//     loop.run();                       // until nothing is in flight
//     loop.close();
//
// Thread: the thread that turns it. Any thread may call `post`, `post_all` and `stop`, and ring a
// WakeOp.
// Lifetime: the app machine, the platform, the options' objects and the peers outlive it. Close it
// before it is destroyed, unless nothing is in flight.
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
    ThreadId thread_id = 1;  // its name in a MachineRef; from 1, unique among its peers
    Peers* peers = nullptr;
    Offload* offload = nullptr;
    Observer* observer = nullptr;
    std::uint32_t machine_count_max = 1u << 20u;
    // Machines ticked, and times that outputs are routed and machines ticked, before the next wait.
    std::uint32_t ticks_per_turn_max = 1024;
    std::uint32_t rounds_per_turn_max = 4;
    // Due timers delivered in one turn; the rest follow in the next, in their order. So a storm of
    // them stays in the cache and lets others in between.
    std::uint32_t timers_per_turn_max = 1024;
    // How long a loop looks for a post before it sleeps; it looks only while that pays. 0: never.
    Duration spin_max = std::chrono::microseconds(50);
    // Whether `idle_time` is measured, which reads the clock once more for each sleep.
    bool measures_idle_time = false;
    // A close that takes longer says in the log what it waits for, again and again.
    Duration close_report_after = std::chrono::seconds(5);
};

class Loop {
public:
    Loop(Platform& platform, Machine& app, LoopOptions options = {});
    // All ops must be back: call close before, unless nothing is in flight.
    ~Loop();
    Loop(const Loop&) = delete;
    Loop& operator=(const Loop&) = delete;

    // Why a run ended. `stuck`: something is in flight, but time is simulated and nothing can ever
    // happen any more.
    enum class End { idle, stopped, stuck };

    // One round of everything, in the order that turn() in loop.cpp shows. Waits at most once, and
    // no longer than until `wake_by`.
    void turn(Instant wake_by = Instant::never()) noexcept;
    // Turns until stopped, or until nothing is in flight and nothing is to do.
    End run() noexcept;
    // Turns until stopped, also while there is nothing to do: for a loop that serves others.
    End run_until_stopped() noexcept;
    // From any thread: the run under way returns after its turn, or the next one at once.
    void stop() noexcept { stop_.ring(); }

    // Lets every machine cancel what it has in flight, children first, the app before the platform,
    // and turns until all is back. Posts from elsewhere are refused from then on.
    void close() noexcept;

    // The time of this turn: reading it costs nothing.
    [[nodiscard]] Instant now() const noexcept { return now_; }
    [[nodiscard]] MachineRef app_ref() const noexcept { return app_.ref(); }
    [[nodiscard]] MachineRef platform_ref() const noexcept { return platform_.ref(); }
    [[nodiscard]] Platform& platform() noexcept { return platform_; }
    [[nodiscard]] ThreadId thread_id() const noexcept { return options_.thread_id; }
    // What an op asks for, in messages to people.
    [[nodiscard]] const char* name_of(const Op& op) const noexcept {
        return platform_.name_of(op.code());
    }
    // Null where nobody watches.
    [[nodiscard]] Observer* observer() const noexcept { return options_.observer; }

    // Submits an op from any thread to a machine of this loop, the app machine by default. It has
    // no initiator to come back to: it belongs to its server, and is idle again once completed.
    // False when the loop is closed.
    [[nodiscard]] bool post(Op& op) noexcept;
    // Many at the price of one; empties the queue unless the loop is closed.
    [[nodiscard]] bool post_all(OpQueue& ops) noexcept;

    // For a loop whose thread waits elsewhere, on Platform::backend_fd: from now until the next
    // turn a post wakes the platform. False when something was posted already.
    [[nodiscard]] bool watch_posts() noexcept {
        platform_.flush();
        return inbox_.try_sleep();
    }

    // For an Offload, from any thread: the work of `op` is done.
    void post_offloaded(Op& op, std::int32_t result) noexcept;

    // Whether something is in flight or to do. For a simulator: whether a turn would do something
    // now, and if not, when.
    [[nodiscard]] bool is_alive() const noexcept;
    [[nodiscard]] bool has_ready_work() const noexcept;
    [[nodiscard]] bool has_posts() const noexcept { return !inbox_.looks_empty(); }
    [[nodiscard]] Instant next_deadline() noexcept { return timers_.next_deadline(); }

    [[nodiscard]] std::uint64_t ops_in_flight() const noexcept { return state_.ops_in_flight; }
    [[nodiscard]] std::uint64_t turn_count() const noexcept { return turn_count_; }
    // Turns that slept, and for how long in all, where that is measured.
    [[nodiscard]] std::uint64_t sleep_count() const noexcept { return sleep_count_; }
    [[nodiscard]] Duration idle_time() const noexcept { return idle_time_; }
    // Ops that were submitted here, so far.
    [[nodiscard]] std::uint64_t op_count() const noexcept;
    [[nodiscard]] std::size_t timer_count() const noexcept { return timers_.count(); }
    // What is in flight: a line for each machine that waits or serves, and the ops it can name.
    [[nodiscard, gnu::cold]] std::string describe_ops() const;

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
    End turn_while(bool (Loop::*goes_on)() const noexcept) noexcept;
    void turn_until_all_is_back() noexcept;
    [[nodiscard]] Instant next_report() const noexcept;
    [[nodiscard]] bool is_open() const noexcept { return !is_closed_; }

    // loop.cpp: where an op goes.
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

    // For Machine.
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
    bool is_stopping_ = false;
    bool is_stuck_ = false;
    bool is_closed_ = false;
};

// A thread without a loop submits the op, which has no initiator to come back to.
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
