// SPDX-License-Identifier: Apache-2.0
// Cancelling an op in each of its states. Cancelling is never an error, and the initiator gets the
// op back exactly once: cancelled, or with its result if that came first.
//
//     $ build/release/bin/examples/04_cancelling
//     a timer not yet routed: cancelled
//     the first of two timers: done
//     the second, done when asked: done
//     a timer kept by the loop: cancelled
//     a receive at the platform: cancelled

#include <array>
#include <cstdio>

#include "gyre/app/program.hpp"
#include "gyre/io/environment.hpp"
#include "gyre/io/socket_ops.hpp"

using namespace gyre;
using namespace std::chrono_literals;

class Impatient : public Machine {
public:
    explicit Impatient(Fd silent_peer) : Machine("impatient"), receive_(silent_peer, buffer_) {}

    void start() {
        cancel(kept_);  // Idle: no effect.

        submit(unrouted_);
        cancel(unrouted_);  // The loop has not seen it yet.

        first_.deadline = second_.deadline = loop().now() + 1ms;
        kept_.deadline = loop().now() + 1h;
        for (const Case& each : cases_) {
            if (!each.op.is_in_flight()) submit(each.op);
        }
    }

private:
    void tick(Instant /*now*/) override {
        while (Op* op = next_completion()) {
            for (const Case& each : cases_) {
                if (&each.op != op) continue;
                std::printf("%s: %s\n", each.name, op->is_cancelled() ? "cancelled" : "done");
            }
            if (op != &first_) continue;
            cancel(second_);  // It has expired too and is in the in port: its result stands.
            cancel(kept_);
            cancel(receive_);
        }
    }

    struct Case {
        const char* name;
        Op& op;
    };

    std::array<std::byte, 1> buffer_{};
    TimerOp unrouted_;
    TimerOp first_;
    TimerOp second_;
    TimerOp kept_;
    ReceiveOp receive_;
    std::array<Case, 5> cases_{{{"a timer not yet routed", unrouted_},
                                {"the first of two timers", first_},
                                {"the second, done when asked", second_},
                                {"a timer kept by the loop", kept_},
                                {"a receive at the platform", receive_}}};
};

int main() {
    Program program;
    Sockets& sockets = program.platform().environment()->sockets();
    const auto pair = sockets.connection_pair().value();
    Impatient impatient(pair[0]);
    Loop loop(program.platform(), impatient, program.loop_options());
    impatient.start();
    loop.run();
    for (const Fd fd : pair) sockets.close_now(fd);
}
