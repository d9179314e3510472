// SPDX-License-Identifier: Apache-2.0
// TestApp: an app machine that starts and cancels ops as a test says, and records in which order
// they completed or were rung. It completes the ops that are submitted to it. One thread; lives as
// long as the test. TestMachine is the one for tests that hold ops, or look into the ports.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "gyre/kernel/loop.hpp"

namespace gyre::test {

class TestApp : public Machine {
public:
    explicit TestApp(const char* name = "app") noexcept : Machine(name) {}

    void start(Op& op, Cause cause = {}) {
        if (cancels_at_close) started_.push_back(&op);
        submit(op, cause);
    }
    void stop(Op& op, CancelOp* message = nullptr) { cancel(op, message); }

    // While it pauses, its input stays in the port.
    void pause() { is_paused_ = true; }
    void go_on() {
        is_paused_ = false;
        tick_again();
    }

    std::vector<Op*> done;  // in the order of their completions
    std::vector<Op*> rung;  // in the order of their notifications
    std::function<void(Op&)> on_done;
    std::function<void(StandingOp&)> on_rung;
    std::function<void()> on_closing;
    // The result of an op that is submitted to it.
    std::function<std::int32_t(Op&)> on_request = [](Op&) { return 0; };
    // False: what it has started is left to the platform when the loop closes.
    bool cancels_at_close = true;

    using Machine::cancel;
    using Machine::platform_ref;
    using Machine::submit;

protected:
    void tick(Instant /*now*/) override {
        if (is_paused_) return;
        while (Op* op = next_submission()) complete(*op, on_request(*op));
        while (StandingOp* op = next_notification()) {
            rung.push_back(op);
            if (on_rung) on_rung(*op);
        }
        while (Op* op = next_completion()) {
            std::erase(started_, op);
            done.push_back(op);
            if (on_done) on_done(*op);
        }
        while (next_cancellation() != nullptr) {  // Of an op that is completed already.
        }
    }
    void on_close() override {
        if (on_closing) on_closing();
        is_paused_ = false;
        for (Op* op : started_) cancel(*op);
    }

private:
    std::vector<Op*> started_;
    bool is_paused_ = false;
};

}  // namespace gyre::test
