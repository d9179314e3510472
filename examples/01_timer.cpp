// SPDX-License-Identifier: Apache-2.0
// A timer on a loop. The program is one machine, which submits an op and is ticked when the op
// completes; the loop ends when no op is in flight.
//
//     $ build/release/bin/examples/01_timer
//     A tenth of a second is over.

#include <cstdio>

#include "gyre/kernel/loop.hpp"
#include "gyre/platform/choose.hpp"
#include "gyre/platform/system_clock.hpp"

using namespace std::chrono_literals;

class Alarm : public gyre::Machine {
public:
    Alarm() : Machine("alarm") {}

    void set(gyre::Duration delay) {
        timer_.deadline = loop().now() + delay;
        submit(timer_);
    }

private:
    void tick(gyre::Instant /*now*/) override {
        while (next_completion() != nullptr) std::puts("A tenth of a second is over.");
    }

    gyre::TimerOp timer_;
};

int main() {
    gyre::platform::SystemClock clock;
    const auto platform = gyre::platform::make_platform(clock).value();
    Alarm alarm;
    gyre::Loop loop(*platform, alarm);
    alarm.set(100ms);
    loop.run();
}
