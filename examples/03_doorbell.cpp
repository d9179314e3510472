// SPDX-License-Identifier: Apache-2.0
// Standing ops: they stay in flight and ring, until a cancellation ends them. Another thread puts
// numbers into a ring and rings a WakeOp; a signal tells the machine to stop. Several rings may
// arrive as one, so the machine reads all that is in the ring buffer after each.
//
//     $ build/release/bin/examples/03_doorbell
//     1
//     2
//     3
//     a signal came: enough
//     wake ended: cancelled
//     signal ended: cancelled

#include <csignal>
#include <cstdio>
#include <thread>

#include "gyre/io/io_ops.hpp"
#include "gyre/kernel/loop.hpp"
#include "gyre/platform/choose.hpp"
#include "gyre/platform/system_clock.hpp"

using namespace gyre;

class Listener : public Machine {
public:
    Listener() : Machine("listener") {}

    void start() {
        submit(wake_);
        submit(signal_);
    }

    // From one other thread.
    void say(int number) {
        (void)numbers_.push(number);
        wake_.ring();
    }

private:
    void tick(Instant /*now*/) override {
        while (const StandingOp* rung = next_notification()) {
            while (const auto number = numbers_.pop()) std::printf("%d\n", *number);
            if (rung != &signal_) continue;
            std::puts("a signal came: enough");
            cancel(wake_);
            cancel(signal_);
        }
        while (const Op* op = next_completion()) {
            std::printf("%s ended: %s\n", loop().name_of(*op),
                        op->is_cancelled() ? "cancelled" : "failed");
        }
    }

    SpscRing<int> numbers_{4};
    WakeOp wake_;
    SignalOp signal_{SIGUSR1};
};

int main() {
    platform::SystemClock clock;
    const auto platform = platform::make_platform(clock).value();
    Listener listener;
    Loop loop(*platform, listener);
    listener.start();
    loop.turn();  // From here on the platform serves the SignalOp, so the signal cannot be missed.
    const std::jthread other([&listener] {
        for (const int number : {1, 2, 3}) listener.say(number);
        std::raise(SIGUSR1);
    });
    loop.run();
}
