// SPDX-License-Identifier: Apache-2.0
// The timer cases the whole way: an app machine submits timer ops, the loop keeps them and brings
// them back when they are due or cancelled, the machine takes them.
//
// Time is virtual, as for every program. Every 64 there is a turn, in which cancelled ops are taken
// back; a peer's function call does that at once.
#include <cstdlib>
#include <memory>

#include "bench/kernel/entries.hpp"
#include "bench/manual_platform.hpp"
#include "bench/timer_cases.hpp"
#include "gyre/kernel/loop.hpp"

namespace gyre::bench {
namespace {

class TimerApp final : public Machine {
public:
    TimerApp(std::size_t count, Fired& fired) : Machine("timers"), ops_(count), fired_(fired) {}

    void start(std::size_t i, std::int64_t delay_ns) {
        ops_[i].deadline = loop().now() + Duration(delay_ns);
        submit(ops_[i]);
    }
    void withdraw(std::size_t i) { cancel(ops_[i]); }
    void move(std::size_t i, std::int64_t delay_ns) {
        if (!reschedule(ops_[i], loop().now() + Duration(delay_ns))) std::abort();
    }

protected:
    void tick(Instant) override {
        while (Op* op = next_completion()) {
            if (op->is_cancelled()) continue;
            fired_.on_fire(static_cast<std::size_t>(static_cast<TimerOp*>(op) - ops_.data()),
                           *this);
        }
    }
    void on_close() override {
        for (TimerOp& op : ops_) cancel(op);
    }

private:
    std::vector<TimerOp> ops_;
    Fired& fired_;
};

class MachineTimers {
public:
    static constexpr const char* case_prefix = "timer_machine_";

    MachineTimers(std::size_t count, Fired& fired) : app_(count, fired) {}
    ~MachineTimers() { loop_->close(); }

    void start(std::size_t i, std::int64_t delay_ns) {
        app_.start(i, delay_ns);
        turn_now_and_then();
    }
    void cancel(std::size_t i) {
        app_.withdraw(i);
        turn_now_and_then();
    }
    void rearm(std::size_t i, std::int64_t delay_ns) {
        app_.move(i, delay_ns);
        turn_now_and_then();
    }
    void turn_at(std::int64_t time_ns) {
        platform_.time = Instant(static_cast<std::uint64_t>(time_ns));
        loop_->turn();
    }

private:
    static constexpr std::size_t ops_per_turn = 64;

    void turn_now_and_then() {
        if (++op_count_ % ops_per_turn == 0) loop_->turn();
    }

    ManualPlatform platform_;
    TimerApp app_;
    std::unique_ptr<Loop> loop_ = std::make_unique<Loop>(platform_, app_);
    std::size_t op_count_ = 0;
};

}  // namespace

std::vector<Entry> timer_machine_entries() {
    return timer_entries<MachineTimers>();
}

}  // namespace gyre::bench
