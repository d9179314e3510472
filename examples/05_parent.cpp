// SPDX-License-Identifier: Apache-2.0
// Machines form a tree, and a parent sees everything its children put out. This parent completes
// one op itself, changes another, and forwards the rest: a sandbox in twenty lines.
//
//     $ build/release/bin/examples/05_parent
//     guard: refuses to open /etc/shadow
//     guard: an hour becomes a millisecond
//     guest: open: Permission denied
//     guest: timer: fine

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "gyre/app/program.hpp"
#include "gyre/io/file_ops.hpp"

using namespace gyre;
using namespace std::chrono_literals;

class Guest : public Machine {
public:
    Guest() : Machine("guest") {}

    void start() {
        open_.set_destination(platform_ref());  // A child has no default destination.
        submit(open_);
        timer_.deadline = loop().now() + 1h;
        submit(timer_);
    }

private:
    void tick(Instant /*now*/) override {
        while (const Op* op = next_completion()) {
            std::printf(
                "guest: %s: %s\n", loop().name_of(*op),
                op->result() < 0 ? Error::of_result(op->result()).message().c_str() : "fine");
        }
    }

    OpenOp open_{"/etc/shadow"};
    TimerOp timer_;
};

class Guard : public Machine {
public:
    Guard() : Machine("guard") { add_child(guest_); }

    void start() { guest_.start(); }

private:
    void tick(Instant /*now*/) override {}

    void on_child_output(Machine& child, Op& op, Lane lane) override {
        if (lane == Lane::submissions && op.code() == IoCode::open) {
            std::printf("guard: refuses to open %s\n", static_cast<OpenOp&>(op).path.c_str());
            hold(op);
            answer(child, op, failure(std::errc::permission_denied));
            return;
        }
        if (lane == Lane::submissions && op.code() == OpCode::timer) {
            std::puts("guard: an hour becomes a millisecond");
            auto& timer = static_cast<TimerOp&>(op);
            timer.deadline = std::min(timer.deadline, loop().now() + 1ms);
        }
        forward(op, lane);
    }

    Guest guest_;
};

int main() {
    Program program;
    Guard guard;
    Loop loop(program.platform(), guard, program.loop_options());
    guard.start();
    loop.run();
}
