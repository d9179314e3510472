// SPDX-License-Identifier: Apache-2.0
// Virtual time: on the simulated platform a day takes no real time, because the clock advances
// whenever nothing can run. Random choices come from a seed, so a second run repeats the first,
// step by step.
//
//     $ build/release/bin/examples/06_virtual_time
//     seed 7: 24 hours passed, at the last ring it was 24:00
//     seed 7: 24 hours passed, at the last ring it was 24:00
//     both runs left the same trace: yes

#include <chrono>
#include <cstdio>
#include <string>

#include "gyre/kernel/loop.hpp"
#include "gyre/sim/platform.hpp"
#include "gyre/sim/trace_recorder.hpp"

using namespace gyre;
using namespace std::chrono_literals;

class Bell : public Machine {
public:
    Bell() : Machine("bell") {}

    void start() {
        midnight_ = loop().now();
        ring_in(1h);
    }

    [[nodiscard]] int rings() const { return rings_; }
    [[nodiscard]] Duration last_ring_after() const { return last_ring_ - midnight_; }

private:
    void tick(Instant now) override {
        while (next_completion() != nullptr) {
            last_ring_ = now;
            if (++rings_ < 24) ring_in(1h);
        }
    }

    void ring_in(Duration delay) {
        timer_.deadline = loop().now() + delay;
        submit(timer_);
    }

    TimerOp timer_;
    Instant midnight_;
    Instant last_ring_;
    int rings_ = 0;
};

std::string trace_of_a_day(std::uint64_t seed) {
    std::string trace;
    sim::TraceRecorder recorder(trace, "loop");
    sim::VirtualClock clock;
    sim::SimPlatform platform(clock, {.seed = seed});
    Bell bell;
    Loop loop(platform, bell, {.observer = &recorder});
    bell.start();
    loop.run();
    const auto minutes = std::chrono::floor<std::chrono::minutes>(bell.last_ring_after());
    std::printf("seed %d: %d hours passed, at the last ring it was %02d:%02d\n",
                static_cast<int>(seed), bell.rings(), static_cast<int>(minutes / 1h),
                static_cast<int>(minutes % 1h / 1min));
    return trace;
}

int main() {
    const std::string first = trace_of_a_day(7);
    const std::string second = trace_of_a_day(7);
    std::printf("both runs left the same trace: %s\n", first == second ? "yes" : "no");
}
