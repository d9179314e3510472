// SPDX-License-Identifier: Apache-2.0
// A timer on a loop. The program is one machine, which submits an op and is ticked when the op
// completes; the loop ends when no op is in flight.
//
//     $ build/release/bin/examples/01_timer
//     A tenth of a second is over.

#include <cstdio>

#include "gyre/app/program.hpp"
#include "gyre/kernel/loop.hpp"

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
    gyre::Program program;
    Alarm alarm;
    gyre::Loop loop(program.platform(), alarm, program.loop_options());
    alarm.set(100ms);
    loop.run();
}
