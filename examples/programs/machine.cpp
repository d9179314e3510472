// SPDX-License-Identifier: Apache-2.0
// A state machine on the kernel, without coroutines: a traffic light that another machine asks to
// turn green. Ops and timers live in the machines: nothing is allocated after the start.
//
//     $ machine
//     red
//     green
//     yellow
//     red

#include <gyre/gyre.hpp>

#include <cstdio>

using namespace gyre;
using namespace std::chrono_literals;

class TrafficLight : public Machine {
public:
    TrafficLight() : Machine("light") {}

    void begin() { show(State::red); }

private:
    enum class State { red, green, yellow };

    void tick(Instant /*now*/) override {
        while (next_completion() != nullptr) {
            if (state_ == State::yellow) return show(State::red);
            show(state_ == State::red ? State::green : State::yellow);
        }
    }
    void show(State state) {
        static const char* const names[] = {"red", "green", "yellow"};
        state_ = state;
        std::puts(names[static_cast<int>(state)]);
        if (state == State::red && ++round_ == 2) return;  // the loop ends: no op is in flight
        timer_.deadline = loop().now() + 10ms;
        submit(timer_);
    }

    State state_ = State::red;
    int round_ = 0;
    TimerOp timer_;
};

int main() {
    Program program;
    TrafficLight light;
    Loop loop(program.platform(), light, program.loop_options());
    light.begin();
    loop.run();
}
