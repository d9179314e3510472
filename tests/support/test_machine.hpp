// SPDX-License-Identifier: Apache-2.0
// A machine for tests: takes every op from its in port, records it, then calls `on_tick`. The
// protected functions of Machine are public here. Lives in one test, on its thread.
#pragma once

#include <functional>
#include <vector>

#include "gyre/kernel/loop.hpp"

namespace gyre::test {

class TestMachine : public Machine {
public:
    explicit TestMachine(const char* name = "test") : Machine(name) {}

    using Machine::answer;
    using Machine::cancel;
    using Machine::complete;
    using Machine::forward;
    using Machine::hold;
    using Machine::loop;
    using Machine::next_cancellation;
    using Machine::next_completion;
    using Machine::next_notification;
    using Machine::next_submission;
    using Machine::notify;
    using Machine::offload;
    using Machine::pass_down;
    using Machine::platform_ref;
    using Machine::reschedule;
    using Machine::submit;
    using Machine::tick_again;

    // Completes one of the ops in `held`.
    void finish(Op& op, std::int32_t result) {
        std::erase(held, &op);
        complete(op, result);
    }

    std::function<void()> on_tick;
    std::function<void(Op&)> on_submission;    // instead of keeping it in `held`
    std::function<void(Op&)> on_cancellation;  // instead of completing it as cancelled
    std::function<void(Op&)> on_completion;
    std::function<void(StandingOp&)> on_notification;
    std::function<void(TestMachine&, Op&, Lane)> on_output_of_child;
    std::function<void(TestMachine&, Op&, Lane)> on_input_of_child;
    std::function<void()> on_closing;

    std::vector<Op*> completed;
    std::vector<StandingOp*> notified;
    std::vector<Op*> held;
    std::vector<Instant> ticks;

protected:
    void tick(Instant now) override {
        ticks.push_back(now);
        while (Op* op = next_submission()) {
            if (on_submission) {
                on_submission(*op);
            } else {
                held.push_back(op);
            }
        }
        while (Op* op = next_cancellation()) {
            if (on_cancellation) {
                on_cancellation(*op);
            } else {
                finish(*op, failure(std::errc::operation_canceled));
            }
        }
        while (Op* op = next_completion()) {
            completed.push_back(op);
            if (on_completion) on_completion(*op);
        }
        while (StandingOp* op = next_notification()) {
            notified.push_back(op);
            if (on_notification) on_notification(*op);
        }
        if (on_tick) on_tick();
    }
    void on_child_output(Machine& child, Op& op, Lane lane) override {
        if (on_output_of_child) {
            on_output_of_child(static_cast<TestMachine&>(child), op, lane);
        } else {
            Machine::on_child_output(child, op, lane);
        }
    }
    void on_child_input(Machine& child, Op& op, Lane lane) override {
        if (on_input_of_child) {
            on_input_of_child(static_cast<TestMachine&>(child), op, lane);
        } else {
            Machine::on_child_input(child, op, lane);
        }
    }
    void on_close() override {
        if (on_closing) on_closing();
        for (Op* op : std::exchange(held, {}))
            complete(*op, failure(std::errc::operation_canceled));
    }
};

// An op kind that no platform serves: for machines that serve each other.
class CustomOp : public Request {
public:
    CustomOp() noexcept : Request(OpCode::first_custom) {}
    int value = 0;
};

class CustomStandingOp : public StandingOp {
public:
    CustomStandingOp() noexcept : StandingOp(OpCode::first_custom_standing) {}
    std::vector<int> shared;  // written by the server before it rings
};

}  // namespace gyre::test
