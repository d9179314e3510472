// SPDX-License-Identifier: Apache-2.0
// What a turn costs in which nothing happens: with a timer that is not due, and with many machines
// that have no input. And what a loop holds of memory.
#include <deque>

#include "bench/kernel/entries.hpp"
#include "bench/kernel/real_loop.hpp"
#include "bench/round_trip_cases.hpp"

namespace gyre::bench {
namespace {

class IdleMachine final : public Machine {
public:
    IdleMachine() : Machine("idle") {}

protected:
    void tick(Instant) override {}
};

class QuietApp final : public Machine {
public:
    explicit QuietApp(std::size_t machine_count) : Machine("quiet"), machines_(machine_count) {
        for (IdleMachine& machine : machines_) add_child(machine);
    }

    void start_timer() {
        timer_.deadline = loop().now() + std::chrono::hours(1);
        submit(timer_);
    }

protected:
    void tick(Instant) override {
        while (next_completion() != nullptr) continue;
    }
    void on_close() override { cancel(timer_); }

private:
    TimerOp timer_;
    std::deque<IdleMachine> machines_;
};

class TurnLoop {
public:
    TurnLoop() : TurnLoop(0) {}
    explicit TurnLoop(std::size_t machine_count) : real_(LoopOptions{}, machine_count) {
        real_.app.start_timer();
    }
    void poll() { real_.poll(); }

private:
    RealLoop<QuietApp> real_;
};

double idle_machines_ns(const Run& run, std::size_t machine_count) {
    TurnLoop loop{machine_count};
    return ns_per_operation(run.span_ns(), [&] { loop.poll(); });
}

void measure_idle_machines_10(Run& run) {
    run.report("idle_machines_10", idle_machines_ns(run, 10));
}

void measure_idle_machines_100000(Run& run) {
    run.report("idle_machines_100000", idle_machines_ns(run, 100'000));
}

}  // namespace

std::vector<Entry> turn_entries() {
    return {
        {{"empty_turn"}, measure_empty_turn<TurnLoop>},
        {{"idle_machines_10"}, measure_idle_machines_10},
        {{"idle_machines_100000"}, measure_idle_machines_100000},
        {{"memory_loop"}, measure_memory_loop<TurnLoop>},
    };
}

}  // namespace gyre::bench
