// SPDX-License-Identifier: Apache-2.0
// The app machine of the suite: starts and cancels ops as a test says, and records the order of
// their completions and notifications. One thread; lives as long as the test's World.
#pragma once

#include <functional>
#include <vector>

#include "gyre/kernel/loop.hpp"

namespace gyre::test {

class App : public Machine {
public:
    explicit App(const char* name = "app") noexcept : Machine(name) {}

    void start(Op& op, Cause cause = {}) {
        started_.push_back(&op);
        submit(op, cause);
    }
    void stop(Op& op) { cancel(op); }

    // While it pauses, completions stay in its in port.
    void pause() { pauses_ = true; }
    void go_on() {
        pauses_ = false;
        tick_again();
    }

    std::vector<Op*> done;
    std::vector<Op*> rung;
    std::function<void()> on_closing;
    std::function<void()> on_rung;
    // The result of ops that are submitted to this machine.
    std::function<std::int32_t(Op&)> on_request = [](Op&) { return 0; };

    using Machine::platform_ref;

protected:
    void tick(Instant /*now*/) override {
        if (pauses_) return;
        while (Op* op = next_submission()) complete(*op, on_request(*op));
        while (StandingOp* op = next_notification()) {
            rung.push_back(op);
            if (on_rung) on_rung();
        }
        while (Op* op = next_completion()) {
            std::erase(started_, op);
            done.push_back(op);
        }
    }
    void on_close() override {
        if (on_closing) on_closing();
        pauses_ = false;
        for (Op* op : started_) cancel(*op);
    }

private:
    std::vector<Op*> started_;
    bool pauses_ = false;
};

}  // namespace gyre::test
